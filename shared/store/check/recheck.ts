import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { damagedAttributes } from '../../leads/erasure/erasure.ts';
import { comparableEmail } from '../../leads/identity.ts';
import { type Lead, valueOf } from '../../leads/lead.ts';
import { type Organization, organizationFrom } from '../../organization/organization.ts';
import type { OrganizationTable } from '../table/client.ts';
import { getItem } from '../table/get-item.ts';
import type { Item, SettingsItem } from '../table/items.ts';
import {
  emailPrimaryKey,
  keyText,
  leadPrimaryKey,
  type PrimaryKey,
  phonePrimaryKey,
  settingsPrimaryKey,
  timelinePartitionKey,
  usagePrimaryKey,
} from '../table/primary-keys.ts';
import { conflict } from '../table/retry.ts';
import { isStoredDateTime, leadIn, leadIssues } from './lead-issues.ts';
import { readTogether, readUntilStable, untilStable } from './read-together.ts';

/**
 * Each function reads again, in one transaction, what looked wrong, and returns the violations that remain, as sentences. What live
 * traffic has changed since, or is changing, is never reported.
 */
type Violations = Promise<string[]>;

export function organizationIn(settingsItem: Item | undefined): Organization | undefined {
  if (!settingsItem) return undefined;
  const { settings, version } = settingsItem as SettingsItem;
  return organizationFrom(settings, version);
}

/** The last lead id that was assigned; undefined if the usage item does not say. */
export const lastLeadIdIn = (usageItem: Item | undefined): number | undefined =>
  typeof usageItem?.lastLeadId === 'number' ? usageItem.lastLeadId : undefined;

type IdentityKind = 'phone' | 'email';

/** A lead's phone or email as it is compared; undefined if it has none, or the value is not a text. */
export function identityOf(lead: Pick<Lead, 'fields'>, kind: IdentityKind): string | undefined {
  const value = valueOf(lead.fields, kind);
  if (typeof value !== 'string' || value === '') return undefined;
  return kind === 'phone' ? value : comparableEmail(value);
}
const identityKey = (organizationId: number, kind: IdentityKind, value: string): PrimaryKey =>
  kind === 'phone' ? phonePrimaryKey(organizationId, value) : emailPrimaryKey(organizationId, value);

/** Checks a lead in itself, against the organization's settings and against its usage item. */
export async function recheckLead({ table, organizationId }: OrganizationTable, leadId: number): Violations {
  const keys = [leadPrimaryKey(organizationId, leadId), settingsPrimaryKey(organizationId), usagePrimaryKey(organizationId)];
  const [item, settings, usage] = await readUntilStable(table, keys);
  if (!item) return [];
  return leadIssues(leadIn(organizationId, leadId, item), item, organizationIn(settings), lastLeadIdIn(usage));
}

/** Checks the items of a lead's phone and email. An item that wrongly names this lead is found by `recheckIdentityItem`. */
export async function recheckIdentities(own: OrganizationTable, leadId: number): Violations {
  const { table, organizationId } = own;
  const leadKey = leadPrimaryKey(organizationId, leadId);
  return untilStable(async () => {
    const before = await getItem(table, leadKey);
    if (!before) return [];
    const identities = identitiesOf(leadIn(organizationId, leadId, before));
    const keys = identities.map(({ kind, value }) => identityKey(organizationId, kind, value));
    const items = await readTogether(table, [leadKey, ...keys]);
    if (items === conflict) return conflict;
    const [leadItem, ...identityItems] = items;
    if (!leadItem) return [];
    const lead = leadIn(organizationId, leadId, leadItem);
    if (identities.some(({ kind, value }) => identityOf(lead, kind) !== value)) return conflict;
    const issues = identities.map((identity, index) => identityIssue(own, leadId, identity, identityItems[index]));
    return (await Promise.all(issues)).filter((issue) => issue !== undefined);
  });
}

/** A phone or email as it is compared. */
interface Identity {
  readonly kind: IdentityKind;
  readonly value: string;
}

const identitiesOf = (lead: Lead): Identity[] =>
  (['phone', 'email'] as const).flatMap((kind) => {
    const value = identityOf(lead, kind);
    return value === undefined ? [] : [{ kind, value }];
  });

async function identityIssue(
  own: OrganizationTable,
  leadId: number,
  identity: Identity,
  item: Item | undefined,
): Promise<string | undefined> {
  const { kind, value } = identity;
  const key = keyText(identityKey(own.organizationId, kind, value));
  const has = `Lead ${leadId} of organization ${own.organizationId} has the ${kind} ${value}`;
  if (!item) return `${has}, but the item ${key} is not there.`;
  const holderId = item.leadId;
  const isShared = typeof holderId === 'number' && holderId !== leadId && (await hasIdentity(own, holderId, identity));
  return isShared ? `${has}, and so has lead ${holderId}, which the item ${key} names.` : undefined;
}

async function hasIdentity({ table, organizationId }: OrganizationTable, leadId: number, identity: Identity): Promise<boolean> {
  const [item] = await readUntilStable(table, [leadPrimaryKey(organizationId, leadId)]);
  return item !== undefined && identityOf(leadIn(organizationId, leadId, item), identity.kind) === identity.value;
}

/** Reads an item together with the lead that it names, until both are of one moment. @param leadId as the item named it before */
async function readWithLead<T>(
  { table, organizationId }: OrganizationTable,
  key: PrimaryKey,
  { leadId, leadIdIn }: { readonly leadId: unknown; readonly leadIdIn: (item: Item) => unknown },
  report: (leadId: unknown, lead: Item | undefined) => T,
): Promise<T | undefined> {
  let expectedId = leadId;
  return untilStable(async () => {
    const leadKeys = typeof expectedId === 'number' ? [leadPrimaryKey(organizationId, expectedId)] : [];
    const items = await readTogether(table, [key, ...leadKeys]);
    if (items === conflict) return conflict;
    const [item, lead] = items;
    if (!item) return undefined;
    if (leadIdIn(item) === expectedId) return report(expectedId, lead);
    expectedId = leadIdIn(item);
    return conflict;
  });
}

/** The lead that an identity item names must exist and have the phone or email. @param leadId as the item named it before */
export async function recheckIdentityItem(own: OrganizationTable, { kind, value }: Identity, leadId: unknown): Violations {
  const { organizationId } = own;
  const key = identityKey(organizationId, kind, value);
  const source = { leadId, leadIdIn: (item: Item) => item.leadId };
  const violations = await readWithLead(own, key, source, (namedId, item) => {
    if (typeof namedId !== 'number') return [`The item ${keyText(key)} names no lead.`];
    const names = `The item ${keyText(key)} names lead ${namedId} of organization ${organizationId}`;
    if (!item) return [`${names}, which is not there.`];
    const current = identityOf(leadIn(organizationId, namedId, item), kind);
    if (current === value) return [];
    return [current === undefined ? `${names}, which has no ${kind}.` : `${names}, whose ${kind} is ${current}.`];
  });
  return violations ?? [];
}

const openings = ['lead_created', 'captured_new'];
export const entryTypes = [...openings, 'captured', 'lead_updated', 'note_added', 'archived', 'restored'];
export const isOpening = ({ type }: Item): boolean => typeof type === 'string' && openings.includes(type);

/** A lead must have one opening entry. Entries are only added, the first one with the lead, so one consistent read proves it. */
export async function recheckOpening({ table, organizationId }: OrganizationTable, leadId: number): Violations {
  const sortKeys: string[] = [];
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :timeline',
      ProjectionExpression: 'sk, #type',
      ExpressionAttributeNames: { '#type': 'type' },
      ExpressionAttributeValues: { ':timeline': timelinePartitionKey(organizationId, leadId) },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [] } of pages) sortKeys.push(...Items.filter(isOpening).map(({ sk }) => String(sk)));
  if (sortKeys.length === 1) return [];
  const [lead] = await readUntilStable(table, [leadPrimaryKey(organizationId, leadId)]);
  if (!lead) return [];
  const has = sortKeys.length === 0 ? 'no opening entry' : `${sortKeys.length} opening entries`;
  const which = sortKeys.length === 0 ? `(${openings.join(' or ')})` : `(${sortKeys.join(', ')})`;
  return [
    `Lead ${leadId} of organization ${organizationId} has ${has} ${which} on its timeline ${timelinePartitionKey(organizationId, leadId)}.`,
  ];
}

/** What is wrong with an entry in itself. @param userIds undefined if the organization has no settings */
export function entryIssues(entry: Item, sk: string, userIds: ReadonlySet<number> | undefined): string[] {
  const { type, at, actorId } = entry;
  return [
    ...(typeof type === 'string' && entryTypes.includes(type)
      ? []
      : [`has the type ${JSON.stringify(type)}, which is none of ${entryTypes.join(', ')}`]),
    ...(isStoredDateTime(at) && sk.startsWith(`${at}#`)
      ? []
      : [`has the time ${JSON.stringify(at)}, which is not that of its key`]),
    ...(actorId === null || !userIds || (typeof actorId === 'number' && userIds.has(actorId))
      ? []
      : [`was made by user ${JSON.stringify(actorId)}, whom the organization does not have`]),
    ...damagedAttributes(entry).map((name) => `has a damaged ${name}: an erasure wrote [erased] between its characters`),
  ];
}

export async function recheckEntry({ table, organizationId }: OrganizationTable, key: PrimaryKey, leadId: number): Violations {
  const [entry, lead, settings] = await readUntilStable(table, [
    key,
    leadPrimaryKey(organizationId, leadId),
    settingsPrimaryKey(organizationId),
  ]);
  if (!entry) return [];
  if (!lead) return [`The timeline ${key.pk} has entries, but organization ${organizationId} has no lead ${leadId}.`];
  const organization = organizationIn(settings);
  const userIds = organization && new Set(organization.userById.keys());
  return entryIssues(entry, key.sk, userIds).map((issue) => `The timeline entry ${keyText(key)} ${issue}.`);
}

/** The lead of an idempotency record must exist. @param leadId as the record named it before */
export async function recheckRecord(own: OrganizationTable, key: PrimaryKey, leadId: unknown): Violations {
  const violations = await readWithLead(own, key, { leadId, leadIdIn: recordedLead }, (namedId, lead) => {
    if (lead) return [];
    const names = `The idempotency record ${keyText(key)} names`;
    if (typeof namedId !== 'number') return [`${names} no lead.`];
    return [`${names} lead ${namedId} of organization ${own.organizationId}, which is not there.`];
  });
  return violations ?? [];
}

export const recordedLead = ({ result }: Item): unknown =>
  typeof result === 'object' && result !== null && 'id' in result ? result.id : undefined;

/** The lead of an imported row must exist: an erasure deletes the row too. */
export async function recheckImportedRow({ table, organizationId }: OrganizationTable, key: PrimaryKey): Violations {
  const [before] = await readUntilStable(table, [key]);
  if (!before) return [];
  const leadId = Number(before.leadId);
  const [row, lead] = await readUntilStable(table, [key, leadPrimaryKey(organizationId, leadId)]);
  if (!row || lead) return [];
  return [`The imported row ${keyText(key)} became lead ${before.leadId} of organization ${organizationId}, which is not there.`];
}

/** The item of an erasure exists until the erasure is complete. */
export async function recheckErasure({ table, organizationId }: OrganizationTable, key: PrimaryKey, leadId: number): Violations {
  const [erasure] = await readUntilStable(table, [key]);
  if (!erasure) return [];
  return [
    `The erasure of lead ${leadId} of organization ${organizationId} is in progress or was interrupted: lead erase --organization ${organizationId} --lead ${leadId} completes it.`,
  ];
}
