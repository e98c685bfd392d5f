import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '../../base/batches.ts';
import { TimelineReplay } from '../../leads/timeline-replay.ts';
import { readTimelineItems } from '../leads/timeline.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import type { Item, Stored, TimelineEntryItem } from '../table/items.ts';
import {
  erasurePrimaryKey,
  type ItemKind,
  keyText,
  kindOf,
  leadPrimaryKey,
  type PrimaryKey,
  settingsPrimaryKey,
  usagePrimaryKey,
} from '../table/primary-keys.ts';
import { readTogether, readWith } from '../table/read-together.ts';
import { type FindOptions, findSuspects, type Suspects } from './find-suspects.ts';
import { itemIssues, recordedLead } from './item-issues.ts';
import { leadIn } from './lead-issues.ts';
import { type Issue, identityKeysIn, LeadRules } from './lead-rules.ts';
import { lookAtKeyItem, lookAtListedKey, lookAtOrganization } from './look-at-organization.ts';

interface CheckOptions extends Pick<FindOptions, 'organizationId' | 'onProgress'> {
  /** How long to wait before a wrong item is read again. @default 2000 */
  readonly againAfterMs?: number;
}

interface CheckResult {
  readonly leads: number;
  /** One sentence each, sorted. */
  readonly violations: readonly string[];
}

const looksAtOnce = 8;

/**
 * Verifies every invariant of the table during live traffic. A suspect is read again together with the items that it must match, as of one
 * moment. If it is wrong, it is read once more two seconds later, and reported if it is still wrong.
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

/** Reads a suspect again, with everything that it must match. @returns a sentence for each violation */
export async function lookAt(
  table: Table,
  key: PrimaryKey,
  { organizationOfKey }: Pick<Suspects, 'organizationOfKey'>,
): Promise<string[]> {
  const kind = kindOf(key);
  const organizationId =
    kind?.kind === 'idempotency'
      ? organizationOfKey.get(kind.keyId)
      : kind && 'organizationId' in kind && kind.organizationId;
  if (kind && organizationId && leadKinds.includes(kind.kind))
    return lookAround({ table, organizationId }, key, kind);
  const [item] = await readTogether(table, [key]);
  const issues = item ? [...itemIssues(key, kind, item)] : [];
  if (item && kind?.kind === 'idempotency')
    issues.push(
      `The idempotency record ${keyText(key)} belongs to API key ${kind.keyId}, which no organization lists.`,
    );
  if (kind?.kind === 'apiKey') issues.push(...(await lookAtKeyItem(table, key)));
  if (kind?.kind === 'listing')
    issues.push(...(await lookAtListedKey({ ...kind, table }, kind.keyId)));
  if (kind?.kind === 'settings') issues.push(...(await lookAtOrganization({ ...kind, table })));
  return issues;
}

/** The kinds of items that are a lead or name one. */
const leadKinds = ['lead', 'phone', 'email', 'importedRow', 'idempotency'];

/** Reads an item with its lead and everything that the lead must match, as of one moment. */
async function lookAround(
  { table, organizationId }: OrganizationTable,
  key: PrimaryKey,
  kind: ItemKind,
): Promise<string[]> {
  let leadId = 0;
  let timeline: TimelineEntryItem[] = [];
  const [item, settings, usage, ...others] = await readWith(table, key, async (before) => {
    leadId = kind.kind === 'lead' ? kind.leadId : Number(recordedLead(before) ?? before?.leadId);
    timeline = await readTimelineItems({ table, organizationId }, leadId);
    return [
      settingsPrimaryKey(organizationId),
      usagePrimaryKey(organizationId),
      erasurePrimaryKey(organizationId, leadId),
      ...(kind.kind === 'lead'
        ? identityKeysIn(leadIn(organizationId, leadId, before ?? {}))
        : [leadPrimaryKey(organizationId, leadId)]),
    ];
  });
  const rules = new LeadRules(organizationId, { settings, usage }, (value) => value);
  const issues: Issue[] = [];
  const add = (candidate: Item | undefined): void => {
    const stored = candidate as Stored<Item> | undefined;
    const storedKind = stored && kindOf(stored);
    if (storedKind) issues.push(...rules.item(stored, storedKind));
  };
  if (kind.kind === 'lead') add(item);
  for (const other of others) add(other);
  const replay = new TimelineReplay<TimelineEntryItem>();
  for (const entry of timeline) {
    issues.push(...rules.entry(leadId, entry));
    replay.add(entry);
  }
  if (timeline.length > 0) issues.push(...rules.timeline(leadId, replay));
  if (kind.kind !== 'lead') add(item);
  issues.push(...rules.missing());
  // Reports only this item's issues: not everything that the other items must match was read.
  return issues.filter(([of]) => keyText(of) === keyText(key)).map(([, sentence]) => sentence);
}
