import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
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
import { parseJson } from '../../shared/json.ts';
import { streamViewType } from '../../shared/store/table/table-definition.ts';
import { CommandError } from '../cli/command.ts';
import { clientConfig, startingConfig, type TableEnvironment } from './table.ts';

/** How far a stream was read: the last sequence number of each shard, or that the shard is finished. */
interface StreamPosition {
  readonly streamArn: string;
  readonly shards: Record<string, string>;
}

const finished = 'finished';

export interface TableStreamOptions {
  readonly streamArn: string;
  readonly environment: TableEnvironment;
  /** Keeps the position between runs. */
  readonly positionFile: string;
  readonly tell: (sentence: string) => void;
}

/** Reads a table's stream, and begins where the last run of the service ended. */
export class TableStream {
  readonly #options: TableStreamOptions;
  readonly #position: StreamPosition;
  readonly #streams: DynamoDBStreamsClient;
  readonly #iterators = new Map<string, string | undefined>();

  constructor(options: TableStreamOptions) {
    this.#options = options;
    this.#position = readPosition(options.positionFile, options.streamArn);
    this.#streams = new DynamoDBStreamsClient(clientConfig(options.environment));
  }

  /**
   * Reads what each shard has next, a parent to its end before its children. The position moves on when `handle` has the records, so that
   * a killed service handles some of them twice, and none never.
   * @returns the number of records
   */
  async read(handle: (records: readonly StreamRecord[]) => Promise<void>): Promise<number> {
    const unfinished = (await this.#shards()).filter(
      ({ ShardId = '' }) => this.#position.shards[ShardId] !== finished,
    );
    const ids = new Set(unfinished.map(({ ShardId }) => ShardId));
    let count = 0;
    try {
      for (const { ShardId = '', ParentShardId } of unfinished)
        if (!ids.has(ParentShardId)) count += await this.#readShard(ShardId, handle);
    } catch (error) {
      this.#iterators.clear(); // one may have expired
      throw error;
    }
    return count;
  }

  async #shards(): Promise<Shard[]> {
    const shards: Shard[] = [];
    const { streamArn: StreamArn } = this.#position;
    let after: string | undefined;
    do {
      const command = new DescribeStreamCommand({ StreamArn, ExclusiveStartShardId: after });
      const { StreamDescription } = await this.#streams.send(command);
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
      savePosition(this.#options.positionFile, this.#position);
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
 * @throws CommandError for a table elsewhere that has no stream
 */
export async function streamOf(environment: TableEnvironment): Promise<string> {
  const { LEADS_TABLE: TableName, AWS_ENDPOINT_URL_DYNAMODB: endpoint } = environment;
  const client = new DynamoDBClient(startingConfig(environment));
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    if (Table?.LatestStreamArn && Table.StreamSpecification?.StreamEnabled)
      return Table.LatestStreamArn;
    if (!/^(127\.|localhost$|\[::1\]$)/.test(new URL(endpoint).hostname))
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

/** The position in a file; the beginning for a file that does not exist, is damaged, or has the position in another stream. */
function readPosition(file: string, streamArn: string): StreamPosition {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const position = parseJson(text) as StreamPosition | null | undefined;
  return position?.streamArn === streamArn ? position : { streamArn, shards: {} };
}

/** Replaces the file by a rename, so that a kill leaves the old or the new position. */
function savePosition(file: string, position: StreamPosition): void {
  writeFileSync(`${file}.new`, JSON.stringify(position));
  renameSync(`${file}.new`, file);
}
