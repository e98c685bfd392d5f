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
import type { TableEnvironment } from './engine.ts';
import { StartError } from './start-error.ts';

const activeWithinMs = 60_000;
/** To wait for an engine that is slow to answer its first calls, as DynamoDB Local is on a busy machine, is a part of starting. */
export const engineAnswersWithinMs = 60_000;

/** How this process reaches the table that an environment names. */
export const clientConfig = (environment: TableEnvironment & { readonly AWS_SESSION_TOKEN?: string }): DynamoDBClientConfig => ({
  endpoint: environment.AWS_ENDPOINT_URL_DYNAMODB,
  region: environment.AWS_REGION,
  credentials: {
    accessKeyId: environment.AWS_ACCESS_KEY_ID,
    secretAccessKey: environment.AWS_SECRET_ACCESS_KEY,
    ...(environment.AWS_SESSION_TOKEN ? { sessionToken: environment.AWS_SESSION_TOKEN } : {}),
  },
});

/** How a start reaches the table: three tries of a call have so long together. */
export const startingConfig = (environment: TableEnvironment, answersWithinMs: number): DynamoDBClientConfig => ({
  ...clientConfig(environment),
  ...clientTimeouts(answersWithinMs / 3),
});

/** Why an engine's failure to answer ends the start; undefined for an error of another kind. */
export function silenceOf(error: unknown, endpoint: string, answersWithinMs: number): StartError | undefined {
  if ((error as { name?: string }).name !== 'TimeoutError') return undefined;
  const seconds = answersWithinMs / 1000;
  return new StartError(
    `The engine at ${endpoint} did not answer within ${seconds} s: look at how busy the machine is and start again, or check --engine.`,
    { cause: error },
  );
}

/**
 * Creates the table with its indexes from the definition that is deployed, unless it is there, and waits until it can be used.
 * The engine's own deletion of expired items stays off: every reader compares the expiry itself.
 * @throws StartProblem when the engine does not answer, refuses, or takes longer than a minute
 */
export async function createTable(environment: TableEnvironment, answersWithinMs = engineAnswersWithinMs): Promise<void> {
  const { LEADS_TABLE: TableName, AWS_ENDPOINT_URL_DYNAMODB: endpoint } = environment;
  const client = new DynamoDBClient(startingConfig(environment, answersWithinMs));
  try {
    const deadline = Date.now() + activeWithinMs;
    let status = await statusOf(client, TableName);
    if (!status) await create(client, TableName);
    while (status !== 'ACTIVE') {
      if (Date.now() > deadline) throw new StartError(`The table ${TableName} at ${endpoint} is still ${status} after a minute.`);
      status = await statusOf(client, TableName);
      if (status !== 'ACTIVE') await pause(100);
    }
  } catch (error) {
    if (error instanceof StartError) throw error;
    const silence = silenceOf(error, endpoint, answersWithinMs);
    if (silence) throw silence;
    const { name, message, code } = error as Error & { code?: string };
    throw new StartError(
      `The engine at ${endpoint} cannot give the table ${TableName} (${code ?? name}: ${message}): check --engine.`,
      {
        cause: error,
      },
    );
  } finally {
    client.destroy();
  }
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
  const attributes = new Set([partitionKey, sortKey, ...indexes.flatMap((index) => [index.partitionKey, index.sortKey])]);
  const keys = (hash: string, range: string) => [
    { AttributeName: hash, KeyType: 'HASH' as const },
    { AttributeName: range, KeyType: 'RANGE' as const },
  ];
  try {
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [...attributes].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
        KeySchema: keys(partitionKey, sortKey),
        GlobalSecondaryIndexes: indexes.map((index) => ({
          IndexName: index.name,
          KeySchema: keys(index.partitionKey, index.sortKey),
          Projection: { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...indexedToo] },
        })),
      }),
    );
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error; // Another start made it first.
  }
}
