import { readTimelineItems } from '../leads/timeline.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import type { ItemKind } from '../table/item-kind.ts';
import type { Item } from '../table/items.ts';
import {
  erasurePrimaryKey,
  keyText,
  leadPrimaryKey,
  type PrimaryKey,
} from '../table/primary-keys.ts';
import {
  type IdentityKind,
  identityOf,
  isPositiveInteger,
  leadIn,
  ttlIssue,
} from './lead-issues.ts';
import { readTogether, readWith } from './read-together.ts';
import { captureIn, recordIssues } from './records.ts';
import { futureIssues } from './times.ts';

/** Each function reads a suspect again, with the items that it refers to, and returns what is wrong, as sentences. */

/** The lead that a record or an identity item names, and the erasure of it, which removes the record. */
const leadKeys = ({ organizationId }: OrganizationTable, leadId: unknown): PrimaryKey[] =>
  typeof leadId === 'number'
    ? [leadPrimaryKey(organizationId, leadId), erasurePrimaryKey(organizationId, leadId)]
    : [];

/** The lead that an identity item names must exist and have the phone or email. */
export async function lookAtIdentity(
  own: OrganizationTable,
  key: PrimaryKey,
  { kind, value }: { readonly kind: IdentityKind; readonly value: string },
): Promise<string[]> {
  const { table, organizationId } = own;
  const [item, lead] = await readWith(table, key, (read) => leadKeys(own, read?.leadId));
  if (!item) return [];
  const { leadId } = item;
  if (typeof leadId !== 'number') return [`The item ${keyText(key)} names no lead.`];
  const names = `The item ${keyText(key)} names lead ${leadId} of organization ${organizationId}`;
  if (!lead) return [`${names}, which is not there.`];
  const current = identityOf(leadIn(organizationId, leadId, lead), kind);
  if (current === value) return [];
  return [
    current === undefined
      ? `${names}, which has no ${kind}.`
      : `${names}, whose ${kind} is ${current}.`,
  ];
}

/**
 * The lead of an idempotency record must exist, and have the capture on its timeline: it is written with the record.
 * @param organizationId whose API key it is; undefined if no organization lists the key
 */
export async function lookAtRecord(
  table: Table,
  key: PrimaryKey,
  keyId: string,
  organizationId: number | undefined,
): Promise<string[]> {
  const says = `The idempotency record ${keyText(key)}`;
  if (organizationId === undefined) {
    const [record] = await readTogether(table, [key]);
    return record ? [`${says} belongs to API key ${keyId}, which no organization lists.`] : [];
  }
  const own = { table, organizationId };
  const [record, lead, erasure] = await readWith(table, key, (read) =>
    leadKeys(own, read && recordedLead(read)),
  );
  if (!record) return [];
  const leadId = recordedLead(record);
  const issues = recordIssues(record).map((issue) => `${says} ${issue}.`);
  if (typeof leadId !== 'number') return [...issues, `${says} names no lead.`];
  const names = `${says} names lead ${leadId} of organization ${organizationId}`;
  if (!lead) return erasure ? issues : [...issues, `${names}, which is not there.`];
  const capture = issues.length === 0 ? captureIn(record, keyId, leadId) : undefined;
  if (!capture) return issues;
  const entries = await readTimelineItems(own, leadId, capture.at);
  const isOnTimeline = entries.some(
    (entry) =>
      (entry.type === 'captured' || entry.type === 'captured_new') && entry.keyId === keyId,
  );
  return isOnTimeline
    ? []
    : [
        `${names}, whose timeline has no capture by key ${keyId} at ${capture.at}: delete the record, or look for the enquiry in a backup.`,
      ];
}

export const recordedLead = ({ result }: Item): unknown =>
  typeof result === 'object' && result !== null && 'id' in result ? result.id : undefined;

/** The lead of an imported row must exist: an erasure deletes the row too. */
export async function lookAtImportedRow(
  own: OrganizationTable,
  key: PrimaryKey,
): Promise<string[]> {
  const [row, lead, erasure] = await readWith(own.table, key, (read) =>
    leadKeys(own, Number(read?.leadId)),
  );
  if (!row || lead || erasure) return []; // An erasure is reported by itself, and removes the row.
  return [
    `The imported row ${keyText(key)} became lead ${row.leadId} of organization ${own.organizationId}, which is not there.`,
  ];
}

/** What is wrong with an item of any type in itself. @param kind undefined for a key that the service never makes */
export async function lookAtItem(
  table: Table,
  key: PrimaryKey,
  kind: ItemKind | undefined,
): Promise<string[]> {
  const [item] = await readTogether(table, [key]);
  return item ? itemIssues(key, kind, item) : [];
}

/** Only an idempotency record may have a `ttl`, no item may be dated in the future, and an erasure's item is there until it is complete. */
export function itemIssues(key: PrimaryKey, kind: ItemKind | undefined, item: Item): string[] {
  if (!kind) return [`The item ${keyText(key)} is of no type that the service knows.`];
  const { ttl, at, endedAt, turns } = item;
  const inItself = [...(ttl === undefined ? [] : [ttlIssue]), ...futureIssues({ at, endedAt })];
  return [
    ...inItself.map((issue) => `The item ${keyText(key)} ${issue}.`),
    ...(kind.kind === 'erasure' ? [erasureIssue(kind)] : []),
    ...(kind.kind === 'turn' && !isPositiveInteger(turns)
      ? [
          `The turn ${keyText(key)} has counted ${JSON.stringify(turns)}, which must be a number of turns taken.`,
        ]
      : []),
  ];
}

const erasureIssue = ({ organizationId, leadId }: { organizationId: number; leadId: number }) =>
  `The erasure of lead ${leadId} of organization ${organizationId} is in progress or was interrupted: npm run admin -- lead erase --organization ${organizationId} --lead ${leadId} completes it.`;
