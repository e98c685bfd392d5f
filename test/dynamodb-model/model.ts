import type { Item } from './attribute-values.ts';
import type { throttled } from './errors.ts';
import type { Reply, Request } from './request.ts';
import type { StoredItem } from './stored-item.ts';
import type { ChooseState, Table } from './table.ts';
import type { KeyText } from './table-schema.ts';
import type { Throughput } from './throughput.ts';
import type { TransactionTokens } from './transaction-tokens.ts';

/** How an operation runs: each `yield` waits for a turn of its own among all that goes on, and says for what. */
export type Progress = Generator<string, Reply, void>;
export type Operation = (dynamodb: DynamodbModel, request: Request) => Progress | Reply;

/** What an operation uses of the model. */
export interface DynamodbModel {
  readonly options: SimulatedDynamodbOptions;
  readonly tables: Map<string, Table>;
  readonly tokens: TransactionTokens;
  readonly throughput: Throughput | undefined;
  readonly now: number;
  /** Which state a read that need not be consistent shows; undefined where reads are always fresh. */
  readonly chooseState: ChooseState | undefined;
  /** @param otherChance how often it is another than the ordinary way; at 0 it never is, and is no choice */
  choose(choices: number, what: string, otherChance?: number): number;
  /** @throws DynamodbError for a table that is not there */
  table(name: string | undefined): Table;
  write(table: Table, stored: StoredItem, item: Item | undefined): void;
  /** @throws DynamodbError: a throttled request, under one of its two names */
  refuseThrottled(reason: Parameters<typeof throttled>[1][number] | undefined): void;
}

/** Some of several, by choice: how many, and which. Never all of them; in the ordinary way none, and the last before others. */
export function someOf<T>(
  dynamodb: DynamodbModel,
  all: readonly T[],
  what: string,
  otherChance = 0,
): ReadonlySet<T> {
  const count = dynamodb.choose(all.length, what, otherChance);
  const rest = all.toReversed();
  const some = new Set<T>();
  while (some.size < count)
    for (const one of rest.splice(dynamodb.choose(rest.length, `${what}: one of them`), 1))
      some.add(one);
  return some;
}

export interface SimulatedDynamodbOptions {
  /** Simulated time in epoch milliseconds. */
  readonly now: () => number;
  /** One of several ways, 0 the ordinary one: which state a read shows, how much of a batch is left. @default the ordinary one */
  readonly choose?: (options: number, what: string, otherChance: number) => number;
  /** Runs something at a moment of simulated time: deletions of expired items. @default never */
  readonly at?: (epochMs: number, what: string, run: () => void) => void;
  /** How often an eventually consistent read, or an index, shows an item's state of before where there is one. @default 0, never */
  readonly staleChance?: number;
  /** How often a batch leaves something unprocessed. @default 0, never */
  readonly unprocessedChance?: number;
  /** How often the names in a reply's items and maps come in another order than they were sent in. @default 0, never */
  readonly reorderChance?: number;
  /** How often an expired item is deleted, some time within days. @default 0, never */
  readonly expiryChance?: number;
  /** Whether a partition gives no more than its units a second. @default false */
  readonly hasThroughputLimits?: boolean;
  /** Whether a transaction's items appear one after the other, each a turn of its own. @default false: all at once, after their locks */
  readonly commitsItemByItem?: boolean;
  /**
   * How often a transaction locks its items in two groups, one after the other, or keeps its locks for longer than one turn: of two that
   * overlap, both may be cancelled. @default 0, never
   */
  readonly overlapChance?: number;
  /** Of 1 MB, the share after which a page ends; less makes more pages of little data. @default 1 */
  readonly pageShare?: number;
  /** Told when a transaction's conditions have been evaluated, all its items being locked. */
  readonly onEvaluated?: () => void;
  /** Told of every write as it is applied. */
  readonly onWrite?: (write: AppliedWrite) => void;
}

export interface AppliedWrite {
  readonly key: KeyText;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}
