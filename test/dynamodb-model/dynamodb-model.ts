import type { Item } from './attribute-values.ts';
import { NotModelledError, resourceNotFound, throttled, ValidationError } from './errors.ts';
import type {
  AppliedWrite,
  DynamodbModel,
  Operation,
  Progress,
  SimulatedDynamodbOptions,
} from './model.ts';
import { administration } from './operations/administration.ts';
import { batches } from './operations/batches.ts';
import { queries } from './operations/queries.ts';
import { singleItems } from './operations/single-items.ts';
import { transactions } from './operations/transactions.ts';
import type { Reply, Request } from './request.ts';
import type { StoredItem } from './stored-item.ts';
import type { ChooseState, Table } from './table.ts';
import { Throughput } from './throughput.ts';
import { TransactionTokens } from './transaction-tokens.ts';

/** What users of the model need of its other files, which they do not import: test/architecture.test.ts holds them to it. */
export type { AttributeValue, Item } from './attribute-values.ts';
export {
  DynamodbError,
  internalServerError,
  noReason,
  throttled,
  throttlingReasonOfTransaction,
  transactionCanceled,
  transactionConflict,
} from './errors.ts';
export { tokensOf } from './expressions/tokens.ts';
export { errorResponse, httpResponse, requestOf } from './json-protocol.ts';
export type { BatchKeys, BatchWrite, Reply, Request, TransactItem } from './request.ts';
export type { Table } from './table.ts';
export { type KeyText, keyTextOf } from './table-schema.ts';
export type { AppliedWrite, Progress, SimulatedDynamodbOptions };

const operations: Readonly<Record<string, Operation>> = {
  ...singleItems,
  ...queries,
  ...batches,
  ...transactions,
  ...administration,
};

/**
 * DynamoDB as its documentation describes it, in memory: what it answers, what it may answer, and what it refuses.
 * What the documentation leaves open is a choice (`choose`).
 */
export class SimulatedDynamodb implements DynamodbModel {
  readonly options: SimulatedDynamodbOptions;
  readonly tables = new Map<string, Table>();
  readonly tokens = new TransactionTokens();
  readonly throughput: Throughput | undefined;
  /** Requests by operation. */
  readonly counts = new Map<string, number>();

  constructor(options: SimulatedDynamodbOptions) {
    this.options = options;
    this.throughput = options.hasThroughputLimits
      ? new Throughput('arn:aws:dynamodb:ap-south-1:000000000000')
      : undefined;
  }

  get now(): number {
    return this.options.now();
  }

  choose(choices: number, what: string, otherChance = 0.5): number {
    return choices > 1 && otherChance > 0
      ? (this.options.choose?.(choices, what, otherChance) ?? 0)
      : 0;
  }

  get chooseState(): ChooseState | undefined {
    const { staleChance } = this.options;
    return staleChance ? (states, what) => this.choose(states, what, staleChance) : undefined;
  }

  /** Runs an operation, turn by turn. @throws DynamodbError */
  *execute(name: string, request: Request): Progress {
    const operation = operations[name];
    if (!operation) throw new NotModelledError(`the operation ${name}`);
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    const progress = operation(this, request);
    return this.#reordered(isProgress(progress) ? yield* progress : progress);
  }

  /** DynamoDB promises no order of the names in a map. */
  #reordered(reply: Reply): Reply {
    const { reorderChance = 0 } = this.options;
    const turn = this.choose(3, 'order of names', reorderChance);
    return turn === 0 ? reply : (reordered(reply, turn === 1) as Reply);
  }

  /** Runs an operation to its end at once. @throws DynamodbError */
  executeNow(name: string, request: Request): Reply {
    const progress = this.execute(name, request);
    for (;;) {
      const { done, value } = progress.next();
      if (done) return value;
    }
  }

  table(name: string | undefined): Table {
    const table = this.tables.get(name ?? '');
    if (table) return table;
    if (!name)
      throw new ValidationError(
        "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: Member must not be null",
      );
    throw resourceNotFound();
  }

  write(table: Table, stored: StoredItem, item: Item | undefined): void {
    const before = stored.current;
    table.write(stored, item, this.now);
    this.options.onWrite?.({ key: stored.key, before, after: item });
    if (item && table.timeToLiveAttribute !== undefined) scheduleExpiry(this, table, stored, item);
  }

  refuseThrottled(reason: Parameters<typeof throttled>[1][number] | undefined): void {
    if (!reason) return;
    const isNewer = this.choose(2, 'name of the throttling error') === 0;
    throw throttled(isNewer ? 'ThrottlingException' : 'ProvisionedThroughputExceededException', [
      reason,
    ]);
  }
}

/** The same value, the names of its objects backwards or beginning in the middle. */
function reordered(value: unknown, isBackwards: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => reordered(one, isBackwards));
  if (value === null || typeof value !== 'object') return value;
  const names = Object.keys(value);
  const middle = names.length >> 1;
  const turned = isBackwards
    ? names.reverse()
    : [...names.slice(middle), ...names.slice(0, middle)];
  const result: Record<string, unknown> = {};
  for (const name of turned)
    result[name] = reordered((value as Record<string, unknown>)[name], isBackwards);
  return result;
}

const isProgress = (reply: Progress | Reply): reply is Progress => Symbol.iterator in reply;

const hourMs = 3_600_000;
/** After its expiry an item goes at once, within days, or not during a run (developer guide, "Using time to live": typically within a few days). */
const delaysMs: readonly (number | undefined)[] = [undefined, 0, hourMs, 24 * hourMs, 48 * hourMs];
/** An expiry that lies further back is taken for a mistake: the item stays. */
const oldestMs = 5 * 365 * 24 * hourMs;

/** Chooses when an expired item is deleted. The item stays when it was written again meanwhile: that write chose anew. */
function scheduleExpiry(
  dynamodb: DynamodbModel,
  table: Table,
  stored: StoredItem,
  item: Item,
): void {
  const { at } = dynamodb.options;
  const expiresAt = Number(item[table.timeToLiveAttribute ?? '']?.N ?? Number.NaN) * 1000;
  if (!at || !Number.isFinite(expiresAt) || expiresAt < dynamodb.now - oldestMs) return;
  const delayMs =
    delaysMs[
      dynamodb.choose(
        delaysMs.length,
        'deletion of an expired item',
        dynamodb.options.expiryChance ?? 0,
      )
    ];
  if (delayMs === undefined) return;
  at(Math.max(dynamodb.now, expiresAt) + delayMs, 'an expired item is deleted', () => {
    if (stored.current === item && !stored.isLocked) table.write(stored, undefined, dynamodb.now);
  });
}
