import { CreateTableCommand, type CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { hashApiKey } from '../../../../shared/organization/api-key.ts';
import type { Settings } from '../../../../shared/organization/organization.ts';
import type { CreatedApiKey } from '../../../../shared/store/organizations/api-keys.ts';

/** The stack's own tables: the usual libraries each bring one. */
export const tableNames = {
  main: 'assembled',
  idempotency: 'assembled-idempotency',
  rateLimits: 'assembled-rate-limits',
} as const;

const key = (hash: string, range?: string) => [
  { AttributeName: hash, KeyType: 'HASH' as const },
  ...(range ? [{ AttributeName: range, KeyType: 'RANGE' as const }] : []),
];
const text = (name: string) => ({ AttributeName: name, AttributeType: 'S' as const });

const tables: readonly Omit<CreateTableCommandInput, 'BillingMode'>[] = [
  {
    TableName: tableNames.main,
    AttributeDefinitions: ['pk', 'sk', 'phoneKey', 'emailKey'].map(text),
    KeySchema: key('pk', 'sk'),
    // Whole items, as an index has them unless told otherwise: a match is read in one query.
    GlobalSecondaryIndexes: [
      { IndexName: 'byPhone', KeySchema: key('phoneKey'), Projection: { ProjectionType: 'ALL' } },
      { IndexName: 'byEmail', KeySchema: key('emailKey'), Projection: { ProjectionType: 'ALL' } },
    ],
  },
  { TableName: tableNames.idempotency, AttributeDefinitions: [text('id')], KeySchema: key('id') },
  { TableName: tableNames.rateLimits, AttributeDefinitions: [text('key')], KeySchema: key('key') },
];

export interface StoredKey {
  readonly organizationId: number;
  readonly keyId: string;
  readonly label: string;
  readonly createdBy: number;
  readonly expiresAt: number;
}

/** Creates the tables, with one organization and one API key in them. */
export async function createTables(
  client: DynamoDBDocumentClient,
  settings: Settings,
  { key: apiKey, keyId, expiresAt }: CreatedApiKey,
): Promise<void> {
  for (const table of tables)
    await client.send(new CreateTableCommand({ ...table, BillingMode: 'PAY_PER_REQUEST' }));
  const put = (Item: Record<string, unknown>) =>
    client.send(new PutCommand({ TableName: tableNames.main, Item }));
  await put({ pk: `ORG#${settings.id}`, sk: 'SETTINGS', settings });
  const stored: StoredKey = {
    organizationId: settings.id,
    keyId,
    label: 'bench',
    createdBy: 7,
    expiresAt: Date.parse(expiresAt),
  };
  await put({ pk: `KEY#${hashApiKey(apiKey)}`, sk: 'KEY', ...stored });
}
