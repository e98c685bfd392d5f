import { DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type Shard,
  type _Record as StreamRecord,
} from '@aws-sdk/client-dynamodb-streams';
import { streamViewType } from '../../shared/store/table/table-definition.ts';
import { describedTable, isLoopback } from '../cli/aws.ts';
import { CommandError } from '../cli/command.ts';
import { clientConfig, startingConfig, type TableEnvironment } from '../cli/table.ts';

/** Reads a table's stream, beginning with the oldest record that it still has. */
export class TableStream {
  readonly #streamArn: string;
  readonly #streams: DynamoDBStreamsClient;
  /** By shard: where to continue reading; undefined once the shard has been read to its end. */
  readonly #iterators = new Map<string, string | undefined>();

  constructor(streamArn: string, environment: TableEnvironment) {
    this.#streamArn = streamArn;
    this.#streams = new DynamoDBStreamsClient(clientConfig(environment));
  }

  /**
   * Reads the next records of each shard, and reads a parent to its end before its children. After an error, it starts again with the
   * oldest record.
   * @returns the number of records
   */
  async read(handle: (records: readonly StreamRecord[]) => Promise<void>): Promise<number> {
    let count = 0;
    try {
      const shards = await this.#shards();
      const isOpen = (id = ''): boolean => !this.#iterators.has(id) || !!this.#iterators.get(id);
      const open = new Set(shards.flatMap(({ ShardId = '' }) => (isOpen(ShardId) ? ShardId : [])));
      for (const { ShardId = '', ParentShardId = '' } of shards)
        if (open.has(ShardId) && !open.has(ParentShardId))
          count += await this.#readShard(ShardId, handle);
    } catch (error) {
      this.#iterators.clear(); // an iterator may have expired
      throw error;
    }
    return count;
  }

  async #shards(): Promise<Shard[]> {
    const shards: Shard[] = [];
    let after: string | undefined;
    do {
      const { StreamDescription } = await this.#streams.send(
        new DescribeStreamCommand({ StreamArn: this.#streamArn, ExclusiveStartShardId: after }),
      );
      shards.push(...(StreamDescription?.Shards ?? []));
      after = StreamDescription?.LastEvaluatedShardId;
    } while (after);
    return shards;
  }

  async #readShard(
    ShardId: string,
    handle: (records: readonly StreamRecord[]) => Promise<void>,
  ): Promise<number> {
    const ShardIterator = this.#iterators.get(ShardId) ?? (await this.#oldestIn(ShardId));
    const { Records = [], NextShardIterator } = await this.#streams.send(
      new GetRecordsCommand({ ShardIterator }),
    );
    await handle(Records);
    this.#iterators.set(ShardId, NextShardIterator);
    return Records.length;
  }

  async #oldestIn(ShardId: string): Promise<string | undefined> {
    const oldest = {
      StreamArn: this.#streamArn,
      ShardId,
      ShardIteratorType: 'TRIM_HORIZON',
    } as const;
    return (await this.#streams.send(new GetShardIteratorCommand(oldest))).ShardIterator;
  }
}

/**
 * The table's stream. If it is off, switches it on, as a deployment with `events: true` does, but only in an engine on this machine.
 * @returns the stream's ARN
 * @throws CommandError if the table has no stream and is not on this machine
 */
export async function streamOf(environment: TableEnvironment): Promise<string> {
  const { LEADS_TABLE: TableName, AWS_ENDPOINT_URL_DYNAMODB: endpoint } = environment;
  const client = new DynamoDBClient(startingConfig(environment));
  try {
    const table = await describedTable(client, TableName);
    if (table?.LatestStreamArn && table.StreamSpecification?.StreamEnabled)
      return table.LatestStreamArn;
    if (!isLoopback(endpoint))
      throw new CommandError(
        `--events: the table ${TableName} at ${endpoint} has no stream: switch it on, with new images, or start without --events.`,
      );
    const StreamSpecification = { StreamEnabled: true, StreamViewType: streamViewType } as const;
    const { TableDescription } = await client.send(
      new UpdateTableCommand({ TableName, StreamSpecification }),
    );
    if (TableDescription?.LatestStreamArn) return TableDescription.LatestStreamArn;
    throw new CommandError(`--events: the engine at ${endpoint} has no streams.`);
  } finally {
    client.destroy();
  }
}
