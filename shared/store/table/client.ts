import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The service's table: what every store operation takes first. */
export interface Table {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
}

/**
 * One call is tried three times. An attempt has a second to its headers (`requestTimeout` ends with them; the SDK has none of its own and only
 * warns unless told to throw), and then a second without a byte of the body (`socketTimeout`). Between attempts the SDK waits at most 50 and
 * 100 ms, after throttling 1 and 2 s (@smithy/core, `Retry`). So a call fails, at the latest,
 *   after 3 x 1000 + 150 = 3150 ms where DynamoDB does not answer, or stops in the middle;
 *   after 3 x 1000 + 3000 = 6000 ms where it throttles, a full second late each time;
 *   after 3 x 2000 + 150 = 6150 ms where headers come a full second late each time and no body follows.
 * A body that trickles has no end of its own. Each leaves the function time to say so: it has `limits.functionTimeoutSeconds`, of which
 * `middleware/endpoint.ts` keeps the last half second.
 */
const requestTimeoutMs = 1000;
/** For an engine that shares one machine's processors with the functions; three tries must fit into a function's time-out. */
export const localRequestTimeoutMs = 3000;

/** @param timeoutMs to the headers of an answer, and again between any two pieces of its body */
export const clientTimeouts = (timeoutMs: number): DynamoDBClientConfig => ({
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: timeoutMs / 2,
    requestTimeout: timeoutMs,
    throwOnRequestTimeout: true,
    socketTimeout: timeoutMs,
  },
});

/** Opens the table that the environment names (`LEADS_TABLE` and the AWS SDK's own variables; `DYNAMODB_TIMEOUT_MS` on one machine).
 *  @throws Error when `LEADS_TABLE` is not set. */
export function openTable(name: string | undefined = process.env.LEADS_TABLE, config: DynamoDBClientConfig = {}): Table {
  if (!name) throw new Error('LEADS_TABLE is not set: it names the DynamoDB table of the service.');
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({ ...clientTimeouts(Number(process.env.DYNAMODB_TIMEOUT_MS ?? requestTimeoutMs)), ...config }),
    {
      marshallOptions: { removeUndefinedValues: true },
    },
  );
  return { client, name };
}

/** The same table until the signal: calls under way are broken off then, and no more are sent, the SDK's own repeats included. */
export function usableUntil(table: Table, signal: AbortSignal): Table {
  const { client } = table;
  const sendOf = client.send as (this: DynamoDBDocumentClient, command: unknown, options: object) => Promise<unknown>;
  function send(this: DynamoDBDocumentClient, command: unknown): Promise<unknown> {
    return sendOf.call(this, command, { abortSignal: signal });
  }
  return { ...table, client: Object.create(client, { send: { value: send } }) as DynamoDBDocumentClient };
}
