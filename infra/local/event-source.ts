import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type Shard,
  type _Record as StreamRecord,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import { eventFilter } from '../../shared/store/table/table-definition.ts';
import { publisherName } from '../bundle/bundle.ts';
import type { TableEnvironment } from './engine.ts';
import { matchesFilter } from './event-filter.ts';
import type { Functions } from './functions.ts';
import { readPosition, type StreamPosition, savePosition } from './stream-position.ts';
import { clientConfig } from './table.ts';

export interface EventSourceOptions {
  readonly environment: TableEnvironment;
  readonly streamArn: string;
  readonly functions: Functions;
  /** The file that keeps the position between runs. */
  readonly positionFile: string;
  /** Prints a sentence for the person who started the service. */
  readonly tell: (sentence: string) => void;
}

const pauseMs = 200;
/** As the deployed mapping has it. */
const batchSize = 100;

/**
 * Stands for Lambda's event source mapping: reads the table's stream, and calls the publisher with the records that match its filter. A
 * batch is repeated from the record that the publisher names until it is published. The position is saved afterwards, so that events of a
 * killed service come after its next start, some of them twice.
 */
export class EventSource {
  readonly #options: EventSourceOptions;
  readonly #streams: DynamoDBStreamsClient;
  readonly #iterators = new Map<string, string>();
  #isStopping = false;
  #running: Promise<void> | undefined;
  #batches = 0;

  constructor(options: EventSourceOptions) {
    this.#options = options;
    const { endpoint = '', region = '', credentials } = clientConfig(options.environment);
    this.#streams = new DynamoDBStreamsClient({
      endpoint: String(endpoint),
      region: String(region),
      ...(credentials && { credentials }),
    });
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Publishes what the stream already has, then ends. */
  async stop(withinMs: number): Promise<void> {
    this.#isStopping = true;
    await Promise.race([this.#running, sleep(withinMs, undefined, { ref: false })]);
    this.#streams.destroy();
  }

  async #run(): Promise<void> {
    const { positionFile, streamArn, tell } = this.#options;
    const position = await readPosition(positionFile, streamArn);
    let hasTold = false;
    for (let isLast = false; !isLast; ) {
      isLast = this.#isStopping;
      try {
        const read = await this.#readShards(position);
        if (read === 0 && !isLast) await sleep(pauseMs);
        if (read > 0) isLast = false;
      } catch (error) {
        if (this.#isStopping) return;
        if (!hasTold)
          tell(`--events: the stream could not be read (${String(error)}): trying again.`);
        hasTold = true;
        this.#iterators.clear();
        await sleep(pauseMs * 5);
      }
    }
  }

  /** Reads each shard once, a parent before its children. @returns the records read */
  async #readShards(position: StreamPosition): Promise<number> {
    const shards = await this.#shards();
    let read = 0;
    for (const { ShardId: id = '', ParentShardId: parent } of shards) {
      const isReady =
        parent === undefined ||
        position.shards[parent]?.isFinished ||
        !shards.some(({ ShardId }) => ShardId === parent);
      if (isReady && !position.shards[id]?.isFinished) read += await this.#readShard(position, id);
    }
    return read;
  }

  async #shards(): Promise<Shard[]> {
    const shards: Shard[] = [];
    let after: string | undefined;
    do {
      const { StreamDescription } = await this.#streams.send(
        new DescribeStreamCommand({
          StreamArn: this.#options.streamArn,
          ExclusiveStartShardId: after,
        }),
      );
      shards.push(...(StreamDescription?.Shards ?? []));
      after = StreamDescription?.LastEvaluatedShardId;
    } while (after);
    return shards;
  }

  async #readShard(position: StreamPosition, shardId: string): Promise<number> {
    const ShardIterator = this.#iterators.get(shardId) ?? (await this.#iterator(position, shardId));
    const { Records = [], NextShardIterator } = await this.#streams.send(
      new GetRecordsCommand({ ShardIterator, Limit: batchSize }),
    );
    await this.#publish(Records.filter((record) => matchesFilter(record, eventFilter)));
    const sequenceNumber = Records.at(-1)?.dynamodb?.SequenceNumber;
    if (NextShardIterator) this.#iterators.set(shardId, NextShardIterator);
    if (sequenceNumber !== undefined || !NextShardIterator) {
      position.shards[shardId] = {
        ...position.shards[shardId],
        ...(sequenceNumber !== undefined && { sequenceNumber }),
        ...(!NextShardIterator && { isFinished: true }),
      };
      await savePosition(this.#options.positionFile, position);
    }
    return Records.length;
  }

  /** After the last published record, or at the oldest one that the stream still has. */
  async #iterator({ shards }: StreamPosition, ShardId: string): Promise<string | undefined> {
    const shard = { StreamArn: this.#options.streamArn, ShardId };
    const SequenceNumber = shards[ShardId]?.sequenceNumber;
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

  async #publish(records: readonly StreamRecord[]): Promise<void> {
    for (let rest = records; rest.length > 0; ) {
      this.#batches += 1;
      const result = await this.#options.functions.invoke(
        publisherName,
        { Records: rest.map(asLambdaSends) },
        `events-${this.#batches}`,
      );
      const failed =
        result.outcome === 'returned' ? failedIn(result.response) : sequenceNumberOf(rest[0]);
      if (failed === undefined) return;
      if (this.#isStopping) throw new Error('The service stops before all events are published.');
      rest = rest.slice(rest.findIndex((record) => sequenceNumberOf(record) === failed));
      await sleep(pauseMs);
    }
  }
}

const sequenceNumberOf = (record: StreamRecord | undefined): string | undefined =>
  record?.dynamodb?.SequenceNumber;

/** A function gets times in epoch seconds. */
const asLambdaSends = ({ dynamodb, ...record }: StreamRecord) => ({
  ...record,
  dynamodb: {
    ...dynamodb,
    ApproximateCreationDateTime: (dynamodb?.ApproximateCreationDateTime?.getTime() ?? 0) / 1000,
  },
});

/** The sequence number of the first record that was not published. */
const failedIn = (response: unknown): string | undefined =>
  (response as { batchItemFailures?: { itemIdentifier: string }[] }).batchItemFailures?.[0]
    ?.itemIdentifier;
