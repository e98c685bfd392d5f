import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  paginateQuery,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { partsOf } from '../../base/batches.ts';
import type { Table } from './client.ts';
import { itemsOf } from './get-item.ts';
import type { PrimaryKey } from './primary-keys.ts';
import { conflict, retryOnConflict } from './retry.ts';

/** How a query narrows a partition. */
export interface PartitionQuery
  extends Omit<QueryCommandInput, 'TableName' | 'KeyConditionExpression'> {
  /** A condition on the sort key: `sk < :end`. */
  readonly sortKey?: string;
}

/** The items of a partition by ascending sort key, in pages of up to a megabyte. Consistent reads, unless the query says otherwise. */
export async function* queryPages<T extends object>(
  { client, name: TableName }: Table,
  pk: string,
  { sortKey, ExpressionAttributeValues, ...query }: PartitionQuery = {},
): AsyncGenerator<readonly T[]> {
  const pages = paginateQuery(
    { client },
    {
      TableName,
      KeyConditionExpression: sortKey === undefined ? 'pk = :pk' : `pk = :pk AND ${sortKey}`,
      ExpressionAttributeValues: { ':pk': pk, ...ExpressionAttributeValues },
      ConsistentRead: true,
      ...query,
    },
  );
  for await (const { Items } of pages) yield itemsOf<T>(Items);
}

/** Like `queryPages`, but returns all pages together. */
export async function queryAll<T extends object>(
  table: Table,
  pk: string,
  query?: PartitionQuery,
): Promise<T[]> {
  const items: T[] = [];
  for await (const page of queryPages<T>(table, pk, query)) items.push(...page);
  return items;
}

/** The maximum number of requests in a `BatchWriteItem` (AWS: Service quotas). */
const batchMax = 25;

/** Deletes items by their keys, whether or not they exist. Repeats the deletions that DynamoDB leaves unprocessed. */
export async function deleteItems(table: Table, keys: readonly PrimaryKey[]): Promise<void> {
  for (const part of partsOf(keys, batchMax)) {
    let requests: BatchWriteCommandInput['RequestItems'] = {
      [table.name]: part.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })),
    };
    await retryOnConflict(async () => {
      const { UnprocessedItems = {} } = await table.client.send(
        new BatchWriteCommand({ RequestItems: requests }),
      );
      requests = UnprocessedItems;
      return Object.keys(UnprocessedItems).length > 0 ? conflict : undefined;
    });
  }
}
