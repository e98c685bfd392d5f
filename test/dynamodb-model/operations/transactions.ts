import type { Item } from '../attribute-values.ts';
import {
  type CancellationReason,
  DynamodbError,
  noReason,
  throttlingReasonOfTransaction,
  transactionCanceled,
  ValidationError,
} from '../errors.ts';
import { expressionsOf } from '../expressions/expressions.ts';
import { type DynamodbModel, type Operation, type Progress, someOf } from '../model.ts';
import type { Reply, Request, TransactItem } from '../request.ts';
import { type StoredItem, sizeOf } from '../stored-item.ts';
import type { Table } from '../table.ts';
import { type KeyText, keyOfRequest } from '../table-schema.ts';
import { capacitiesOf, doubled, type Units, unitsOfRead, unitsOfWrite } from '../units.ts';
import { evaluate, readAction, type WriteAction, type Written } from '../write-action.ts';

const itemsMax = 100;
const bytesMax = 4 * 1024 * 1024;
const conflict: CancellationReason = {
  Code: 'TransactionConflict',
  Message: 'Transaction is ongoing for the item',
};

/** An item of a transaction whose condition holds: it is written when all do. */
interface Prepared {
  readonly action: WriteAction;
  readonly stored: StoredItem;
  readonly written: Written;
  readonly units: readonly Units[];
}

/** The items that a transaction holds, by what it does to them. */
type Locks = Map<WriteAction, StoredItem>;

/** Two phases: all items are locked and evaluated; then, each turn on its own, they are written and released. */
function* transactWrite(dynamodb: DynamodbModel, request: Request): Progress {
  const { TransactItems = [], ClientRequestToken: token } = request;
  assertCount(TransactItems);
  const actions = TransactItems.map((item) => actionOf(dynamodb, item));
  assertApart(actions);
  const { tokens, options } = dynamodb;
  if (tokens.wasApplied(token, TransactItems, dynamodb.now)) return repeated(request, actions);
  tokens.begin(token, TransactItems, dynamodb.now);
  const prepared = yield* firstPhase(dynamodb, actions, token);
  yield 'the items of a transaction are locked';
  const longer = dynamodb.choose(3, 'turns of a lock', options.overlapChance ?? 0);
  for (let turn = 0; turn < longer; turn += 1) yield 'the items of a transaction stay locked';
  for (const [at, { action, stored, written }] of prepared.entries()) {
    stored.isLocked = false;
    if (action.kind !== 'check' && (written.before || written.after))
      dynamodb.write(action.table, stored, written.after);
    if (options.commitsItemByItem && at < prepared.length - 1)
      yield 'an item of a transaction is written';
  }
  tokens.end(token, dynamodb.now);
  return capacitiesOf(
    request,
    prepared.map(({ action, units }) => [action.table, units]),
  );
}

/** Locks and evaluates. @throws DynamodbError when it is cancelled, its locks being released, perhaps a turn later */
function* firstPhase(
  dynamodb: DynamodbModel,
  actions: readonly WriteAction[],
  token: string | undefined,
): Generator<string, readonly Prepared[]> {
  const locks: Locks = new Map();
  try {
    yield* lock(dynamodb, actions, locks);
    const prepared = prepare(dynamodb, actions, locks);
    dynamodb.options.onEvaluated?.();
    return prepared;
  } catch (error) {
    const { overlapChance = 0 } = dynamodb.options;
    if (dynamodb.choose(2, 'locks of a cancelled transaction', overlapChance) > 0)
      yield 'a cancelled transaction keeps its locks';
    for (const stored of locks.values()) stored.isLocked = false;
    dynamodb.tokens.forget(token);
    throw error;
  }
}

/** Locks the items that no other transaction holds, at once or in two groups. */
function* lock(
  dynamodb: DynamodbModel,
  actions: readonly WriteAction[],
  locks: Locks,
): Generator<string, void> {
  const take = (some: readonly WriteAction[]): void => {
    for (const action of some) {
      const stored = action.table.place(action.key);
      if (stored.isLocked) continue;
      stored.isLocked = true;
      locks.set(action, stored);
    }
  };
  const { overlapChance } = dynamodb.options;
  const later = someOf(dynamodb, actions, 'items that a transaction locks later', overlapChance);
  take(actions.filter((action) => !later.has(action)));
  if (later.size === 0) return;
  yield 'some items of a transaction are locked';
  take([...later]);
}

function assertCount(items: readonly TransactItem[]): void {
  if (items.length >= 1 && items.length <= itemsMax) return;
  const bound =
    items.length === 0 ? 'greater than or equal to 1' : `less than or equal to ${itemsMax}`;
  throw new ValidationError(
    `1 validation error detected: Value '[${items.length} items]' at 'transactItems' failed to satisfy constraint: Member must have length ${bound}`,
  );
}

/** @throws ValidationError for an action that no item could be right for */
function actionOf(
  dynamodb: DynamodbModel,
  { Put, Update, Delete, ConditionCheck }: TransactItem,
): WriteAction {
  const all = [
    ['put', Put],
    ['update', Update],
    ['delete', Delete],
    ['check', ConditionCheck],
  ] as const;
  const given = all.filter(([, request]) => request !== undefined);
  const [kind, request] = given[0] ?? [];
  if (given.length !== 1 || !kind || !request) {
    throw new ValidationError('TransactItems can only contain one of Check, Put, Update or Delete');
  }
  return readAction(kind, dynamodb.table(request.TableName), request);
}

function assertApart(actions: readonly { readonly table: Table; readonly key: KeyText }[]): void {
  const keys = actions.map(
    ({ table, key }) => `${table.schema.name}\u0000${key.partition}\u0000${key.sort}`,
  );
  if (new Set(keys).size < keys.length) {
    throw new ValidationError('Transaction request cannot include multiple operations on one item');
  }
}

/** Evaluates every item. @throws DynamodbError with a reason by position, when one is held by another, or its condition does not hold */
function prepare(
  dynamodb: DynamodbModel,
  actions: readonly WriteAction[],
  locks: Locks,
): Prepared[] {
  let isCanceled = false;
  const outcomes = actions.map((action): Prepared | CancellationReason => {
    const stored = locks.get(action);
    const outcome = stored ? evaluated(action, stored) : conflict;
    isCanceled ||= 'Code' in outcome;
    return outcome;
  });
  if (isCanceled)
    throw transactionCanceled(outcomes.map((outcome) => ('Code' in outcome ? outcome : noReason)));
  const prepared = outcomes as Prepared[];
  const bytes = prepared.reduce(
    (sum, { written }) => sum + Math.max(sizeOf(written.before), sizeOf(written.after)),
    0,
  );
  if (bytes > bytesMax)
    throw new ValidationError(
      'Collection size of the transaction exceeds the maximum limit of 4 MB',
    );
  const short = prepared.map(({ action, units }) => dynamodb.shortOf(action.table, units));
  if (short.some((reason) => reason)) {
    throw transactionCanceled(
      short.map((reason) => (reason ? throttlingReasonOfTransaction : noReason)),
    );
  }
  return prepared;
}

function evaluated(action: WriteAction, stored: StoredItem): Prepared | CancellationReason {
  try {
    const written = evaluate(action, stored.current);
    const { before, after } = written;
    const units = doubled(unitsOfWrite(action.table, action.key.partition, before, after));
    return { action, stored, written, units };
  } catch (error) {
    if (!(error instanceof DynamodbError)) throw error;
    if (error.name === 'ValidationException')
      return { Code: 'ValidationError', Message: error.message };
    const { Item: item } = error.members;
    return {
      Code: 'ConditionalCheckFailed',
      Message: error.message,
      ...(item !== undefined && { Item: item }),
    };
  }
}

/** A request that was applied before is not applied again: it costs the reading of its items. */
const repeated = (request: Request, actions: readonly WriteAction[]): Reply =>
  capacitiesOf(
    request,
    actions.map(({ table, key }) => [table, unitsOfTransactRead(table.find(key)?.current)]),
  );

const unitsOfTransactRead = (item: Item | undefined): Units[] =>
  doubled([unitsOfRead(sizeOf(item), { isConsistent: true })]);

/** All items as they are at one moment; refused while one of them is being written. */
const transactGet: Operation = (dynamodb, request) => {
  const { TransactItems = [] } = request;
  assertCount(TransactItems);
  const reads = TransactItems.map(({ Get = {} }) => {
    const { projection } = expressionsOf(Get);
    const table = dynamodb.table(Get.TableName);
    const key = keyOfRequest(table.schema, Get.Key);
    return { table, key, projection };
  });
  assertApart(reads);
  const stored = reads.map(({ table, key }) => table.find(key));
  if (stored.some((one) => one?.isLocked))
    throw transactionCanceled(stored.map((one) => (one?.isLocked ? conflict : noReason)));
  const items = stored.map((one) => one?.current);
  return {
    Responses: items.map((item, at) => {
      const { projection } = reads[at] ?? {};
      return item ? { Item: projection ? projection(item) : item } : {};
    }),
    ...capacitiesOf(
      request,
      reads.map(({ table }, at) => [table, unitsOfTransactRead(items[at])]),
    ),
  };
};

export const transactions: Readonly<Record<string, Operation>> = {
  TransactWriteItems: transactWrite,
  TransactGetItems: transactGet,
};
