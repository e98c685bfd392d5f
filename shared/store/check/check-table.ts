import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '../../base/batches.ts';
import { readTimelineItems } from '../leads/timeline.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import type { Item } from '../table/items.ts';
import {
  erasurePrimaryKey,
  type ItemKind,
  keyText,
  kindOf,
  leadPrimaryKey,
  type PrimaryKey,
} from '../table/primary-keys.ts';
import { readTogether, readWith } from '../table/read-together.ts';
import { type FindOptions, findSuspects, type Suspects } from './find-suspects.ts';
import {
  capturedAt,
  isCapture,
  isExpired,
  itemIssues,
  recordedLead,
  recordIssues,
} from './item-issues.ts';
import { type IdentityKind, identityOf, leadIn } from './lead-issues.ts';
import { lookAtLead } from './look-at-lead.ts';
import { lookAtKeyItem, lookAtListedKey, lookAtOrganization } from './look-at-organization.ts';

export interface CheckOptions extends Pick<FindOptions, 'organizationId' | 'onProgress'> {
  /** How long what looks wrong has to become right. @default 2000 */
  readonly againAfterMs?: number;
}

export interface CheckResult {
  readonly leads: number;
  /** One sentence each, sorted. */
  readonly violations: readonly string[];
}

const looksAtOnce = 8;

/**
 * Verifies every invariant of the table during live traffic. A suspect is read again together with what it must agree with, as of one moment;
 * if it is wrong, it is read once more two seconds later, and reported if it is still wrong.
 */
export async function checkTable(
  table: Table,
  { againAfterMs = 2000, ...options }: CheckOptions = {},
): Promise<CheckResult> {
  const found = await findSuspects(table, options);
  const wrong: PrimaryKey[] = [];
  await inParallel(found.suspects, looksAtOnce, async (key) => {
    if ((await lookAt(table, key, found)).length > 0) wrong.push(key);
  });
  if (wrong.length > 0) await sleep(againAfterMs);
  const violations = new Set<string>();
  await inParallel(wrong, looksAtOnce, async (key) => {
    for (const violation of await lookAt(table, key, found)) violations.add(violation);
  });
  return { leads: found.leads, violations: [...violations].sort() };
}

/** Reads a suspect again, whole. @returns what is wrong, as sentences */
export async function lookAt(
  table: Table,
  key: PrimaryKey,
  { organizationOfKey }: Pick<Suspects, 'organizationOfKey'>,
): Promise<string[]> {
  const kind = kindOf(key);
  if (kind?.kind === 'lead')
    return lookAtLead({ table, organizationId: kind.organizationId }, kind.leadId);
  if (kind?.kind === 'idempotency')
    return lookAtRecord(table, key, kind, organizationOfKey.get(kind.keyId));
  const [item] = await readTogether(table, [key]);
  const inItself = item ? itemIssues(key, kind, item) : [];
  return [...inItself, ...(await lookAtRelated(table, key, kind))];
}

/** Compares an item with those that it refers to. */
async function lookAtRelated(
  table: Table,
  key: PrimaryKey,
  kind: ItemKind | undefined,
): Promise<string[]> {
  if (kind?.kind === 'apiKey') return lookAtKeyItem(table, key);
  if (!kind || !('organizationId' in kind)) return [];
  const scope = { table, organizationId: kind.organizationId };
  switch (kind.kind) {
    case 'settings':
      return lookAtOrganization(scope);
    case 'listing':
      return lookAtListedKey(scope, kind.keyId);
    case 'phone':
    case 'email':
      return lookAtIdentity(scope, key, kind);
    case 'importedRow':
      return lookAtImportedRow(scope, key);
  }
  return [];
}

/** The lead that a record or an identity item names, and the erasure of it, which removes the record. */
const leadKeys = ({ organizationId }: OrganizationTable, leadId: unknown): PrimaryKey[] =>
  typeof leadId === 'number'
    ? [leadPrimaryKey(organizationId, leadId), erasurePrimaryKey(organizationId, leadId)]
    : [];

/** The lead that an identity item names must exist and have the phone or email. */
async function lookAtIdentity(
  scope: OrganizationTable,
  key: PrimaryKey,
  { kind, value }: { readonly kind: IdentityKind; readonly value: string },
): Promise<string[]> {
  const { table, organizationId } = scope;
  const [item, lead] = await readWith(table, key, (read) => leadKeys(scope, read?.leadId));
  if (!item) return [];
  const { leadId } = item;
  if (typeof leadId !== 'number') return [`The item ${keyText(key)} names no lead.`];
  const names = `The item ${keyText(key)} names lead ${leadId} of organization ${organizationId}`;
  if (!lead) return [`${names}, which is not there.`];
  const current = identityOf(leadIn(organizationId, leadId, lead), kind);
  return current === value ? [] : [`${names}, whose ${kind} is ${current ?? 'missing'}.`];
}

/** The lead of an imported row must exist: an erasure deletes the row too. */
async function lookAtImportedRow(scope: OrganizationTable, key: PrimaryKey): Promise<string[]> {
  const [row, lead, erasure] = await readWith(scope.table, key, (read) =>
    leadKeys(scope, Number(read?.leadId)),
  );
  if (!row || lead || erasure) return []; // An erasure is reported by itself, and removes the row.
  return [
    `The imported row ${keyText(key)} became lead ${row.leadId} of organization ${scope.organizationId}, which is not there.`,
  ];
}

/**
 * The lead of an idempotency record must exist, and have the capture on its timeline: it is written with the record.
 * @param organizationId whose API key it is; undefined if no organization lists the key
 */
async function lookAtRecord(
  table: Table,
  key: PrimaryKey,
  { keyId }: Extract<ItemKind, { kind: 'idempotency' }>,
  organizationId: number | undefined,
): Promise<string[]> {
  const says = `The idempotency record ${keyText(key)}`;
  if (organizationId === undefined) {
    const [record] = await readTogether(table, [key]);
    return record ? [`${says} belongs to API key ${keyId}, which no organization lists.`] : [];
  }
  const scope = { table, organizationId };
  const [record, lead, erasure] = await readWith(table, key, (read) =>
    leadKeys(scope, read && recordedLead(read)),
  );
  if (!record) return [];
  const leadId = recordedLead(record);
  const issues = [...recordIssues(record)].map((issue) => `${says} ${issue}.`);
  if (typeof leadId !== 'number') return [...issues, `${says} names no lead.`];
  const names = `${says} names lead ${leadId} of organization ${organizationId}`;
  if (!lead) return erasure ? issues : [...issues, `${names}, which is not there.`];
  if (issues.length > 0 || isExpired(record)) return issues;
  const at = capturedAt(record);
  return (await isCaptured(scope, leadId, keyId, at))
    ? []
    : [
        `${names}, whose timeline has no capture by key ${keyId} at ${at}: delete the record, or look for the enquiry in a backup.`,
      ];
}

/** Whether a lead's timeline has a capture by this API key at this time. */
export async function isCaptured(
  scope: OrganizationTable,
  leadId: number,
  keyId: string,
  at: string,
): Promise<boolean> {
  const entries: readonly Item[] = await readTimelineItems(scope, leadId, at);
  return entries.some((entry) => isCapture(entry) && entry.keyId === keyId);
}
