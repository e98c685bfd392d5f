import { randomBytes } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Settings, settingsFrom } from '../../organization/organization.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import { getItem } from '../table/get-item.ts';
import type { AuditEntryItem, Stored } from '../table/items.ts';
import { type PartitionQuery, queryPages } from '../table/many-items.ts';
import {
  historyPartitionKey,
  keyOf,
  type PrimaryKey,
  settingsVersionPrimaryKey,
} from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { deletion, put, putIfAbsent, type Write, writeItem } from '../table/writes.ts';

/**
 * An administrator's action on an organization, as it is printed. Entries are never deleted or changed; only the command that added one may
 * complete it when it ends. An entry never contains personal data or an API key.
 */
export type AuditEntry = Omit<AuditEntryItem, 'state' | 'leadIds' | 'cleanedLeadIds'>;

/** Who does what, without the time. */
export type AuditAction = Pick<AuditEntryItem, 'who' | 'what' | 'restoredTableId'>;

/** A new entry. Its time is now, unless it already has one. */
type NewAuditEntry = AuditAction & Partial<AuditEntryItem>;

function auditEntryItem(organizationId: number, entry: NewAuditEntry, id?: string) {
  const { at = new Date().toISOString() } = entry;
  const sk = id ?? `${at}#${randomBytes(6).toString('hex')}`;
  return { pk: historyPartitionKey(organizationId), sk, organizationId, ...entry, at };
}

/** Part of a transaction: adds an entry to the audit log. @param id its sort key, if it shares one with a timeline entry */
export const auditEntryPut = (organizationId: number, entry: NewAuditEntry, id?: string): Write =>
  putIfAbsent(auditEntryItem(organizationId, entry, id));

/**
 * Adds an entry to the audit log, or overwrites the entry with this ID. A restored backup may have a change without its entry. One write.
 * @returns the entry's key
 */
export async function addAuditEntry(
  table: Table,
  organizationId: number,
  entry: NewAuditEntry,
  id?: string,
): Promise<PrimaryKey> {
  const item = auditEntryItem(organizationId, entry, id);
  await writeItem(table, put(item));
  return keyOf(item);
}

/**
 * Completes an entry when its action has ended: replaces what it says, and adds the time. One write.
 * @throws Error if the entry does not exist
 */
export async function completeAuditEntry(
  table: Table,
  { pk, sk }: PrimaryKey,
  what: string,
): Promise<void> {
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { pk, sk },
      UpdateExpression: 'SET what = :what, #state = :finished, endedAt = :now',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: {
        ':what': what,
        ':finished': 'finished',
        ':now': new Date().toISOString(),
      },
    }),
  );
}

/** The most cleaned leads that an entry names. A help desk's phone can be in every lead's timeline. */
const cleanedLeadsMax = 1000;

/**
 * Completes an erasure's entry, even if a restored backup lacks it. If another process has completed it, adds the leads that this one
 * cleaned. One read and one write.
 * @param entry the final version, without the leads
 */
export async function completeErasureEntry(
  { table, organizationId }: OrganizationTable,
  id: string,
  entry: AuditEntryItem,
  cleanedLeads: ReadonlySet<number>,
): Promise<void> {
  const key: PrimaryKey<AuditEntryItem> = { pk: historyPartitionKey(organizationId), sk: id };
  await retryOnConflict(async () => {
    const { endedAt = null, cleanedLeadIds = [] } = (await getItem(table, key)) ?? {};
    // One more than the maximum marks an incomplete list, even if another process adds to it.
    const all = [...new Set([...cleanedLeadIds, ...cleanedLeads])];
    const ended = {
      ...{ ...entry, endedAt: new Date().toISOString() },
      ...(entry.cleanedLeadIds && { cleanedLeadIds: all.slice(0, cleanedLeadsMax + 1) }),
    };
    const completed = put(auditEntryItem(organizationId, ended, id), {
      ConditionExpression: 'attribute_not_exists(endedAt) OR endedAt = :before',
      ExpressionAttributeValues: { ':before': endedAt },
    });
    return (await writeItem(table, completed)) ? undefined : conflict;
  });
}

/** The entries, oldest first. An entry's sort key begins with a year, and that of kept settings with a letter. Consistent reads. */
const entryPages = (table: Table, organizationId: number, query: PartitionQuery) =>
  queryPages<Stored<AuditEntryItem & { readonly organizationId: number }>>(
    table,
    historyPartitionKey(organizationId),
    {
      sortKey: 'sk < :letters',
      ExpressionAttributeValues: { ':letters': 'A' },
      ...query,
    },
  );

/** An erased lead, as the audit log has it. */
export interface LoggedErasure {
  /** The entry's sort key, which never changes. */
  readonly id: string;
  readonly leadId: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The other leads from whose timelines the person was removed; undefined until the erasure is complete, or if they are unknown. */
  readonly cleanedLeadIds: readonly number[] | undefined;
}

/**
 * The erasures of an organization's leads, oldest first. There can be several for one ID, if an erased lead was created again. Reads the
 * audit log once.
 */
export async function readErasures(table: Table, organizationId: number): Promise<LoggedErasure[]> {
  const erasures: LoggedErasure[] = [];
  const filter = { FilterExpression: 'attribute_exists(erasedLeadId)' };
  for await (const entries of entryPages(table, organizationId, filter))
    for (const { sk: id, at, erasedLeadId: leadId, cleanedLeadIds } of entries)
      if (leadId !== undefined) {
        const isKnown = cleanedLeadIds && cleanedLeadIds.length <= cleanedLeadsMax;
        erasures.push({ id, leadId, at, cleanedLeadIds: isKnown ? cleanedLeadIds : undefined });
      }
  return erasures;
}

interface AuditLogPart {
  /** The most entries to read. */
  readonly limit?: number;
  /** Reads only the entries that name this lead. */
  readonly leadId?: number;
}

/** The newest entries of the audit log, newest first. Until a long command ends, its entry says only that it has started. */
export async function readAuditLog(
  table: Table,
  organizationId: number,
  { limit = Number.POSITIVE_INFINITY, leadId }: AuditLogPart = {},
): Promise<AuditEntry[]> {
  const newestFirst = { ScanIndexForward: false, Limit: Math.min(limit, 1000) };
  const entries: AuditEntry[] = [];
  for await (const page of entryPages(table, organizationId, newestFirst)) {
    for (const item of page) {
      const { pk: _, sk: __, organizationId: ___, cleanedLeadIds: ____, ...logged } = item;
      const { state, leadIds, what, ...entry } = logged;
      if (leadId === undefined || leadIds?.includes(leadId))
        entries.push({ ...entry, what: state === 'started' ? `${what} begun` : what });
    }
    if (entries.length >= limit) break;
  }
  return entries.slice(0, limit);
}

/** How many earlier versions of an organization's settings are kept. */
export const versionsKept = 20;

/** Part of a transaction: keeps settings that are being replaced, and deletes the oldest kept version. */
export function keepSettings(settings: Settings, version: number): Write[] {
  const { id: organizationId } = settings;
  const keyOfVersion = (of: number) => settingsVersionPrimaryKey(organizationId, of);
  const kept = { ...keyOfVersion(version), organizationId, version, settings };
  const tooOld = version - versionsKept;
  return [put(kept), ...(tooOld > 0 ? [deletion(keyOfVersion(tooOld))] : [])];
}

/** Replaced settings of a version; undefined if they are no longer kept. One consistent read. */
export async function readKeptSettings(
  table: Table,
  organizationId: number,
  version: number,
): Promise<Settings | undefined> {
  const kept = await getItem(table, settingsVersionPrimaryKey(organizationId, version));
  return kept && settingsFrom(kept.settings);
}

/** The versions to which an undo can go back, according to the entries: all before `version`, latest first, except intermediate ones. */
export function versionsBefore(entries: readonly AuditEntry[], version: number): number[] {
  const between = new Set(entries.flatMap((entry) => (entry.isBetween ? entry.versionAfter : [])));
  return entries
    .flatMap(({ versionBefore = version }) => versionBefore)
    .filter((before) => before < version && !between.has(before))
    .toSorted((a, b) => b - a);
}
