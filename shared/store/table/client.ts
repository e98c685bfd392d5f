import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The service's table: the first parameter of every store operation. */
export interface Table {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
  /** Whether the table only pretends to write. */
  readonly isDryRun?: true;
}

export interface OrganizationTable {
  readonly table: Table;
  readonly organizationId: number;
}

/**
 * The SDK tries a call three times. An attempt may wait a second for its headers (`requestTimeout` ends with them; the SDK has no default,
 * and only warns unless told to throw). It may then wait a second for each byte of the body (`socketTimeout`). Between attempts, the SDK
 * waits at most 25 and 50 ms, or 1 and 2 s after throttling (@smithy/core, `Retry`). So a call fails, at the latest, after 3 x 1000 + 75 =
 * 3075 ms if DynamoDB does not respond, or stops in the middle; after 3 x 1000 + 3000 = 6000 ms if it throttles, a full second late each
 * time; after 3 x 2000 + 75 = 6075 ms if the headers come a full second late each time and no body follows. A body that arrives byte by
 * byte has no time-out. In each case the function has time left to respond: it has `limits.functionTimeoutSeconds`, of which
 * `middleware/stack.ts` reserves the last half second.
 */
export const requestTimeoutMs = 1000;
/** For an engine that shares the machine's processors with the functions. Three attempts must fit into a function's time-out. */
export const localRequestTimeoutMs = 3000;

/** @param timeoutMs how long to wait for a response's headers, and again for each piece of its body */
export const clientTimeouts = (timeoutMs: number): DynamoDBClientConfig => ({
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: timeoutMs / 2,
    requestTimeout: timeoutMs,
    throwOnRequestTimeout: true,
    socketTimeout: timeoutMs,
  },
});

/** The SDK's defaults, set here so that a function does not look for them in `~/.aws/config`. Commands do read that file. */
export const sdkDefaults: DynamoDBClientConfig = {
  retryMode: 'standard',
  defaultsMode: 'legacy',
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  accountIdEndpointMode: 'preferred',
  authSchemePreference: [],
};

/**
 * Opens the table that the environment names (`LEADS_TABLE` and the AWS SDK's variables; `DYNAMODB_TIMEOUT_MS` in the local service).
 * @throws Error when `LEADS_TABLE` is not set
 */
export function openTable(
  name: string | undefined = process.env.LEADS_TABLE,
  config: DynamoDBClientConfig = {},
): Table {
  if (!name) throw new Error('LEADS_TABLE is not set: set it to the name of the DynamoDB table.');
  const sdkClient = new DynamoDBClient({
    ...clientTimeouts(Number(process.env.DYNAMODB_TIMEOUT_MS ?? requestTimeoutMs)),
    ...config,
  });
  const client = DynamoDBDocumentClient.from(sdkClient, {
    marshallOptions: { removeUndefinedValues: true },
  });
  return { client, name };
}

export type Send = (command: TableCommand, options?: object) => Promise<unknown>;
export type TableCommand = Parameters<DynamoDBDocumentClient['send']>[0];

/** Wraps the table so that each of its calls goes through `wrap`. The client inherits from the original, so that paginators accept it. */
export function sendingThrough(table: Table, wrap: (send: Send) => Send): Table {
  const { client } = table;
  const sendOf = client.send as Send;
  function send(this: DynamoDBDocumentClient, command: TableCommand, options?: object) {
    return wrap((...args) => sendOf.apply(this, args))(command, options);
  }
  const wrapped: DynamoDBDocumentClient = Object.create(client, { send: { value: send } });
  return { ...table, client: wrapped };
}

/** Wraps the table so that `signal` aborts its calls, SDK retries included. */
export const usableUntil = (table: Table, signal: AbortSignal): Table =>
  sendingThrough(table, (send) => (command) => send(command, { abortSignal: signal }));
