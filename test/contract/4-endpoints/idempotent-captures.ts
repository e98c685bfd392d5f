import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll } from 'vitest';
import { idempotencyPrimaryKey } from '../../../shared/store/table/primary-keys.ts';
import { type CallReply, call } from '../../support/call.ts';
import { timelineOf } from '../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../support/organizations.ts';
import { table } from '../../support/table.ts';

export let organization: GivenOrganization;
export let apiKey: string;
let keyId: string;

/** Makes an organization and a key for the tests of this file. */
export function useIdempotentCaptures(): void {
  beforeAll(async () => {
    organization = await givenOrganization();
    ({ key: apiKey, keyId } = await organization.key());
  });
}

let given = 0;
export const newKey = (): string => {
  given += 1;
  return `enquiry ${given}`;
};

export const capture = (body: object, idempotencyKey?: string, key = apiKey) =>
  call('capture-lead', {
    apiKey: key,
    body,
    headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
  });
export const isReplay = ({ headers }: CallReply): boolean =>
  headers.get('idempotent-replayed') === 'true';
export const captures = async (leadId: number) =>
  (await timelineOf(organization, leadId)).filter(({ type }) => type === 'captured').length;

/** Sets a record's end into the past. @returns the record as it was */
export async function expire(key: string): Promise<{ expiresAt: number; ttl: number }> {
  const { Attributes } = await table().client.send(
    new UpdateCommand({
      TableName: table().name,
      Key: { ...idempotencyPrimaryKey(keyId, key) },
      UpdateExpression: 'SET expiresAt = :past',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':past': Date.now() - 1 },
      ReturnValues: 'ALL_OLD',
    }),
  );
  return Attributes as { expiresAt: number; ttl: number };
}
