import { BatchWriteCommand, DeleteCommand, GetCommand, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import {
  type Identities,
  identitiesIn,
  identitiesOf,
  identityPatternOf,
  joinedIdentities,
  wholeIdentities,
} from '../../leads/erasure/erasure.ts';
import { emailOf, type Lead, phoneOf } from '../../leads/lead.ts';
import type { TimelineEntry } from '../../leads/timeline.ts';
import { deleteEmail, deletePhone } from '../leads/identities.ts';
import { readLead } from '../leads/leads.ts';
import { readTimeline } from '../leads/timeline.ts';
import { auditEntryPut } from '../organizations/audit-log.ts';
import { batchGet } from '../table/batch-get.ts';
import type { Table } from '../table/client.ts';
import {
  emailPrimaryKey,
  erasurePrimaryKey,
  leadPrimaryKey,
  type PrimaryKey,
  phonePrimaryKey,
  timelinePartitionKey,
} from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { type TransactItem, transact } from '../table/transact.ts';
import { type RelatedItems, removeRelatedItems } from './erase-related-items.ts';

export interface EraseOptions {
  /** Who erases, as the organization's history names them. */
  readonly who: string;
  /** What the erasure is a part of, such as a restore. */
  readonly partOf?: string;
  readonly onProgress?: EraseProgress | undefined;
}

/** Told how many items have been read. */
type EraseProgress = (itemsRead: number) => void;

export interface Erased extends RelatedItems {
  /** Entries of the lead's own timeline. */
  readonly timelineEntries: number;
}

/**
 * Removes a lead and every trace of the person: the lead with its identity items, its timeline, the idempotency records and imported rows
 * that point at it, and the person's phones and emails on other leads' timelines. Reads the whole table once.
 *
 * The lead and its identity items go first, in one transaction that leaves an item saying what is still to be removed, and an entry in the
 * organization's history: from then on no request can add anything to the lead, a capture of the same person makes a new one, and a repeat,
 * after a kill too, goes on.
 * @returns undefined when there is no such lead, nor an erasure of it under way
 * @throws StillContended
 */
export async function eraseLead(
  table: Table,
  organizationId: number,
  leadId: number,
  options: EraseOptions,
): Promise<Erased | undefined> {
  const begun = await takeLeadAway(table, organizationId, leadId, options);
  if (!begun) return undefined;
  const { person } = await personOf(table, organizationId, leadId, begun);
  await rememberPerson(table, organizationId, leadId, person);
  const relatedItems = await removeRelatedItems(table, {
    organizationId,
    leadId,
    traces: identityPatternOf(person),
    isDryRun: false,
    onProgress: options.onProgress ?? (() => undefined),
  });
  const timelineEntries = await removeTimeline(table, organizationId, leadId);
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: { ...erasurePrimaryKey(organizationId, leadId) } }));
  return { ...relatedItems, timelineEntries };
}

/** What `eraseLead` would do now. Reads the whole table once, and writes nothing. */
export async function planErasure(
  table: Table,
  organizationId: number,
  leadId: number,
  onProgress: EraseProgress = () => undefined,
): Promise<Erased | undefined> {
  const { lead, begun } = await readErasure(table, organizationId, leadId);
  if (!lead && !begun) return undefined;
  const known = joinedIdentities(lead ? identitiesOf(lead) : nobody, begun ?? nobody);
  const { person, entries } = await personOf(table, organizationId, leadId, known);
  const pattern = identityPatternOf(person);
  const relatedItems = await removeRelatedItems(table, { organizationId, leadId, traces: pattern, isDryRun: true, onProgress });
  return { ...relatedItems, timelineEntries: entries.length };
}

const nobody: Identities = { phones: [], emails: [] };

/** The lead, and the person as an erasure that is under way knows them. */
async function readErasure(
  table: Table,
  organizationId: number,
  leadId: number,
): Promise<{ lead: Lead | undefined; begun: Identities | undefined }> {
  const lead = await readLead(table, organizationId, leadId);
  const Key = { ...erasurePrimaryKey(organizationId, leadId) };
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key, ConsistentRead: true }));
  // An earlier version may have remembered what identifies nobody.
  const begun = Item && wholeIdentities({ phones: Item.phones as string[], emails: Item.emails as string[] });
  return { lead, begun };
}

/** The person's identities, those on the lead's timeline too, and that timeline. */
async function personOf(
  table: Table,
  organizationId: number,
  leadId: number,
  known: Identities,
): Promise<{ person: Identities; entries: readonly TimelineEntry[] }> {
  const entries = await readTimeline(table, organizationId, leadId);
  const others = await notHeldByAnother(table, organizationId, leadId, identitiesIn(entries));
  return { person: joinedIdentities(known, others), entries };
}

/** The person's identities, as the erasure that is under way now knows them. */
async function takeLeadAway(
  table: Table,
  organizationId: number,
  leadId: number,
  { who, partOf }: EraseOptions,
): Promise<Identities | undefined> {
  const what = `${partOf === undefined ? '' : `${partOf}: `}lead erase ${leadId}`;
  return retryOnConflict(async () => {
    const { lead, begun } = await readErasure(table, organizationId, leadId);
    if (!lead) return begun;
    const person = joinedIdentities(identitiesOf(lead), begun ?? nobody);
    const email = emailOf(lead);
    const entry = { at: new Date().toISOString(), who, what, erasedLeadId: leadId };
    const { outcome } = await transact(table, [
      deleteLead(table, lead),
      deletePhone(table, lead, phoneOf(lead)),
      ...(email === null ? [] : [deleteEmail(table, lead, email)]),
      {
        Put: { TableName: table.name, Item: { ...erasurePrimaryKey(organizationId, leadId), organizationId, leadId, ...person } },
      },
      auditEntryPut(table, organizationId, entry),
    ]);
    return outcome === 'written' ? person : conflict;
  });
}

/** Part of a transaction: the lead goes, if it is still as it was read. */
const deleteLead = (table: Table, { organizationId, id, version }: Lead): TransactItem => ({
  Delete: {
    TableName: table.name,
    Key: { ...leadPrimaryKey(organizationId, id) },
    ConditionExpression: '#version = :read',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':read': version },
  },
});

/** Found by the lead's timeline, which goes before the erasure ends. */
async function rememberPerson(table: Table, organizationId: number, leadId: number, { phones, emails }: Identities) {
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: erasurePrimaryKey(organizationId, leadId),
      UpdateExpression: 'SET phones = :phones, emails = :emails',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':phones': phones, ':emails': emails },
    }),
  );
}

/** The most keys of one `BatchGetItem`. */
const batchMax = 100;

/** A phone or e-mail that another lead has now is that lead's, whoever sent it once. */
async function notHeldByAnother(
  table: Table,
  organizationId: number,
  leadId: number,
  { phones, emails }: Identities,
): Promise<Identities> {
  const isFree = async (keys: readonly PrimaryKey[]): Promise<boolean[]> => {
    const free: boolean[] = [];
    for (let at = 0; at < keys.length; at += batchMax) {
      const items = await batchGet(table, keys.slice(at, at + batchMax));
      free.push(...items.map((item) => item === undefined || item.leadId === leadId));
    }
    return free;
  };
  const [freePhones, freeEmails] = await Promise.all([
    isFree(phones.map((phone) => phonePrimaryKey(organizationId, phone))),
    isFree(emails.map((email) => emailPrimaryKey(organizationId, email))),
  ]);
  return { phones: phones.filter((_, at) => freePhones[at]), emails: emails.filter((_, at) => freeEmails[at]) };
}

const deletesMax = 25;

async function removeTimeline(table: Table, organizationId: number, leadId: number): Promise<number> {
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :timeline',
      ExpressionAttributeValues: { ':timeline': timelinePartitionKey(organizationId, leadId) },
      ProjectionExpression: 'pk, sk',
      ConsistentRead: true,
    },
  );
  let removed = 0;
  for await (const { Items = [] } of pages) {
    for (let at = 0; at < Items.length; at += deletesMax) await deleteAll(table, Items.slice(at, at + deletesMax));
    removed += Items.length;
  }
  return removed;
}

/** DynamoDB answers 200 with what it did not come to. */
async function deleteAll(table: Table, keys: readonly Record<string, unknown>[]): Promise<void> {
  let left = keys.map((Key) => ({ DeleteRequest: { Key } }));
  await retryOnConflict(async () => {
    const { UnprocessedItems } = await table.client.send(new BatchWriteCommand({ RequestItems: { [table.name]: left } }));
    left = (UnprocessedItems?.[table.name] ?? []) as typeof left;
    return left.length > 0 ? conflict : undefined;
  });
}
