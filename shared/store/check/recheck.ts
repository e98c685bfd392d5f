import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Organization, organizationFrom } from '../../organization/organization.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import type { Item, SettingsItem } from '../table/items.ts';
import {
  erasurePrimaryKey,
  keyText,
  leadPrimaryKey,
  type PrimaryKey,
  settingsPrimaryKey,
  timelinePartitionKey,
  usagePrimaryKey,
} from '../table/primary-keys.ts';
import { isPositiveInteger, leadIn, leadIssues, ttlIssue } from './lead-issues.ts';
import { readUntilStable, readWithLead } from './read-together.ts';
import { captureIn, type RecordedCapture, recordIssues } from './records-check.ts';
import { futureIssues } from './times.ts';

/**
 * Each function reads again, in one transaction, what looked wrong, and returns the violations that remain, as sentences. What live
 * traffic has changed since, or is changing, is never reported.
 */
export type Violations = Promise<string[]>;

export function organizationIn(settingsItem: Item | undefined): Organization | undefined {
  if (!settingsItem) return undefined;
  const { settings, version } = settingsItem as SettingsItem;
  return organizationFrom(settings, version);
}

/** The last lead id that was assigned; undefined if the usage item does not say. */
export const lastLeadIdIn = (usageItem: Item | undefined): number | undefined =>
  typeof usageItem?.lastLeadId === 'number' ? usageItem.lastLeadId : undefined;

/** Checks a lead in itself, against the organization's settings and against its usage item. */
export async function recheckLead(
  { table, organizationId }: OrganizationTable,
  leadId: number,
): Violations {
  const keys = [
    leadPrimaryKey(organizationId, leadId),
    settingsPrimaryKey(organizationId),
    usagePrimaryKey(organizationId),
  ];
  const [item, settings, usage] = await readUntilStable(table, keys);
  if (!item) return [];
  return leadIssues(
    leadIn(organizationId, leadId, item),
    item,
    organizationIn(settings),
    lastLeadIdIn(usage),
  );
}

/**
 * The lead of an idempotency record must exist, and have the capture on its timeline: it is written with the record.
 * @param leadId as the record named it before
 */
export async function recheckRecord(
  own: OrganizationTable,
  key: PrimaryKey,
  keyId: string,
  leadId: unknown,
): Violations {
  const says = `The idempotency record ${keyText(key)}`;
  const source = { leadId, leadIdIn: recordedLead };
  const read = await readWithLead(own, key, source, (namedId, lead, record) => {
    const issues = recordIssues(record).map((issue) => `${says} ${issue}.`);
    if (typeof namedId !== 'number') return { issues: [...issues, `${says} names no lead.`] };
    const names = `${says} names lead ${namedId} of organization ${own.organizationId}`;
    if (!lead) return { issues: [...issues, `${names}, which is not there.`] };
    const capture = issues.length === 0 ? captureIn(record, keyId, namedId) : undefined;
    return { issues, names, capture };
  });
  if (!read?.capture || (await isOnTimeline(own, read.capture))) return read?.issues ?? [];
  return [
    `${read.names}, whose timeline has no capture by key ${keyId} at ${read.capture.at}: delete the record, or look for the enquiry in a backup.`,
  ];
}

async function isOnTimeline(
  { table, organizationId }: OrganizationTable,
  { leadId, keyId, at }: RecordedCapture,
): Promise<boolean> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :timeline AND begins_with(sk, :at)',
      ExpressionAttributeValues: {
        ':timeline': timelinePartitionKey(organizationId, leadId),
        ':at': `${at}#`,
      },
      ConsistentRead: true,
    }),
  );
  return Items.some(
    (entry) => entry.keyId === keyId && ['captured', 'captured_new'].includes(entry.type),
  );
}

export const recordedLead = ({ result }: Item): unknown =>
  typeof result === 'object' && result !== null && 'id' in result ? result.id : undefined;

/** The lead of an imported row must exist: an erasure deletes the row too. */
export async function recheckImportedRow(
  { table, organizationId }: OrganizationTable,
  key: PrimaryKey,
): Violations {
  const [before] = await readUntilStable(table, [key]);
  if (!before) return [];
  const leadId = Number(before.leadId);
  const [row, lead, erasure] = await readUntilStable(table, [
    key,
    leadPrimaryKey(organizationId, leadId),
    erasurePrimaryKey(organizationId, leadId),
  ]);
  if (!row || lead || erasure) return []; // An erasure is reported by itself, and removes the row.
  return [
    `The imported row ${keyText(key)} became lead ${before.leadId} of organization ${organizationId}, which is not there.`,
  ];
}

/** The item of an erasure exists until the erasure is complete. */
export async function recheckErasure(
  { table, organizationId }: OrganizationTable,
  key: PrimaryKey,
  leadId: number,
): Violations {
  const [erasure] = await readUntilStable(table, [key]);
  if (!erasure) return [];
  return [
    `The erasure of lead ${leadId} of organization ${organizationId} is in progress or was interrupted: npm run admin -- lead erase --organization ${organizationId} --lead ${leadId} completes it.`,
  ];
}

/** No item but an idempotency record may have a `ttl`, and none may be dated in the future. */
export async function recheckItem(table: Table, key: PrimaryKey): Violations {
  const [item] = await readUntilStable(table, [key]);
  return item ? itemIssues(item).map((issue) => `The item ${keyText(key)} ${issue}.`) : [];
}

/** What can be wrong with an item of any type but an idempotency record. */
export const itemIssues = ({ ttl, at, endedAt }: Item): string[] => [
  ...(ttl === undefined ? [] : [ttlIssue]),
  ...futureIssues({ at, endedAt }),
];

export async function recheckUnknown(table: Table, key: PrimaryKey): Violations {
  const [item] = await readUntilStable(table, [key]);
  return item ? [`The item ${keyText(key)} is of no type that the service knows.`] : [];
}

export async function recheckRotation(table: Table, key: PrimaryKey): Violations {
  const [counter] = await readUntilStable(table, [key]);
  if (!counter || isPositiveInteger(counter.turns)) return [];
  return [
    `The turn ${keyText(key)} has counted ${JSON.stringify(counter.turns)}, which must be a number of turns taken.`,
  ];
}

export async function recheckStrayRecord(table: Table, key: PrimaryKey, keyId: string): Violations {
  const [record] = await readUntilStable(table, [key]);
  return record
    ? [
        `The idempotency record ${keyText(key)} belongs to API key ${keyId}, which no organization lists.`,
      ]
    : [];
}
