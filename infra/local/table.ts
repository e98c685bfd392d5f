import { setTimeout as pause } from 'node:timers/promises';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  ResourceInUseException,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { clientTimeouts } from '../../shared/store/table/client.ts';
import { tableDefinition } from '../../shared/store/table/table-definition.ts';
import { errorCode } from '../cli/error-code.ts';
import { StartError } from './start-error.ts';

/** What the AWS SDK needs to reach the table. The functions and the ready line get it. */
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

const activeWithinMs = 60_000;
/** An engine may be slow to answer its first calls, as DynamoDB Local is on a busy machine. */
export const engineAnswersWithinMs = 60_000;

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

/** The client configuration for a start: the three attempts of a call share the time limit. */
export const startingConfig = (
  environment: TableEnvironment,
  answersWithinMs: number,
): DynamoDBClientConfig => ({
  ...clientConfig(environment),
  ...clientTimeouts(answersWithinMs / 3),
});

/** The error of an engine that did not answer in time; undefined for any other error. */
export function engineTimeout(
  error: unknown,
  endpoint: string,
  answersWithinMs: number,
): StartError | undefined {
  if (!(error instanceof Error && error.name === 'TimeoutError')) return undefined;
  const seconds = answersWithinMs / 1000;
  return new StartError(
    `The engine at ${endpoint} did not answer within ${seconds} s: check how busy the machine is and start again, or check --engine.`,
    { cause: error },
  );
}

/**
 * Creates the table with its indexes unless it exists, from the definition that is deployed, and waits until it can be used.
 * The engine's own deletion of expired items stays off: every reader compares the expiry itself.
 * @throws StartError when the engine does not answer, refuses, or needs more than a minute
 */
export async function createTable(
  environment: TableEnvironment,
  answersWithinMs = engineAnswersWithinMs,
): Promise<void> {
  const { LEADS_TABLE: TableName, AWS_ENDPOINT_URL_DYNAMODB: endpoint } = environment;
  const client = new DynamoDBClient(startingConfig(environment, answersWithinMs));
  try {
    const deadline = Date.now() + activeWithinMs;
    let status = await statusOf(client, TableName);
    if (!status) await create(client, TableName);
    while (status !== 'ACTIVE') {
      if (Date.now() > deadline) {
        throw new StartError(
          `The table ${TableName} at ${endpoint} is still ${status} after a minute: start again, or check --engine.`,
        );
      }
      status = await statusOf(client, TableName);
      if (status !== 'ACTIVE') await pause(100);
    }
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw (
      engineTimeout(error, endpoint, answersWithinMs) ?? tableFailure(error, TableName, endpoint)
    );
  } finally {
    client.destroy();
  }
}

function tableFailure(cause: unknown, tableName: string, endpoint: string): StartError {
  const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
  const reason = `${errorCode(cause) ?? name}: ${message}`;
  return new StartError(
    `The engine at ${endpoint} cannot provide the table ${tableName} (${reason}): check --engine.`,
    {
      cause,
    },
  );
}

async function statusOf(client: DynamoDBClient, TableName: string): Promise<string | undefined> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const indexes = Table?.GlobalSecondaryIndexes ?? [];
    const busy = indexes.find(({ IndexStatus }) => IndexStatus && IndexStatus !== 'ACTIVE');
    return busy ? `index ${busy.IndexName} ${busy.IndexStatus}` : Table?.TableStatus;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

async function create(client: DynamoDBClient, TableName: string): Promise<void> {
  const { partitionKey, sortKey, indexes, indexedToo } = tableDefinition;
  const attributes = new Set([
    partitionKey,
    sortKey,
    ...indexes.flatMap((index) => [index.partitionKey, index.sortKey]),
  ]);
  const keys = (hash: string, range: string) => [
    { AttributeName: hash, KeyType: 'HASH' as const },
    { AttributeName: range, KeyType: 'RANGE' as const },
  ];
  try {
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [...attributes].map((AttributeName) => ({
          AttributeName,
          AttributeType: 'S' as const,
        })),
        KeySchema: keys(partitionKey, sortKey),
        GlobalSecondaryIndexes: indexes.map((index) => ({
          IndexName: index.name,
          KeySchema: keys(index.partitionKey, index.sortKey),
          Projection: { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...indexedToo] },
        })),
      }),
    );
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error; // Another start created the table first.
  }
}
