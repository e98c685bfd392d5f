import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../table/client.ts';
import type { PrimaryKey } from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';

/** The most requests of one `BatchWriteItem` (AWS: Service quotas). */
const batchMax = 25;

/** Deletes items by their keys; an item that does not exist is no failure. DynamoDB may leave some for another request. */
export async function deleteItems(table: Table, keys: readonly PrimaryKey[]): Promise<void> {
  for (let at = 0; at < keys.length; at += batchMax) {
    let requests: BatchWriteCommandInput['RequestItems'] = {
      [table.name]: keys
        .slice(at, at + batchMax)
        .map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })),
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
