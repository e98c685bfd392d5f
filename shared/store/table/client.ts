import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { rememberOrder } from './middleware-order.ts';
import { Sha256 } from './sha256.ts';

/** The service's table: the first parameter of every store operation. */
export interface Table {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
}

/** The items of one organization. */
export interface OrganizationTable {
  readonly table: Table;
  readonly organizationId: number;
}

/**
 * The SDK tries a call three times. An attempt has a second until its headers (`requestTimeout` ends with them; the SDK has no default, and
 * only warns unless told to throw), then a second without a byte of the body (`socketTimeout`). Between attempts the SDK waits at most 25
 * and 50 ms, after throttling 1 and 2 s (@smithy/core, `Retry`). So a call fails, at the latest,
 *   after 3 x 1000 + 75 = 3075 ms if DynamoDB does not respond, or stops in the middle;
 *   after 3 x 1000 + 3000 = 6000 ms if it throttles, a full second late each time;
 *   after 3 x 2000 + 75 = 6075 ms if the headers come a full second late each time and no body follows.
 * A body that arrives byte by byte has no time-out. In each case the function has time left to respond: it has
 * `limits.functionTimeoutSeconds`, of which `middleware/endpoint.ts` reserves the last half second.
 */
const requestTimeoutMs = 1000;
/** For an engine that shares the machine's processors with the functions; three tries must fit into a function's time-out. */
export const localRequestTimeoutMs = 3000;

/** @param timeoutMs until the headers of a response, and again between any two pieces of its body */
export const clientTimeouts = (timeoutMs: number): DynamoDBClientConfig => ({
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: timeoutMs / 2,
    requestTimeout: timeoutMs,
    throwOnRequestTimeout: true,
    socketTimeout: timeoutMs,
  },
});

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
    sha256: Sha256,
    ...clientTimeouts(Number(process.env.DYNAMODB_TIMEOUT_MS ?? requestTimeoutMs)),
    ...config,
  });
  spareWork(sdkClient);
  const client = DynamoDBDocumentClient.from(sdkClient, {
    marshallOptions: { removeUndefinedValues: true },
  });
  client.middlewareStack = rememberOrder(client.middlewareStack);
  return { client, name };
}

/** Middleware of the SDK that does nothing for this service: it has no logger, and its calls go to DynamoDB, which calls no function. */
const spareMiddleware = [
  'loggerMiddleware',
  'recursionDetectionMiddleware',
  'getUserAgentMiddleware',
];

/** Leaves out what the SDK would do for each call in vain, or again: an eighth of the processor time of a call. */
function spareWork({ config, middlewareStack }: DynamoDBClient): void {
  for (const name of spareMiddleware) middlewareStack.remove(name);
  const { signer: newSigner } = config;
  let signer: ReturnType<typeof newSigner> | undefined;
  // The SDK makes a signer for each call. A scheme of its own comes with endpoints that this table has not.
  config.signer = (authScheme) => {
    if (authScheme) return newSigner(authScheme);
    signer ??= newSigner();
    return signer;
  };
}

/**
 * The same table until the signal, which aborts calls in progress and stops further ones, the SDK's retries included.
 * The client inherits from the original, so that paginators and commands take it as one.
 */
export function usableUntil(table: Table, signal: AbortSignal): Table {
  const { client } = table;
  const sendOf = client.send as (
    this: DynamoDBDocumentClient,
    command: unknown,
    options: object,
  ) => Promise<unknown>;
  function send(this: DynamoDBDocumentClient, command: unknown): Promise<unknown> {
    return sendOf.call(this, command, { abortSignal: signal });
  }
  return {
    ...table,
    client: Object.create(client, { send: { value: send } }) as DynamoDBDocumentClient,
  };
}
