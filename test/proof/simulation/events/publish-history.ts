import { marshall } from '@aws-sdk/util-dynamodb';
import { publisherName } from '../../../../infra/bundle/built-functions.ts';
import { eventFilter } from '../../../../shared/store/table/event-filter.ts';
import type { Progress, Reply, SimulatedDynamodb } from '../../../dynamodb-model/dynamodb-model.ts';
import type { Random } from '../../../support/generated/random.ts';
import type { History, Write } from '../checker/history.ts';
import { type Change, type Program, readProgram } from '../lambda/modules.ts';
import { Runtime } from '../lambda/runtime.ts';
import type { CallInfo, Fault, Network } from '../network.ts';
import { Scheduler } from '../scheduler.ts';

/** A record of the table's stream, as Lambda passes it. */
interface StreamRecord {
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly dynamodb: {
    readonly SequenceNumber: string;
    readonly Keys: object;
    readonly NewImage?: object;
  };
}

type Handler = (
  batch: { readonly Records: readonly StreamRecord[] },
  context: { readonly awsRequestId: string },
) => Promise<{ readonly batchItemFailures: readonly { readonly itemIdentifier: string }[] }>;

const publisherFile = `./functions/${publisherName}/handler.ts`;

export const bundlePublisher = (...changes: readonly Change[]): Promise<Program> =>
  readProgram(`export { handler } from ${JSON.stringify(publisherFile)};`, changes);

const faults: readonly Fault[] = [
  'lost before',
  'lost after',
  'reset before',
  'reset after',
  'internal error after',
  'silence',
  'death before',
  'death after',
];
const shardCount = 3;

/**
 * Publishes a history's writes like the deployed event source: shard by shard, in batches, from the record that the publisher names.
 * Meanwhile the bus refuses entries, calls fail, instances die, and the stream delivers some batches twice.
 */
export async function publishHistory(
  { writes }: History,
  publisher: Program,
  { seed, faultChance }: { readonly seed: string; readonly faultChance: number },
): Promise<{ events: readonly PublishedEvent[]; faults: number }> {
  const scheduler = new Scheduler({ seed: `events ${seed}` });
  const random = scheduler.randomFor('event source');
  const bus = new SimulatedBus(scheduler.randomFor('bus'), faultChance);
  let happened = 0;
  const network: Network = {
    scheduler,
    dynamodb: bus as unknown as SimulatedDynamodb,
    latency: () => 1 + random.fraction() * 20,
    faultOf: (_call: CallInfo) => {
      if (!random.chance(faultChance)) return 'none';
      happened += 1;
      return random.pick(faults);
    },
  };
  const source = new SimulatedEventSource(network, publisher, random);
  await scheduler.run(() => Promise.all(shardsOf(writes).map((shard) => source.read(shard))));
  return { events: bus.events, faults: happened };
}

/** All items of a partition are in one shard, in the order of their writes. */
function shardsOf(writes: readonly Write[]): StreamRecord[][] {
  const shards = Array.from({ length: shardCount }, (): StreamRecord[] => []);
  // What was there before the history was written before the stream was switched on.
  for (const write of writes.filter(({ work }) => work !== undefined)) {
    const { pk } = write;
    const hash = [...pk].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_521, 7);
    shards[hash % shardCount]?.push(recordOf(write));
  }
  return shards;
}

const recordOf = ({ pk, sk, before, after, order }: Write): StreamRecord => ({
  eventName: after ? (before ? 'MODIFY' : 'INSERT') : 'REMOVE',
  dynamodb: {
    SequenceNumber: String(order),
    Keys: marshall({ pk, sk }),
    ...(after && { NewImage: marshall(after, { removeUndefinedValues: true }) }),
  },
});

class SimulatedEventSource {
  readonly #network: Network;
  readonly #publisher: Program;
  readonly #random: Random;
  #instances = 0;

  constructor(network: Network, publisher: Program, random: Random) {
    this.#network = network;
    this.#publisher = publisher;
    this.#random = random;
  }

  async read(shard: readonly StreamRecord[]): Promise<void> {
    for (let at = 0; at < shard.length; ) {
      const batch = shard.slice(at, at + this.#random.between(1, 12));
      const Records = batch.filter((record) => matchesFilter(record, eventFilter));
      const failed = Records.length === 0 ? undefined : await this.#invoke(Records);
      const next =
        failed === undefined
          ? at + batch.length
          : shard.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === failed);
      // The stream may deliver again what it delivered.
      at = this.#random.chance(0.1) ? Math.min(next, Math.max(0, at - 3)) : next;
      await this.#network.scheduler.sleep(this.#random.between(1, 200));
    }
  }

  /** @returns the record from which the batch is to be repeated; undefined if all is published */
  #invoke(Records: readonly StreamRecord[]): Promise<string | undefined> {
    const first = Records[0]?.dynamodb.SequenceNumber;
    this.#instances += 1;
    const runtime = new Runtime({
      name: `publisher#${this.#instances}`,
      network: this.#network,
      environment: { EVENT_BUS: 'bus' },
    });
    return new Promise((resolve) => {
      runtime.onDeath(() => resolve(first));
      runtime
        .run(async () => {
          const { handler } = this.#publisher() as { readonly handler: Handler };
          return handler({ Records }, { awsRequestId: runtime.name });
        })
        .then(
          ({ batchItemFailures }) => resolve(batchItemFailures[0]?.itemIdentifier),
          () => resolve(first),
        );
    });
  }
}

/** An event as the bus received it. */
export interface PublishedEvent {
  readonly type: string;
  readonly detail: Readonly<Record<string, unknown>> & {
    readonly organizationId: number;
    readonly leadId: number;
    readonly id: string;
    readonly at: string;
  };
}

interface Entry {
  readonly DetailType: string;
  readonly Detail: string;
}

const entriesMax = 10;

/** EventBridge's `PutEvents`, which may accept some entries of a request and refuse others. */
export class SimulatedBus {
  /** In the order in which the bus accepted them, repeats included. */
  readonly events: PublishedEvent[] = [];
  readonly #random: Random;
  readonly #refusalChance: number;

  constructor(random: Random, refusalChance: number) {
    this.#random = random;
    this.#refusalChance = refusalChance;
  }

  *execute(operation: string, request: unknown): Progress {
    const { Entries } = request as { Entries: readonly Entry[] };
    if (operation !== 'PutEvents' || Entries.length === 0 || Entries.length > entriesMax)
      throw new Error(`The bus does not accept ${operation} of ${Entries.length} entries.`);
    const results = Entries.map(({ DetailType, Detail }) => {
      if (this.#random.chance(this.#refusalChance)) return { ErrorCode: 'InternalFailure' };
      this.events.push({ type: DetailType, detail: JSON.parse(Detail) });
      return { EventId: String(this.events.length) };
    });
    const failed = results.filter(({ EventId }) => EventId === undefined).length;
    return { FailedEntryCount: failed, Entries: results } as unknown as Reply;
  }
}

/** A pattern of an event source mapping, as far as the service uses it: lists of texts and of prefixes, at any depth (AWS: Lambda event filtering). */
export type FilterPattern = { readonly [name: string]: FilterPattern | readonly FilterRule[] };
export type FilterRule = string | { readonly prefix: string };

/** Whether a record matches a pattern, as Lambda decides it: each part must have one of its values. */
export function matchesFilter(record: unknown, pattern: FilterPattern): boolean {
  return Object.entries(pattern).every(([name, part]) => {
    const value = (record as Readonly<Record<string, unknown>> | undefined)?.[name];
    return Array.isArray(part)
      ? part.some((rule: FilterRule) => matchesRule(value, rule))
      : matchesFilter(value, part as FilterPattern);
  });
}

const matchesRule = (value: unknown, rule: FilterRule): boolean =>
  typeof value === 'string' &&
  (typeof rule === 'string' ? value === rule : value.startsWith(rule.prefix));
