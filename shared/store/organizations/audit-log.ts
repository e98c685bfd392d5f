import { randomBytes } from 'node:crypto';
import { GetCommand, PutCommand, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Settings } from '../../organization/settings-types.ts';
import type { Table } from '../table/client.ts';
import { historyPartitionKey, type PrimaryKey, settingsVersionPrimaryKey } from '../table/primary-keys.ts';
import { putIfAbsent, type TransactItem } from '../table/transact.ts';

/** What an administrator did to an organization. Entries are only ever added, and completed at the end by who
 * added them at the beginning. Never a person's data, never a key. */
export interface AuditEntry {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** AWS identity, or the user of the machine. */
  readonly who: string;
  /** The command, such as `organization apply`. */
  readonly what: string;
  /** Of settings: the versions before and after. */
  readonly versionBefore?: number;
  readonly versionAfter?: number;
  /** On the way to settings that drop something, or back from there: no version that anybody asked for. */
  readonly isBetween?: true;
  /** Of an erasure, written with it: the lead that is gone. Entries of earlier versions name it only in `what`. */
  readonly erasedLeadId?: number;
  /** Of a finished restore: which table this was, since a name can be given to another table. */
  readonly restoredTableId?: string;
}

/** Who does it and what, as the history says it. */
export type AuditAction = Pick<AuditEntry, 'who' | 'what' | 'restoredTableId'>;

const itemOf = (organizationId: number, entry: AuditEntry) => ({
  pk: historyPartitionKey(organizationId),
  sk: `${entry.at}#${randomBytes(6).toString('hex')}`,
  organizationId,
  ...entry,
});

/** Part of a transaction: an entry of the history. */
export const auditEntryPut = (table: Table, organizationId: number, entry: AuditEntry): TransactItem =>
  putIfAbsent(table, itemOf(organizationId, entry));

/** Adds what was done to the history. One write. @returns where the entry lies */
export async function addAuditEntry(
  table: Table,
  organizationId: number,
  action: AuditAction,
  now = new Date(),
): Promise<PrimaryKey> {
  const item = itemOf(organizationId, { at: now.toISOString(), ...action });
  await table.client.send(new PutCommand({ TableName: table.name, Item: item }));
  return { pk: item.pk, sk: item.sk };
}

/** Completes the entry of what had begun when it was added. One write. @throws when the entry is gone */
export async function completeInHistory(table: Table, entry: PrimaryKey, what: string): Promise<void> {
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { ...entry },
      UpdateExpression: 'SET what = :what',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':what': what },
    }),
  );
}

/** The history, newest first, at most so many entries. Consistent. */
export async function readAuditLog(table: Table, organizationId: number, limit: number): Promise<AuditEntry[]> {
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      // Entries begin with a year, kept settings with a letter.
      KeyConditionExpression: 'pk = :history AND sk < :letters',
      ExpressionAttributeValues: { ':history': historyPartitionKey(organizationId), ':letters': 'A' },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: Math.min(limit, 1000),
    },
  );
  const entries: AuditEntry[] = [];
  for await (const { Items = [] } of pages) {
    entries.push(...Items.map(entryFrom));
    if (entries.length >= limit) break;
  }
  return entries.slice(0, limit);
}

function entryFrom(item: Readonly<Record<string, unknown>>): AuditEntry {
  const { at, who, what, versionBefore, versionAfter, isBetween, erasedLeadId, restoredTableId } = item;
  const inText = /^lead erase (\d+)$/.exec(String(what))?.[1];
  const leadId = typeof erasedLeadId === 'number' ? erasedLeadId : inText && Number(inText);
  return {
    at: String(at),
    who: String(who),
    what: String(what),
    ...(typeof versionBefore === 'number' && { versionBefore }),
    ...(typeof versionAfter === 'number' && { versionAfter }),
    ...(isBetween === true && { isBetween }),
    ...(typeof leadId === 'number' && { erasedLeadId: leadId }),
    ...(typeof restoredTableId === 'string' && { restoredTableId }),
  };
}

/** Versions of an organization's settings that are kept besides the one that holds. */
export const versionsKept = 20;

/** Part of a transaction: settings that are replaced are kept, and the oldest kept ones go. */
export function keepSettings(table: Table, settings: Settings, version: number): TransactItem[] {
  const { id: organizationId } = settings;
  const kept = { ...settingsVersionPrimaryKey(organizationId, version), organizationId, version, settings };
  const tooOld = version - versionsKept;
  return [
    { Put: { TableName: table.name, Item: kept } },
    ...(tooOld > 0 ? [{ Delete: { TableName: table.name, Key: { ...settingsVersionPrimaryKey(organizationId, tooOld) } } }] : []),
  ];
}

/** Settings that were replaced; undefined when they are no longer kept. One consistent read. */
export async function readKeptSettings(table: Table, organizationId: number, version: number): Promise<Settings | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({
      TableName: table.name,
      Key: { ...settingsVersionPrimaryKey(organizationId, version) },
      ConsistentRead: true,
    }),
  );
  return Item?.settings as Settings | undefined;
}

/** The versions before one, latest first, steps in between left out: what an undo may go back to. As far as the history says. */
export function versionsBefore(history: readonly AuditEntry[], version: number): number[] {
  const into = new Map(
    history.flatMap((entry) => (entry.versionAfter === undefined ? [] : [[entry.versionAfter, entry] as const])),
  );
  const versions: number[] = [];
  for (let entry = into.get(version); entry?.versionBefore !== undefined; ) {
    const before = entry.versionBefore;
    entry = into.get(before);
    if (!entry?.isBetween) versions.push(before);
  }
  return versions;
}
