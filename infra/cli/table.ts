import {
  CreateTableCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { clientTimeouts } from '../../shared/store/table/client.ts';
import { tableDefinition } from '../../shared/store/table/table-definition.ts';
import { describedTable } from './aws.ts';

/** The variables with which the AWS SDK reaches the table, for the functions and the ready line. */
export type TableEnvironment = Readonly<
  Record<
    | 'LEADS_TABLE'
    | 'AWS_ENDPOINT_URL_DYNAMODB'
    | 'AWS_REGION'
    | 'AWS_ACCESS_KEY_ID'
    | 'AWS_SECRET_ACCESS_KEY',
    string
  >
>;

/** An engine may answer its first calls slowly, as DynamoDB Local does on a busy machine. */
export const engineAnswersWithinMs = 60_000;
const activeWithinSeconds = 60;

/** The client configuration for the table of an environment. */
export const clientConfig = (
  environment: TableEnvironment & { readonly AWS_SESSION_TOKEN?: string },
) => ({
  endpoint: environment.AWS_ENDPOINT_URL_DYNAMODB,
  region: environment.AWS_REGION,
  credentials: {
    accessKeyId: environment.AWS_ACCESS_KEY_ID,
    secretAccessKey: environment.AWS_SECRET_ACCESS_KEY,
    ...(environment.AWS_SESSION_TOKEN ? { sessionToken: environment.AWS_SESSION_TOKEN } : {}),
  },
});

/** The client configuration during a start: the three attempts of a call share the time limit. */
export const startingConfig = (
  environment: TableEnvironment,
  answersWithinMs: number = engineAnswersWithinMs,
): DynamoDBClientConfig => ({
  ...clientConfig(environment),
  ...clientTimeouts(answersWithinMs / 3),
});

/**
 * Creates the table with its indexes from the deployed definition, unless it exists, and waits until it can be used. The engine does not
 * delete expired items: every reader compares the expiry itself.
 */
export async function createTable(
  environment: TableEnvironment,
  answersWithinMs?: number,
): Promise<void> {
  const { LEADS_TABLE: TableName } = environment;
  const client = new DynamoDBClient(startingConfig(environment, answersWithinMs));
  try {
    if (!(await describedTable(client, TableName))) await create(client, TableName);
    await waitUntilTableExists(
      { client, minDelay: 1, maxWaitTime: activeWithinSeconds },
      { TableName },
    );
  } finally {
    client.destroy();
  }
}

/** The input of CreateTable for a table like the deployed one, with its indexes. */
export function tableInput(TableName: string) {
  const { partitionKey, sortKey, indexes } = tableDefinition;
  const attributes = new Set([
    partitionKey,
    sortKey,
    ...indexes.flatMap((index) => [index.partitionKey, index.sortKey]),
  ]);
  const keys = (hash: string, range: string) => [
    { AttributeName: hash, KeyType: 'HASH' as const },
    { AttributeName: range, KeyType: 'RANGE' as const },
  ];
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST' as const,
    AttributeDefinitions: [...attributes].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S' as const,
    })),
    KeySchema: keys(partitionKey, sortKey),
    GlobalSecondaryIndexes: indexes.map((index) => ({
      IndexName: index.name,
      KeySchema: keys(index.partitionKey, index.sortKey),
      Projection: { ProjectionType: 'KEYS_ONLY' as const },
    })),
  };
}

async function create(client: DynamoDBClient, TableName: string): Promise<void> {
  try {
    await client.send(new CreateTableCommand(tableInput(TableName)));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error; // another start created the table first
  }
}
