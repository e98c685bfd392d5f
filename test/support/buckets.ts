import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { hashApiKey } from '../../shared/organization/api-key.ts';
import {
  apiKeyPrimaryKey,
  type PrimaryKey,
  usagePrimaryKey,
} from '../../shared/store/table/primary-keys.ts';
import { itemAt, table } from './table.ts';

/** A token bucket as it is stored, with the expiry of an API key or an organization’s last lead ID; times in epoch milliseconds. */
export interface StoredBucket {
  readonly used?: number;
  readonly windowEndsAt?: number;
  readonly expiresAt?: number;
  readonly lastLeadId?: number;
}

/** Changes the bucket of an API key in the table, so that a test sends no hundreds of requests and waits for no window. */
export const setKeyBucket = (apiKey: string, to: StoredBucket): Promise<void> =>
  setBucket(apiKeyPrimaryKey(hashApiKey(apiKey)), to);

/** Changes the organization's bucket in the table. */
export const setOrganizationBucket = (organizationId: number, to: StoredBucket): Promise<void> =>
  setBucket(usagePrimaryKey(organizationId), to);

/** How many tokens of the organization's bucket are used. */
export const usedByOrganization = async (organizationId: number): Promise<number> =>
  (await itemAt(usagePrimaryKey(organizationId)))?.used as number;

async function setBucket(primaryKey: PrimaryKey, to: StoredBucket): Promise<void> {
  await table().client.send(
    new UpdateCommand({
      TableName: table().name,
      Key: { ...primaryKey },
      UpdateExpression: `SET ${Object.keys(to)
        .map((name) => `${name} = :${name}`)
        .join(', ')}`,
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries(to).map(([name, value]) => [`:${name}`, value]),
      ),
    }),
  );
}
