import { GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { damagedAttributes } from '../../leads/erasure/erasure.ts';
import { comparableEmail } from '../../leads/identity.ts';
import { type Lead, valueOf } from '../../leads/lead.ts';
import { type Organization, organizationFrom } from '../../organization/organization.ts';
import type { Settings } from '../../organization/settings-types.ts';
import type { Table } from '../table/client.ts';
import { named } from '../table/item-kind.ts';
import {
  emailPrimaryKey,
  leadPrimaryKey,
  type PrimaryKey,
  phonePrimaryKey,
  settingsPrimaryKey,
  timelinePartitionKey,
  usagePrimaryKey,
} from '../table/primary-keys.ts';
import { ContentionError, conflict, retryOnConflict } from '../table/retry.ts';
import { isStoredDateTime, leadIn, leadIssues } from './lead-issues.ts';
import { type Item, readTogether } from './read-together.ts';

/**
 * Each function reads again, in one transaction, what looked wrong, and gives the violations that are really there, as sentences.
 * What live traffic has changed meanwhile, or is changing, so is never reported.
 */
type Violations = Promise<string[]>;

/** Items that are written all the time are looked at this often, for `limits.conflictRetryMs` each, before the check gives up. */
const recheckAttemptsMax = 10;

async function untilStable<T>(operation: () => Promise<T | typeof conflict>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await retryOnConflict(operation);
    } catch (error) {
      if (!(error instanceof ContentionError) || attempt === recheckAttemptsMax) throw error;
    }
  }
}

export const readUntilStable = (table: Table, keys: readonly PrimaryKey[]): Promise<(Item | undefined)[]> =>
  untilStable(() => readTogether(table, keys));

export const organizationIn = (settingsItem: Item | undefined): Organization | undefined =>
  settingsItem && organizationFrom(settingsItem.settings as Settings, settingsItem.version as number);

type Identity = 'phone' | 'email';

/** A lead's phone or e-mail as it is compared; undefined for none, and for what cannot be one. */
export function identityOf(lead: Pick<Lead, 'fields'>, kind: Identity): string | undefined {
  const value = valueOf(lead.fields, kind);
  if (typeof value !== 'string' || value === '') return undefined;
  return kind === 'phone' ? value : comparableEmail(value);
}
const identityKey = (organizationId: number, kind: Identity, value: string): PrimaryKey =>
  kind === 'phone' ? phonePrimaryKey(organizationId, value) : emailPrimaryKey(organizationId, value);

/** A lead by itself, by the organization's settings and by its usage item. */
export async function recheckLead(table: Table, organizationId: number, leadId: number): Violations {
  const keys = [leadPrimaryKey(organizationId, leadId), settingsPrimaryKey(organizationId), usagePrimaryKey(organizationId)];
  const [item, settings, usage] = await readUntilStable(table, keys);
  if (!item) return [];
  return leadIssues(
    leadIn(organizationId, leadId, item),
    item,
    organizationIn(settings),
    usage?.lastLeadId as number | undefined,
  );
}

/** The items that a lead's phone and e-mail must have. What another item says wrongly of this lead is found at that item. */
export async function recheckIdentities(table: Table, organizationId: number, leadId: number): Violations {
  const leadKey = leadPrimaryKey(organizationId, leadId);
  return untilStable(async () => {
    const { Item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: { ...leadKey }, ConsistentRead: true }),
    );
    if (!Item) return [];
    const before = leadIn(organizationId, leadId, Item);
    const wanted = (['phone', 'email'] as const).flatMap((kind) => {
      const value = identityOf(before, kind);
      return value === undefined ? [] : [{ kind, value, key: identityKey(organizationId, kind, value) }];
    });
    const items = await readTogether(table, [leadKey, ...wanted.map(({ key }) => key)]);
    if (items === conflict) return conflict;
    const [now, ...identities] = items;
    if (!now) return [];
    const lead = leadIn(organizationId, leadId, now);
    if (wanted.some(({ kind, value }) => identityOf(lead, kind) !== value)) return conflict;
    const violations: string[] = [];
    for (const [index, { kind, value, key }] of wanted.entries()) {
      const holderId = identities[index]?.leadId;
      const whose = `Lead ${leadId} of organization ${organizationId}`;
      if (!identities[index]) violations.push(`${whose} has the ${kind} ${value}, but the item ${named(key)} is not there.`);
      else if (
        typeof holderId === 'number' &&
        holderId !== leadId &&
        (await shares(table, organizationId, holderId, kind, value))
      ) {
        violations.push(`${whose} has the ${kind} ${value}, and so has lead ${holderId}, which the item ${named(key)} names.`);
      }
    }
    return violations;
  });
}

async function shares(table: Table, organizationId: number, leadId: number, kind: Identity, value: string): Promise<boolean> {
  const [item] = await readUntilStable(table, [leadPrimaryKey(organizationId, leadId)]);
  return item !== undefined && identityOf(leadIn(organizationId, leadId, item), kind) === value;
}

/** The lead that an identity item names must be there and have the phone or e-mail. */
export async function recheckIdentityItem(
  table: Table,
  organizationId: number,
  kind: Identity,
  value: string,
  leadId: unknown,
): Violations {
  const key = identityKey(organizationId, kind, value);
  let asked = leadId;
  return untilStable(async () => {
    const items = await readTogether(table, typeof asked === 'number' ? [key, leadPrimaryKey(organizationId, asked)] : [key]);
    if (items === conflict) return conflict;
    const [identity, item] = items;
    if (!identity) return [];
    if (identity.leadId !== asked) {
      asked = identity.leadId;
      return conflict;
    }
    if (typeof asked !== 'number') return [`The item ${named(key)} names no lead.`];
    const names = `The item ${named(key)} names lead ${asked} of organization ${organizationId}`;
    if (!item) return [`${names}, which is not there.`];
    const held = identityOf(leadIn(organizationId, asked, item), kind);
    if (held === value) return [];
    return [held === undefined ? `${names}, which has no ${kind}.` : `${names}, whose ${kind} is ${held}.`];
  });
}

const openings = ['lead_created', 'captured_new'];
export const entryTypes = [...openings, 'captured', 'lead_updated', 'note_added', 'archived', 'restored'];
export const isOpening = (entry: Item): boolean => openings.includes(entry.type as string);

/** A lead has one opening entry. Entries are only ever added, the first with the lead, so a consistent read of them is proof. */
export async function recheckOpening(table: Table, organizationId: number, leadId: number): Violations {
  const found: string[] = [];
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
  for await (const { Items = [] } of pages) found.push(...Items.filter(isOpening).map(({ sk }) => String(sk)));
  if (found.length === 1) return [];
  const [lead] = await readUntilStable(table, [leadPrimaryKey(organizationId, leadId)]);
  if (!lead) return [];
  const has = found.length === 0 ? 'no opening entry' : `${found.length} opening entries`;
  const which = found.length === 0 ? `(${openings.join(' or ')})` : `(${found.join(', ')})`;
  return [
    `Lead ${leadId} of organization ${organizationId} has ${has} ${which} on its timeline ${timelinePartitionKey(organizationId, leadId)}.`,
  ];
}

/** What is wrong with an entry by itself; the lead apart. @param userIds undefined when the organization has no settings */
export function entryIssues(entry: Item, sk: string, userIds: ReadonlySet<number> | undefined): string[] {
  const { type, at, actorId } = entry;
  return [
    ...(entryTypes.includes(type as string)
      ? []
      : [`has the type ${JSON.stringify(type)}, which is none of ${entryTypes.join(', ')}`]),
    ...(isStoredDateTime(at) && sk.startsWith(`${at}#`)
      ? []
      : [`has the time ${JSON.stringify(at)}, which is not that of its key`]),
    ...(actorId === null || !userIds || userIds.has(actorId as number)
      ? []
      : [`was made by user ${JSON.stringify(actorId)}, whom the organization does not have`]),
    ...damagedAttributes(entry).map((name) => `has a damaged ${name}: an erasure wrote [erased] between its characters`),
  ];
}

/** An entry of a lead's timeline. */
export async function recheckEntry(table: Table, key: PrimaryKey, organizationId: number, leadId: number): Violations {
  const [entry, lead, settings] = await readUntilStable(table, [
    key,
    leadPrimaryKey(organizationId, leadId),
    settingsPrimaryKey(organizationId),
  ]);
  if (!entry) return [];
  if (!lead) return [`The timeline ${key.pk} has entries, but organization ${organizationId} has no lead ${leadId}.`];
  const organization = organizationIn(settings);
  const userIds = organization && new Set(organization.userById.keys());
  return entryIssues(entry, key.sk, userIds).map((issue) => `The timeline entry ${named(key)} ${issue}.`);
}

/** The lead that an idempotency record remembers. @param leadId as the record said when it was met */
export async function recheckRecord(table: Table, key: PrimaryKey, organizationId: number, leadId: unknown): Violations {
  let asked = leadId;
  return untilStable(async () => {
    const items = await readTogether(table, typeof asked === 'number' ? [key, leadPrimaryKey(organizationId, asked)] : [key]);
    if (items === conflict) return conflict;
    const [record, lead] = items;
    if (!record || lead) return [];
    const now = recordedLead(record);
    if (now !== asked) {
      asked = now;
      return conflict;
    }
    const remembers = `The idempotency record ${named(key)} remembers`;
    if (typeof asked !== 'number') return [`${remembers} no lead.`];
    return [`${remembers} lead ${asked} of organization ${organizationId}, which is not there.`];
  });
}

export const recordedLead = (record: Item): unknown => (record.result as Item | undefined)?.id;

/** The lead that an imported row has become must be there: an erasure takes the row with it. */
export async function recheckImportedRow(table: Table, key: PrimaryKey, organizationId: number): Violations {
  const [before] = await readUntilStable(table, [key]);
  if (!before) return [];
  const leadId = Number(before.leadId);
  const [row, lead] = await readUntilStable(table, [key, leadPrimaryKey(organizationId, leadId)]);
  if (!row || lead) return [];
  return [`The imported row ${named(key)} became lead ${before.leadId} of organization ${organizationId}, which is not there.`];
}

/** An erasure says so from its beginning to its end. */
export async function recheckErasure(table: Table, key: PrimaryKey, organizationId: number, leadId: number): Violations {
  const [erasure] = await readUntilStable(table, [key]);
  if (!erasure) return [];
  return [
    `The erasure of lead ${leadId} of organization ${organizationId} is under way or was broken off: lead erase --organization ${organizationId} --lead ${leadId} ends it.`,
  ];
}
