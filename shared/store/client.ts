import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The service's table: what every store operation takes first. */
export interface Table {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
}

/**
 * One call is tried three times, each for a second at the most, so that a DynamoDB that does not answer costs 3.5 s and not
 * the function's whole time: the SDK has no request time-out of its own and only warns unless told to throw.
 */
const patience = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 500, requestTimeout: 1000, throwOnRequestTimeout: true },
} satisfies DynamoDBClientConfig;

/** Opens the table that the environment names (`LEADS_TABLE` and the AWS SDK's own variables).
 *  @throws Error when `LEADS_TABLE` is not set. */
export function openTable(name: string | undefined = process.env.LEADS_TABLE, config: DynamoDBClientConfig = {}): Table {
  if (!name) throw new Error('LEADS_TABLE is not set: it names the DynamoDB table of the service.');
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ ...patience, ...config }), {
    marshallOptions: { removeUndefinedValues: true },
  });
  return { client, name };
}
