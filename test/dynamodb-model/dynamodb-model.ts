import { NotModelledError } from './errors.ts';
import {
  type AppliedWrite,
  DynamodbModel,
  type Operation,
  type Progress,
  type SimulatedDynamodbOptions,
} from './model.ts';
import { administration } from './operations/administration.ts';
import { batches } from './operations/batches.ts';
import { queries } from './operations/queries.ts';
import { singleItems } from './operations/single-items.ts';
import { transactions } from './operations/transactions.ts';
import type { Reply, Request } from './request.ts';

/** What users of the model need of its other files, which they do not import: test/architecture.test.ts holds them to it. */
export type { AttributeValue, Item } from './attribute-values.ts';
export {
  DynamodbError,
  internalServerError,
  noReason,
  throttled,
  transactionCanceled,
  transactionConflict,
  transactionInProgress,
} from './errors.ts';
export { tokensOf } from './expressions/tokens.ts';
export { answerTo, errorResponse, type SentRequest } from './json-protocol.ts';
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
export class SimulatedDynamodb extends DynamodbModel {
  /** Runs an operation, turn by turn. @throws DynamodbError */
  *execute(name: string, request: Request): Progress {
    const operation = operations[name];
    if (!operation) throw new NotModelledError(`the operation ${name}`);
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
