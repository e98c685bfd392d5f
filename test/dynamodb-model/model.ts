import type { Item } from './attribute-values.ts';
import { resourceNotFound, type ThrottlingReason, throttled, ValidationError } from './errors.ts';
import type { Reply, Request } from './request.ts';
import type { ChooseState, StoredItem } from './stored-item.ts';
import type { Table } from './table.ts';
import type { KeyText } from './table-schema.ts';
import { Throughput } from './throughput.ts';
import { TransactionTokens } from './transaction-tokens.ts';
import type { Units } from './units.ts';

/** How an operation runs: each `yield` waits for a turn of its own among all that goes on, and says for what. */
export type Progress = Generator<string, Reply, void>;
export type Operation = (dynamodb: DynamodbModel, request: Request) => Progress | Reply;

/** What operations use of DynamoDB: its tables, and the choices that its documentation leaves open. */
export class DynamodbModel {
  readonly options: SimulatedDynamodbOptions;
  readonly tables = new Map<string, Table>();
  readonly tokens = new TransactionTokens();
  readonly #throughput: Throughput | undefined;

  constructor(options: SimulatedDynamodbOptions) {
    this.options = options;
    this.#throughput = options.hasThroughputLimits ? new Throughput() : undefined;
  }

  get now(): number {
    return this.options.now();
  }

  /** @param otherChance how often it is another than the ordinary way; at 0 it never is, and is no choice */
  choose(choices: number, what: string, otherChance = 0.5): number {
    return choices > 1 && otherChance > 0
      ? (this.options.choose?.(choices, what, otherChance) ?? 0)
      : 0;
  }

  /** Which state a read that need not be consistent shows; undefined where reads are always fresh. */
  get chooseState(): ChooseState | undefined {
    const { staleChance } = this.options;
    return staleChance ? (states, what) => this.choose(states, what, staleChance) : undefined;
  }

  /** @throws DynamodbError for a table that is not there */
  table(name: string | undefined): Table {
    const table = this.tables.get(name ?? '');
    if (table) return table;
    if (name) throw resourceNotFound();
    throw new ValidationError(
      "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: Member must not be null",
    );
  }

  write(table: Table, stored: StoredItem, item: Item | undefined): void {
    const before = stored.current;
    table.write(stored, item, this.now);
    this.options.onWrite?.({ key: stored.key, before, after: item });
    if (item && table.timeToLiveAttribute !== undefined)
      this.#scheduleExpiry(table, stored, Number(item[table.timeToLiveAttribute]?.N) * 1000);
  }

  /** Chooses when an expired item is deleted. The item stays when it was written again meanwhile: that write chose anew. */
  #scheduleExpiry(table: Table, stored: StoredItem, expiresAt: number): void {
    const { at, expiryChance = 0 } = this.options;
    if (!at || !Number.isFinite(expiresAt) || expiresAt < this.now - oldestMs) return;
    const delayMs =
      delaysMs[this.choose(delaysMs.length, 'deletion of an expired item', expiryChance)];
    if (delayMs === undefined) return;
    const { current } = stored;
    at(Math.max(this.now, expiresAt) + delayMs, 'an expired item is deleted', () => {
      if (stored.current === current && !stored.isLocked) table.write(stored, undefined, this.now);
    });
  }

  /** Takes what an operation costs from the partitions. @returns the reason if one of them is short: nothing was taken then */
  shortOf(table: Table, units: readonly Units[]): ThrottlingReason | undefined {
    return this.#throughput?.take(table, units, this.now);
  }

  /** Like `shortOf`. @throws DynamodbError if one is short: a throttled request, under one of its two names */
  take(table: Table, units: readonly Units[]): void {
    const reason = this.shortOf(table, units);
    if (!reason) return;
    const isNewer = this.choose(2, 'name of the throttling error') === 0;
    throw throttled(isNewer ? 'ThrottlingException' : 'ProvisionedThroughputExceededException', [
      reason,
    ]);
  }
}

const hourMs = 3_600_000;
/** After its expiry an item goes at once, within days, or not during a run (developer guide, "Using time to live": typically within a few days). */
const delaysMs: readonly (number | undefined)[] = [undefined, 0, hourMs, 24 * hourMs, 48 * hourMs];
/** An expiry that lies further back is taken for a mistake: the item stays. */
const oldestMs = 5 * 365 * 24 * hourMs;

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
   * How often a transaction locks its items in two groups, or holds its locks for longer than one turn. If two transactions overlap, both
   * may then be cancelled. @default 0, never
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
