import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/store/table/client.ts';
import { usagePrimaryKey } from '../../shared/store/table/primary-keys.ts';

/** Gives an organization its 3,000 requests back, for measurements that make more. */
export async function resetBucket(table: Table, organizationId: number): Promise<void> {
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { ...usagePrimaryKey(organizationId) },
      UpdateExpression: 'SET used = :none',
      ExpressionAttributeValues: { ':none': 0 },
    }),
  );
}
