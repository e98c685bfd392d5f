import { randomBytes } from 'node:crypto';
import { PutCommand, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Settings } from '../../organization/settings-types.ts';
import type { Table } from '../table/client.ts';
import { getItem, itemsOf } from '../table/get-item.ts';
import type { AuditEntryItem, KeptSettingsItem, Stored } from '../table/items.ts';
import {
  historyPartitionKey,
  type PrimaryKey,
  settingsVersionPrimaryKey,
} from '../table/primary-keys.ts';
import { putIfAbsent, type TransactItem } from '../table/transact.ts';

/**
 * What an administrator did to an organization. Entries are only added; the command that adds one may complete it when it ends.
 * An entry never contains personal data or an API key.
 */
export type AuditEntry = AuditEntryItem;

/** Who does what. */
export type AuditAction = Pick<AuditEntry, 'who' | 'what' | 'restoredTableId'>;

const auditEntryItem = (
  organizationId: number,
  entry: AuditEntry,
  id = `${entry.at}#${randomBytes(6).toString('hex')}`,
) => ({
  pk: historyPartitionKey(organizationId),
  sk: id,
  organizationId,
  ...entry,
});

/** Part of a transaction: adds an entry to the audit log. @param id its sort key, if it is to be that of another entry too */
export const auditEntryPut = (
  table: Table,
  organizationId: number,
  entry: AuditEntry,
  id?: string,
): TransactItem => putIfAbsent(table, auditEntryItem(organizationId, entry, id));

/** Adds an action to the audit log. One write. @returns the entry's key */
export async function addAuditEntry(
  table: Table,
  organizationId: number,
  action: AuditAction,
  now = new Date(),
): Promise<PrimaryKey> {
  const item = auditEntryItem(organizationId, { at: now.toISOString(), ...action });
  await table.client.send(new PutCommand({ TableName: table.name, Item: item }));
  return { pk: item.pk, sk: item.sk };
}

/** Replaces what an entry says, once the action that it announced is complete, and adds the time. One write. @throws Error if the entry does not exist */
export async function completeAuditEntry(
  table: Table,
  { pk, sk }: PrimaryKey,
  what: string,
): Promise<void> {
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { pk, sk },
      UpdateExpression: 'SET what = :what, endedAt = :now',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':what': what, ':now': new Date().toISOString() },
    }),
  );
}

/** Stores an entry whole, whether or not the table has it: a backup may lack an entry whose action it has. One write. */
export async function putAuditEntry(
  table: Table,
  organizationId: number,
  entry: AuditEntry,
  id: string,
): Promise<void> {
  const item = auditEntryItem(organizationId, entry, id);
  await table.client.send(new PutCommand({ TableName: table.name, Item: item }));
}

/** An erased lead, as the audit log has it. */
export interface LoggedErasure {
  /** The entry's sort key, which never changes. */
  readonly id: string;
  readonly leadId: number;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** The erased leads of an organization, each with its last erasure, in the order of their erasure. Reads the audit log once, consistently. */
export async function readErasures(
  table: Table,
  organizationId: number,
): Promise<Map<number, LoggedErasure>> {
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :history AND sk < :letters',
      FilterExpression: 'attribute_exists(erasedLeadId)',
      ExpressionAttributeValues: {
        ':history': historyPartitionKey(organizationId),
        ':letters': 'A',
      },
      ConsistentRead: true,
    },
  );
  const erasures = new Map<number, LoggedErasure>();
  for await (const { Items } of pages) {
    for (const { sk, at, erasedLeadId: leadId } of itemsOf<Stored<AuditEntryItem>>(Items)) {
      if (leadId === undefined) continue;
      erasures.delete(leadId);
      erasures.set(leadId, { id: sk, leadId, at });
    }
  }
  return erasures;
}

/** The newest entries of the audit log, newest first. Consistent. */
export async function readAuditLog(
  table: Table,
  organizationId: number,
  limit: number,
): Promise<AuditEntry[]> {
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      // The sort key of an entry begins with a year, that of kept settings with a letter.
      KeyConditionExpression: 'pk = :history AND sk < :letters',
      ExpressionAttributeValues: {
        ':history': historyPartitionKey(organizationId),
        ':letters': 'A',
      },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: Math.min(limit, 1000),
    },
  );
  const entries: AuditEntry[] = [];
  for await (const { Items } of pages) {
    entries.push(...itemsOf<AuditEntryItem>(Items).map(entryFrom));
    if (entries.length >= limit) break;
  }
  return entries.slice(0, limit);
}

function entryFrom(item: AuditEntryItem): AuditEntry {
  const {
    at,
    endedAt,
    who,
    what,
    versionBefore,
    versionAfter,
    isBetween,
    erasedLeadId,
    restoredTableId,
  } = item;
  return {
    at,
    ...(endedAt !== undefined && { endedAt }),
    who,
    what,
    ...(versionBefore !== undefined && { versionBefore }),
    ...(versionAfter !== undefined && { versionAfter }),
    ...(isBetween && { isBetween }),
    ...(erasedLeadId !== undefined && { erasedLeadId }),
    ...(restoredTableId !== undefined && { restoredTableId }),
  };
}

/** How many versions of an organization's settings are kept besides the current one. */
export const versionsKept = 20;

/** Part of a transaction: keeps settings that are being replaced, and deletes the oldest kept version. */
export function keepSettings(table: Table, settings: Settings, version: number): TransactItem[] {
  const { id: organizationId } = settings;
  const kept = {
    ...settingsVersionPrimaryKey(organizationId, version),
    organizationId,
    version,
    settings,
  };
  const tooOld = version - versionsKept;
  return [
    { Put: { TableName: table.name, Item: kept } },
    ...(tooOld > 0
      ? [
          {
            Delete: {
              TableName: table.name,
              Key: { ...settingsVersionPrimaryKey(organizationId, tooOld) },
            },
          },
        ]
      : []),
  ];
}

/** Settings that were replaced; undefined if they are no longer kept. One consistent read. */
export async function readKeptSettings(
  table: Table,
  organizationId: number,
  version: number,
): Promise<Settings | undefined> {
  return (await getItem(table, settingsVersionPrimaryKey(organizationId, version)))?.settings;
}

/** The versions that are kept, latest first. Eventually consistent; reads every kept version, half a read unit per 4 KB. */
export async function listKeptVersions(table: Table, organizationId: number): Promise<number[]> {
  const { pk, sk } = settingsVersionPrimaryKey(organizationId, 0);
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND sk >= :first',
      ExpressionAttributeValues: { ':pk': pk, ':first': sk },
      ProjectionExpression: '#version',
      ExpressionAttributeNames: { '#version': 'version' },
      ScanIndexForward: false,
    },
  );
  const versions: number[] = [];
  for await (const { Items } of pages)
    for (const { version } of itemsOf<KeptSettingsItem>(Items)) versions.push(version);
  return versions;
}

/** The versions that an undo may go back to, as far as the entries tell: those before a version, latest first, without intermediate ones. */
export function versionsBefore(entries: readonly AuditEntry[], version: number): number[] {
  const entryByVersion = new Map(
    entries.flatMap((entry) =>
      entry.versionAfter === undefined ? [] : [[entry.versionAfter, entry] as const],
    ),
  );
  const versions: number[] = [];
  for (let entry = entryByVersion.get(version); entry?.versionBefore !== undefined; ) {
    const before = entry.versionBefore;
    entry = entryByVersion.get(before);
    if (!entry?.isBetween) versions.push(before);
  }
  return versions;
}
