import { isDeepStrictEqual } from 'node:util';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type IdentityPattern, mentionsIn, withoutPerson } from '../../leads/erasure/erasure.ts';
import type { FieldValues } from '../../leads/lead.ts';
import type { TimelineEntry } from '../../leads/timeline.ts';
import { listApiKeys } from '../organizations/api-keys.ts';
import type { Table } from '../table/client.ts';
import { kindOf } from '../table/item-kind.ts';
import { importedRowPrimaryKey, leadsPartitionKey, type PrimaryKey, timelinePartitionKey } from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { partitionKeyPrefixes as prefix } from '../table/table-definition.ts';

type Item = Readonly<Record<string, unknown>>;

/** What a lead left behind in the table besides its own items. */
export interface RelatedItems {
  readonly idempotencyRecords: number;
  readonly importedRows: number;
  /** Entries of other leads' timelines in which the person was found. */
  readonly otherEntries: number;
  /** The leads whose timelines these are. */
  readonly otherLeads: number;
  /** Other leads whose fields name the person: they are left as they are. */
  readonly mentions: readonly { readonly leadId: number; readonly fields: readonly string[] }[];
}

/** Parts of the table that are read side by side. */
const segments = 4;

/** What is looked for, and what is done with it. */
export interface RemainsSearch {
  readonly organizationId: number;
  readonly leadId: number;
  /** What finds the person. */
  readonly traces: IdentityPattern;
  /** Only count: nothing is written. */
  readonly isDryRun: boolean;
  /** Told how many items have been read. */
  readonly onProgress: (itemsRead: number) => void;
}

/**
 * Removes what points at a lead that is gone, and the person from other leads' timelines. Reads the whole table, since nothing says
 * where these lie: consistently, a read unit for each 4 KB.
 */
export async function removeRelatedItems(table: Table, search: RemainsSearch): Promise<RelatedItems> {
  const { organizationId, leadId, traces: pattern, isDryRun } = search;
  const keyIds = new Set((await listApiKeys(table, organizationId)).map(({ keyId }) => keyId));
  const found = { idempotencyRecords: 0, importedRows: 0, otherEntries: 0, mentions: [] as RelatedItems['mentions'][number][] };
  const otherLeadIds = new Set<number>();

  const look = async (item: Item): Promise<void> => {
    const key = { pk: String(item.pk), sk: String(item.sk) };
    const kind = kindOf(key);
    if (kind?.kind === 'idempotency' && keyIds.has(kind.keyId)) {
      if (!isDryRun) await remove(table, key);
      found.idempotencyRecords += 1;
    } else if (kind?.kind === 'importedRow' && item.leadId === leadId) {
      if (!isDryRun) await remove(table, key);
      found.importedRows += 1;
    } else if (kind?.kind === 'timeline' && kind.leadId !== leadId) {
      const isTheirs = isDryRun ? changesOf(item, pattern).length > 0 : await cleanEntry(table, key, item, pattern);
      if (!isTheirs) return;
      found.otherEntries += 1;
      otherLeadIds.add(kind.leadId);
    } else if (kind?.kind === 'lead' && kind.leadId !== leadId) {
      const fields = mentionsIn(item.fields as FieldValues, pattern);
      if (fields.length > 0) found.mentions.push({ leadId: kind.leadId, fields });
    }
  };
  await scan(table, search, look);
  return { ...found, otherLeads: otherLeadIds.size, mentions: found.mentions.sort((a, b) => a.leadId - b.leadId) };
}

async function scan(
  table: Table,
  { organizationId, leadId, onProgress }: RemainsSearch,
  look: (item: Item) => Promise<void>,
): Promise<void> {
  let itemsRead = 0;
  const scanSegment = async (segment: number): Promise<void> => {
    let next: Record<string, unknown> | undefined;
    do {
      const { Items, ScannedCount, LastEvaluatedKey } = await table.client.send(
        new ScanCommand({
          TableName: table.name,
          Segment: segment,
          TotalSegments: segments,
          ExclusiveStartKey: next,
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
        }),
      );
      for (const item of Items ?? []) await look(item);
      itemsRead += ScannedCount ?? 0;
      onProgress(itemsRead);
      next = LastEvaluatedKey;
    } while (next);
  };
  await Promise.all(Array.from({ length: segments }, (_, segment) => scanSegment(segment)));
}

const remove = (table: Table, key: PrimaryKey) =>
  table.client.send(new DeleteCommand({ TableName: table.name, Key: { ...key } }));

/**
 * The attributes of an entry that change when the person is taken out of it, with their new values. Compared as values: DynamoDB returns a
 * map's attributes in any order, so the same map may be spelled in two ways.
 */
function changesOf(item: Item, pattern: IdentityPattern): [name: string, value: unknown][] {
  const clean = withoutPerson(item as unknown as TimelineEntry, pattern);
  return Object.entries(clean).filter(([name, value]) => !isDeepStrictEqual(value, item[name]));
}

/**
 * Takes the person out of an entry. Another erasure may be at the same entry: only what is still as it was read is replaced.
 * @returns whether the person was in it
 * @throws StillContended
 */
async function cleanEntry(table: Table, key: PrimaryKey, read: Item, pattern: IdentityPattern): Promise<boolean> {
  return retryOnConflict(async (turn) => {
    const item = turn === 0 ? read : await readAgain(table, key);
    if (!item) return false;
    const changes = changesOf(item, pattern);
    if (changes.length === 0) return false;
    try {
      await table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: { ...key },
          UpdateExpression: `SET ${changes.map(([name]) => `#${name} = :${name}`).join(', ')}`,
          ConditionExpression: changes.map(([name]) => `#${name} = :${name}Before`).join(' AND '),
          ExpressionAttributeNames: Object.fromEntries(changes.map(([name]) => [`#${name}`, name])),
          ExpressionAttributeValues: Object.fromEntries(
            changes.flatMap(([name, value]) => [
              [`:${name}`, value],
              [`:${name}Before`, item[name]],
            ]),
          ),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return conflict;
      throw error;
    }
  });
}

async function readAgain(table: Table, key: PrimaryKey): Promise<Item | undefined> {
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key: { ...key }, ConsistentRead: true }));
  return Item;
}
