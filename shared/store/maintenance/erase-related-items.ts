import { isDeepStrictEqual } from 'node:util';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { changeTimeOf } from '../../leads/change-time.ts';
import { foundIn, mentionsIn, withoutPerson } from '../../leads/erasure/erasure.ts';
import type { PersonSearch } from '../../leads/erasure/person-search.ts';
import { listApiKeys } from '../organizations/api-keys.ts';
import type { Table } from '../table/client.ts';
import { getItem } from '../table/get-item.ts';
import { kindOf } from '../table/item-kind.ts';
import type { Item, LeadItem, TimelineEntryItem } from '../table/items.ts';
import {
  importedRowPrimaryKey,
  leadPrimaryKey,
  leadsPartitionKey,
  type PrimaryKey,
  timelinePartitionKey,
} from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { partitionKeyPrefixes as prefix } from '../table/table-definition.ts';
import { allSettled } from './all-settled.ts';
import { heldByOthers } from './erased-person.ts';

/** What the table stores about a lead, or about its person, besides the lead's own items. */
export interface RelatedItems {
  readonly idempotencyRecords: number;
  readonly importedRows: number;
  /** Entries of other leads' timelines in which the person was found. */
  readonly otherEntries: number;
  /** The leads whose timelines these are. */
  readonly otherLeads: number;
  /** These entries, by lead. */
  readonly changes: readonly ChangedEntry[];
  /** Other leads whose fields mention the person; they are not changed. */
  readonly mentions: readonly Mention[];
}

interface ChangedEntry {
  readonly leadId: number;
  /** As `lead timelines` prints it. */
  readonly id: string;
}

interface Mention {
  readonly leadId: number;
  readonly fields: readonly string[];
}

/** Segments of the table that are read in parallel. */
const segments = 4;

export interface RelatedItemsRequest {
  readonly organizationId: number;
  readonly leadId: number;
  /** For the person. It forgets a phone or email that another lead gets meanwhile. */
  readonly search: PersonSearch;
  /** Entries of leads created later stay as they are: the person may have come back, and changed their phone since. */
  readonly begunAt: string | undefined;
  /** Only counts; writes nothing. */
  readonly isDryRun: boolean;
  /** Called with the number of items read so far. */
  readonly onProgress: (itemsRead: number) => void;
}

/**
 * Deletes the items that refer to an erased lead, and removes the person from other leads' timelines. Reads the whole table, because no
 * index leads to these items: consistent reads, a read unit for each 4 KB.
 */
export async function removeRelatedItems(
  table: Table,
  request: RelatedItemsRequest,
): Promise<RelatedItems> {
  const { organizationId, leadId, search, begunAt, isDryRun } = request;
  const keyIds = new Set((await listApiKeys(table, organizationId)).map(({ keyId }) => keyId));
  const counts = { idempotencyRecords: 0, importedRows: 0 };
  const changes: ChangedEntry[] = [];
  const mentions: Mention[] = [];

  const examine = async (item: Item): Promise<void> => {
    const key = { pk: String(item.pk), sk: String(item.sk) };
    const kind = kindOf(key);
    if (kind?.kind === 'idempotency' && keyIds.has(kind.keyId)) {
      if (!isDryRun) await removeOf(table, key, '#result.id', leadId);
      counts.idempotencyRecords += 1;
    } else if (kind?.kind === 'importedRow' && item.leadId === leadId) {
      if (!isDryRun) await removeOf(table, key, 'leadId', leadId);
      counts.importedRows += 1;
    } else if (kind?.kind === 'timeline' && kind.leadId !== leadId) {
      const entry = item as TimelineEntryItem;
      const leadKey = leadPrimaryKey(organizationId, kind.leadId);
      if (await isOfLaterLead(table, leadKey, entry, begunAt)) return;
      const hasPerson = isDryRun
        ? changesOf(entry, search).length > 0
        : await cleanEntry(table, entry, search);
      if (hasPerson) changes.push({ leadId: kind.leadId, id: entry.sk });
    } else if (kind?.kind === 'lead' && kind.leadId !== leadId) {
      const fields = mentionsIn((item as LeadItem).fields, search);
      if (fields.length > 0) mentions.push({ leadId: kind.leadId, fields });
    }
  };
  const examinePage = async (items: readonly Item[]): Promise<void> => {
    // After the page was read, so that a phone or email that another lead got meanwhile is left alone. One that the lead gave up again is not.
    search.forget(await heldByOthers({ table, organizationId }, leadId, foundIn(items, search)));
    for (const item of items) await examine(item);
  };
  await scan(table, request, examinePage);
  return { ...counts, ...inOrder(changes, mentions) };
}

/** Whether an entry is that of a lead which was created after the erasure began. Reads the lead of an entry that is as late. */
async function isOfLaterLead(
  table: Table,
  leadKey: PrimaryKey<LeadItem>,
  { at }: TimelineEntryItem,
  begunAt: string | undefined,
): Promise<boolean> {
  if (begunAt === undefined || at <= begunAt) return false;
  const lead = await getItem(table, leadKey);
  return lead !== undefined && lead.createdAt > begunAt;
}

const inOrder = (changes: readonly ChangedEntry[], mentions: readonly Mention[]) => ({
  otherEntries: changes.length,
  otherLeads: new Set(changes.map(({ leadId }) => leadId)).size,
  mentions: mentions.toSorted((a, b) => a.leadId - b.leadId),
  changes: changes.toSorted((a, b) => a.leadId - b.leadId || (a.id < b.id ? -1 : 1)),
});

async function scan(
  table: Table,
  request: RelatedItemsRequest,
  examinePage: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  let itemsRead = 0;
  let hasFailed = false;
  const scanSegment = async (segment: number): Promise<void> => {
    let next: Record<string, unknown> | undefined;
    do {
      const { Items, ScannedCount, LastEvaluatedKey } = await table.client.send(
        new ScanCommand({
          ...relatedItems(table, request),
          Segment: segment,
          TotalSegments: segments,
          ExclusiveStartKey: next,
        }),
      );
      await examinePage(Items ?? []);
      itemsRead += ScannedCount ?? 0;
      request.onProgress(itemsRead);
      next = LastEvaluatedKey;
    } while (next && !hasFailed);
  };
  const scanned = Array.from({ length: segments }, (_, segment) =>
    scanSegment(segment).catch((error: unknown) => {
      hasFailed = true;
      throw error;
    }),
  );
  await allSettled(scanned);
}

const relatedItems = (table: Table, { organizationId, leadId }: RelatedItemsRequest) => ({
  TableName: table.name,
  ConsistentRead: true,
  FilterExpression:
    'pk = :leads OR begins_with(pk, :timelines) OR (begins_with(pk, :rows) AND leadId = :lead) OR (begins_with(pk, :records) AND #result.id = :lead)',
  ExpressionAttributeNames: { '#result': 'result' },
  ExpressionAttributeValues: {
    ':leads': leadsPartitionKey(organizationId),
    ':timelines': timelinePartitionKey(organizationId, 0).slice(0, -1),
    ':rows': importedRowPrimaryKey(organizationId, '').pk,
    ':records': prefix.idempotency,
    ':lead': leadId,
  },
});

/**
 * Removes an item if it is still the erased lead's. Once it is gone, a repeated capture or import of the person writes one of a new lead under
 * the same key: a delete whose answer was lost is sent again after that.
 */
async function removeOf(
  table: Table,
  key: PrimaryKey,
  path: '#result.id' | 'leadId',
  leadId: number,
): Promise<void> {
  try {
    await table.client.send(
      new DeleteCommand({
        TableName: table.name,
        Key: { ...key },
        ConditionExpression: `${path} = :lead`,
        ...(path === '#result.id' && { ExpressionAttributeNames: { '#result': 'result' } }),
        ExpressionAttributeValues: { ':lead': leadId },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error; // it is gone
  }
}

/**
 * The attributes of an entry that change when the person is removed from it, with their values before and after. They are compared as
 * values, because DynamoDB returns the attributes of a map in any order.
 */
function changesOf(entry: TimelineEntryItem, search: PersonSearch): Change[] {
  const before: Item = entry;
  return Object.entries(withoutPerson(entry, search))
    .map(([name, after]) => ({ name, before: before[name], after }))
    .filter((change) => !isDeepStrictEqual(change.after, change.before));
}

interface Change {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Removes the person from an entry. Another erasure may be writing the same entry: a value is replaced only if it is still as it was read.
 * @returns whether the person was in it
 * @throws ContentionError
 */
async function cleanEntry(
  table: Table,
  read: TimelineEntryItem,
  search: PersonSearch,
): Promise<boolean> {
  const key: PrimaryKey<TimelineEntryItem> = { pk: read.pk, sk: read.sk };
  return retryOnConflict(async (attempt) => {
    const entry = attempt === 0 ? read : await getItem(table, key);
    if (!entry) return false;
    const changes = changesOf(entry, search);
    if (changes.length === 0) return false;
    try {
      await table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: key,
          ...replacementOf([...changes, cleaningOf(entry)]),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return conflict;
      throw error;
    }
  });
}

/** Copies of the timeline are told of a change by its time, which is later than that of an earlier one. */
const cleaningOf = ({ at, cleanedAt }: TimelineEntryItem): Change => ({
  name: 'cleanedAt',
  before: cleanedAt,
  after: changeTimeOf({ updatedAt: cleanedAt ?? at }, new Date()).toISOString(),
});

/** Replaces values that are still as they were read. */
const replacementOf = (changes: readonly Change[]) => ({
  UpdateExpression: `SET ${changes.map(({ name }) => `#${name} = :${name}`).join(', ')}`,
  ConditionExpression: changes
    .map(({ name, before }) =>
      before === undefined ? `attribute_not_exists(#${name})` : `#${name} = :${name}Before`,
    )
    .join(' AND '),
  ExpressionAttributeNames: Object.fromEntries(changes.map(({ name }) => [`#${name}`, name])),
  ExpressionAttributeValues: Object.fromEntries(
    changes.flatMap(({ name, before, after }) => [
      [`:${name}`, after],
      ...(before === undefined ? [] : [[`:${name}Before`, before]]),
    ]),
  ),
});
