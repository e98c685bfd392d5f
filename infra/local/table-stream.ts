import { readFile, rename, writeFile } from 'node:fs/promises';
import { DescribeTableCommand, DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type Shard,
  type _Record as StreamRecord,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import { streamViewType } from '../../shared/store/table/table-definition.ts';
import { errorCode } from '../cli/error-code.ts';
import { StartError } from './start-error.ts';
import {
  clientConfig,
  engineAnswersWithinMs,
  startingConfig,
  type TableEnvironment,
} from './table.ts';

const finished = 'finished';

/** How far a stream was read: the last sequence number of each shard, or that the shard is finished. */
interface StreamPosition {
  readonly streamArn: string;
  readonly shards: Record<string, string>;
}

export interface TableStreamOptions {
  readonly environment: TableEnvironment;
  /** Keeps the position between runs. */
  readonly positionFile: string;
  readonly tell: (sentence: string) => void;
}

/** Reads a table's stream, across runs of the service. */
export class TableStream {
  readonly #options: TableStreamOptions;
  readonly #position: StreamPosition;
  readonly #streams: DynamoDBStreamsClient;
  readonly #iterators = new Map<string, string | undefined>();

  private constructor(options: TableStreamOptions, position: StreamPosition) {
    this.#options = options;
    this.#position = position;
    this.#streams = new DynamoDBStreamsClient(clientConfig(options.environment));
  }

  /** Begins where the last run ended. @throws StartError for a table without a stream */
  static async open(options: TableStreamOptions): Promise<TableStream> {
    const streamArn = await streamOf(options.environment);
    return new TableStream(options, await readPosition(options.positionFile, streamArn));
  }

  /**
   * Reads each shard once, a parent before its children. The position moves on when `handle` has its records, so that a killed service
   * handles some of them twice, and none never.
   * @returns the number of records
   */
  async read(handle: (records: readonly StreamRecord[]) => Promise<void>): Promise<number> {
    const { shards: positions } = this.#position;
    const shards = await this.#shards();
    const isOver = (id: string | undefined): boolean =>
      id === undefined ||
      positions[id] === finished ||
      !shards.some(({ ShardId }) => ShardId === id);
    let count = 0;
    try {
      for (const { ShardId: id = '', ParentShardId: parent } of shards)
        if (positions[id] !== finished && isOver(parent))
          count += await this.#readShard(id, handle);
    } catch (error) {
      this.#iterators.clear(); // one may have expired
      throw error;
    }
    return count;
  }

  close(): void {
    this.#streams.destroy();
  }

  async #shards(): Promise<Shard[]> {
    const shards: Shard[] = [];
    let after: string | undefined;
    do {
      const { StreamDescription } = await this.#streams.send(
        new DescribeStreamCommand({
          StreamArn: this.#position.streamArn,
          ExclusiveStartShardId: after,
        }),
      );
      shards.push(...(StreamDescription?.Shards ?? []));
      after = StreamDescription?.LastEvaluatedShardId;
    } while (after);
    return shards;
  }

  async #readShard(
    id: string,
    handle: (records: readonly StreamRecord[]) => Promise<void>,
  ): Promise<number> {
    const ShardIterator = this.#iterators.get(id) ?? (await this.#iterator(id));
    const { Records = [], NextShardIterator } = await this.#streams.send(
      new GetRecordsCommand({ ShardIterator }),
    );
    await handle(Records);
    this.#iterators.set(id, NextShardIterator);
    const position = NextShardIterator ? Records.at(-1)?.dynamodb?.SequenceNumber : finished;
    if (position !== undefined) {
      this.#position.shards[id] = position;
      await savePosition(this.#options.positionFile, this.#position);
    }
    return Records.length;
  }

  /** After the last record that was handled, or at the oldest one that the stream still has. */
  async #iterator(ShardId: string): Promise<string | undefined> {
    const shard = { StreamArn: this.#position.streamArn, ShardId };
    const SequenceNumber = this.#position.shards[ShardId];
    const oldest = { ...shard, ShardIteratorType: 'TRIM_HORIZON' } as const;
    const next = { ...shard, ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber } as const;
    try {
      const request = SequenceNumber === undefined ? oldest : next;
      return (await this.#streams.send(new GetShardIteratorCommand(request))).ShardIterator;
    } catch (error) {
      if (!(error instanceof TrimmedDataAccessException)) throw error;
      this.#options.tell('--events: the stream no longer has all changes since the last run.');
      return (await this.#streams.send(new GetShardIteratorCommand(oldest))).ShardIterator;
    }
  }
}

/**
 * The stream of the table; switches it on, as a deployment with `events: true` does, but only in an engine on this machine.
 * @returns the stream's ARN
 * @throws StartError for a table elsewhere that has no stream
 */
async function streamOf(environment: TableEnvironment): Promise<string> {
  const { LEADS_TABLE: TableName, AWS_ENDPOINT_URL_DYNAMODB: endpoint } = environment;
  const client = new DynamoDBClient(startingConfig(environment, engineAnswersWithinMs));
  const enabledStream = async (): Promise<string | undefined> => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    return Table?.StreamSpecification?.StreamEnabled ? Table.LatestStreamArn : undefined;
  };
  try {
    const streamArn = await enabledStream();
    if (streamArn) return streamArn;
    if (!/^(127\.|localhost$|\[::1\]$)/.test(new URL(endpoint).hostname))
      throw new StartError(
        `--events: the table ${TableName} at ${endpoint} has no stream: switch it on, with new images, or start without --events.`,
      );
    const StreamSpecification = { StreamEnabled: true, StreamViewType: streamViewType } as const;
    await client.send(new UpdateTableCommand({ TableName, StreamSpecification }));
    const enabled = await enabledStream();
    if (!enabled) throw new StartError(`--events: the engine at ${endpoint} has no streams.`);
    return enabled;
  } finally {
    client.destroy();
  }
}

/** The position in a file; the beginning for a file that does not exist, is damaged, or has the position in another stream. */
async function readPosition(file: string, streamArn: string): Promise<StreamPosition> {
  try {
    const position: StreamPosition = JSON.parse(await readFile(file, 'utf8'));
    if (position.streamArn === streamArn) return position;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
  }
  return { streamArn, shards: {} };
}

/** Replaces the file by a rename, so that a kill leaves the old or the new position. */
async function savePosition(file: string, position: StreamPosition): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(position));
  await rename(`${file}.new`, file);
}
