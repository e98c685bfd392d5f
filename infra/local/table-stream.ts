import {
  DescribeTableCommand,
  DynamoDBClient,
  type TableDescription,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { streamViewType } from '../../shared/store/table/table-definition.ts';
import type { TableEnvironment } from './engine.ts';
import { StartError } from './start-error.ts';
import { engineAnswersWithinMs, startingConfig } from './table.ts';

/**
 * The stream of the table; switches it on, as a deployment with `events: true` does, but only in an engine on this machine.
 * @returns the stream's ARN
 * @throws StartError for a table elsewhere that has no stream
 */
export async function streamOf(environment: TableEnvironment): Promise<string> {
  const { LEADS_TABLE: TableName, AWS_ENDPOINT_URL_DYNAMODB: endpoint } = environment;
  const client = new DynamoDBClient(startingConfig(environment, engineAnswersWithinMs));
  const describe = async () => (await client.send(new DescribeTableCommand({ TableName }))).Table;
  try {
    const streamArn = enabledStream(await describe());
    if (streamArn) return streamArn;
    if (!/^(127\.|localhost$|\[::1\]$)/.test(new URL(endpoint).hostname))
      throw new StartError(
        `--events: the table ${TableName} at ${endpoint} has no stream: switch it on, with new images, or start without --events.`,
      );
    await client.send(
      new UpdateTableCommand({
        TableName,
        StreamSpecification: { StreamEnabled: true, StreamViewType: streamViewType },
      }),
    );
    const enabled = enabledStream(await describe());
    if (!enabled) throw new StartError(`--events: the engine at ${endpoint} has no streams.`);
    return enabled;
  } finally {
    client.destroy();
  }
}

const enabledStream = (table: TableDescription | undefined): string | undefined =>
  table?.StreamSpecification?.StreamEnabled ? table.LatestStreamArn : undefined;
