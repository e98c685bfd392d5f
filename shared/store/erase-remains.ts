import { isDeepStrictEqual } from 'node:util';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mentionsIn, type Traces, withoutPerson } from '../leads/erasure.ts';
import type { FieldValues } from '../leads/lead.ts';
import type { TimelineEntry } from '../leads/timeline.ts';
import { listApiKeys } from './api-keys.ts';
import { kindOf } from './check/item-kind.ts';
import type { Table } from './client.ts';
import { lookAgain, metAnother } from './look-again.ts';
import { importedRowPrimaryKey, leadsPartitionKey, type PrimaryKey, timelinePartitionKey } from './primary-keys.ts';
import { partitionKeyPrefixes as prefix } from './table-definition.ts';

type Item = Readonly<Record<string, unknown>>;

/** What a lead left behind in the table besides its own items. */
export interface Remains {
  readonly idempotencyRecords: number;
  readonly importedRows: number;
  /** Entries of other leads' timelines in which the person was found. */
  readonly otherEntries: number;
  /** Other leads whose fields name the person: they are left as they are. */
  readonly mentions: readonly { readonly leadId: number; readonly fields: readonly string[] }[];
}

/** Parts of the table that are read side by side. */
const segments = 4;

/**
 * Removes what points at a lead that is gone, and the person from other leads' timelines. Reads the whole table, since nothing says
 * where these lie: consistently, a read unit for each 4 KB.
 */
export async function removeRemains(
  table: Table,
  organizationId: number,
  leadId: number,
  traces: Traces,
  onProgress: (itemsRead: number) => void,
): Promise<Remains> {
  const keyIds = new Set((await listApiKeys(table, organizationId)).map(({ keyId }) => keyId));
  const found = { idempotencyRecords: 0, importedRows: 0, otherEntries: 0, mentions: [] as Remains['mentions'][number][] };

  const look = async (item: Item): Promise<void> => {
    const key = { pk: String(item.pk), sk: String(item.sk) };
    const kind = kindOf(key);
    if (kind?.kind === 'idempotency' && keyIds.has(kind.keyId)) {
      await remove(table, key);
      found.idempotencyRecords += 1;
    } else if (kind?.kind === 'importedRow' && item.leadId === leadId) {
      await remove(table, key);
      found.importedRows += 1;
    } else if (kind?.kind === 'timeline' && kind.leadId !== leadId) {
      if (await cleanEntry(table, key, item, traces)) found.otherEntries += 1;
    } else if (kind?.kind === 'lead' && kind.leadId !== leadId) {
      const fields = mentionsIn(item.fields as FieldValues, traces);
      if (fields.length > 0) found.mentions.push({ leadId: kind.leadId, fields });
    }
  };
  await scan(table, organizationId, leadId, look, onProgress);
  return { ...found, mentions: found.mentions.sort((a, b) => a.leadId - b.leadId) };
}

async function scan(
  table: Table,
  organizationId: number,
  leadId: number,
  look: (item: Item) => Promise<void>,
  onProgress: (itemsRead: number) => void,
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
 * Takes the person out of an entry. Another erasure may be at the same entry: only what is still as it was read is replaced.
 * @returns whether the person was in it
 * @throws StillContended
 */
async function cleanEntry(table: Table, key: PrimaryKey, read: Item, traces: Traces): Promise<boolean> {
  return lookAgain(async (turn) => {
    const item = turn === 0 ? read : await readAgain(table, key);
    if (!item) return false;
    const clean = withoutPerson(item as unknown as TimelineEntry, traces) as unknown as Item;
    // As values: DynamoDB returns a map's attributes in any order, so the same map may be spelled in two ways.
    const changed = Object.keys(clean).filter((name) => !isDeepStrictEqual(clean[name], item[name]));
    if (changed.length === 0) return false;
    try {
      await table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: { ...key },
          UpdateExpression: `SET ${changed.map((name) => `#${name} = :${name}`).join(', ')}`,
          ConditionExpression: changed.map((name) => `#${name} = :${name}Before`).join(' AND '),
          ExpressionAttributeNames: Object.fromEntries(changed.map((name) => [`#${name}`, name])),
          ExpressionAttributeValues: Object.fromEntries(
            changed.flatMap((name) => [
              [`:${name}`, clean[name]],
              [`:${name}Before`, item[name]],
            ]),
          ),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return metAnother;
      throw error;
    }
  });
}

async function readAgain(table: Table, key: PrimaryKey): Promise<Item | undefined> {
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key: { ...key }, ConsistentRead: true }));
  return Item;
}
