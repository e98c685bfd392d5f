import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { hashApiKey } from '../../shared/organization/api-key.ts';
import {
  apiKeyPrimaryKey,
  type PrimaryKey,
  usagePrimaryKey,
} from '../../shared/store/table/primary-keys.ts';
import { itemAt } from '../support/effects.ts';
import { table } from '../support/table.ts';

export const bucketOfKey = (apiKey: string): PrimaryKey => apiKeyPrimaryKey(hashApiKey(apiKey));
export const bucketOfOrganization = usagePrimaryKey;

/** Sets what is used of a bucket, and its window's end: no test waits an hour. */
export async function setBucket(
  Key: PrimaryKey,
  used: number,
  windowEndsAt: number,
): Promise<void> {
  await table().client.send(
    new UpdateCommand({
      TableName: table().name,
      Key: { ...Key },
      UpdateExpression: 'SET used = :used, windowEndsAt = :end',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':used': used, ':end': windowEndsAt },
    }),
  );
}

export const anHourFromNow = (): number => Date.now() + 3_600_000;

/** Tokens taken from a bucket in its window. */
export async function usedOf(primaryKey: PrimaryKey): Promise<number> {
  return (await itemAt(primaryKey))?.used as number;
}
