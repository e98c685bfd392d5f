/** A call as it arrives. */
export interface ArrivingCall {
  /** As `X-Amz-Target` names it: `UpdateItem`, `TransactWriteItems` ... */
  readonly operation: string;
  /** Partition and sort keys that the call names, `pk|sk`, in order; of a query only its partition key. */
  readonly items: readonly string[];
  readonly index: string | undefined;
  /** The operation and the item type of its first key, such as `UpdateItem KEY`: names a call site of an endpoint. */
  readonly site: string;
}

/** What a call did to DynamoDB, by its own account (`ReturnConsumedCapacity`). */
export interface ConsumedUnits {
  readonly tableWrites: number;
  readonly indexWrites: number;
  readonly reads: number;
}

/** A call that went through the proxy. Times are milliseconds of `performance.now()`. */
export interface RecordedCall extends ArrivingCall {
  readonly startedAt: number;
  /** Just before the answer was sent; undefined while it is under way. */
  endedAt: number | undefined;
  /** The kind of fault that it met. */
  readonly fault: string | undefined;
  /** The SDK's ID of the operation (`amz-sdk-invocation-id`): the same for each attempt. */
  readonly invocationId: string | undefined;
  /** Of the answer; undefined where none was sent. */
  status: number | undefined;
  units: ConsumedUnits;
  /** The request's body, with its items marshalled; undefined for a call outside of `record`. */
  readonly body: Json | undefined;
}

type Json = Readonly<Record<string, unknown>>;
const reads = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan', 'TransactGetItems']);

/** Reads a request's body for what a fault rule and a budget want to know of it. */
export function arrivingCall(operation: string, body: Json): ArrivingCall {
  const items = itemsOf(body);
  const index = typeof body.IndexName === 'string' ? body.IndexName : undefined;
  return { operation, items, index, site: `${operation} ${(items[0] ?? '').split('#')[0]}` };
}

function itemsOf(body: Json): string[] {
  const { Key, Item, RequestItems, TransactItems, ExpressionAttributeValues } = body as {
    Key?: Json;
    Item?: Json;
    RequestItems?: Record<string, { Keys: Json[] } | BatchWrite[]>;
    TransactItems?: Record<string, { Key?: Json; Item?: Json }>[];
    ExpressionAttributeValues?: Record<string, { S?: string }>;
  };
  if (TransactItems)
    return TransactItems.flatMap((item) => Object.values(item)).map((part) =>
      nameOf(part.Key ?? part.Item ?? {}),
    );
  if (RequestItems)
    return Object.values(RequestItems).flatMap((one) =>
      ('Keys' in one ? one.Keys : one.map(itemOf)).map(nameOf),
    );
  const key = Key ?? Item;
  if (key) return [nameOf(key)];
  const partition = Object.values(ExpressionAttributeValues ?? {}).find(({ S }) =>
    S?.includes('#'),
  )?.S;
  return partition === undefined ? [] : [partition];
}

interface BatchWrite {
  readonly PutRequest?: { readonly Item: Json };
  readonly DeleteRequest?: { readonly Key: Json };
}
const itemOf = ({ PutRequest, DeleteRequest }: BatchWrite): Json =>
  PutRequest?.Item ?? DeleteRequest?.Key ?? {};

/** The primary key of a marshalled item or key. */
export const nameOf = (item: Json): string => `${text(item.pk)}|${text(item.sk)}`;
const text = (value: unknown): string => (value as { S?: string } | undefined)?.S ?? '';

/** Adds up what an answer says it consumed; the engines leave out `WriteCapacityUnits` where the operation says which they are. */
export function consumedUnits(operation: string, answer: Json): ConsumedUnits {
  type Part = { CapacityUnits?: number };
  type Capacity = Part & { Table?: Part; GlobalSecondaryIndexes?: Record<string, Part> };
  const { ConsumedCapacity } = answer as { ConsumedCapacity?: Capacity | Capacity[] };
  const all = ConsumedCapacity === undefined ? [] : [ConsumedCapacity].flat();
  const sum = (numbers: readonly number[]): number =>
    numbers.reduce((total, one) => total + one, 0);
  const indexes = sum(
    all.flatMap(({ GlobalSecondaryIndexes = {} }) =>
      Object.values(GlobalSecondaryIndexes).map((one) => one.CapacityUnits ?? 0),
    ),
  );
  const total = sum(all.map(({ CapacityUnits = 0 }) => CapacityUnits));
  if (reads.has(operation)) return { tableWrites: 0, indexWrites: 0, reads: total };
  return { tableWrites: total - indexes, indexWrites: indexes, reads: 0 };
}

/**
 * The calls without attempts that the SDK gave up before their answer. On a busy machine an answer can come after the SDK's time-out, so that the
 * SDK sends the call again. The last attempt stands for all of them, from the time at which the first one arrived.
 */
export function withoutAbandonedAttempts(calls: readonly RecordedCall[]): RecordedCall[] {
  const kept: RecordedCall[] = [];
  for (const call of calls) {
    const earlier = kept.findIndex(
      ({ invocationId, endedAt = Number.POSITIVE_INFINITY }) =>
        invocationId !== undefined &&
        invocationId === call.invocationId &&
        endedAt > call.startedAt,
    );
    if (earlier < 0) kept.push(call);
    else kept[earlier] = { ...call, startedAt: kept[earlier]?.startedAt ?? call.startedAt };
  }
  return kept;
}

/** The length of the longest chain of calls that waited for one another. */
export const longestChain = (calls: readonly RecordedCall[]): number =>
  Math.max(0, ...chainLengths(calls).values());

/**
 * The length of the longest chain that ends with each call, in order of arrival. A call counts as waiting for another if it starts after that
 * one ended. This is correct only if parallel calls overlap: the proxy's `heldUntil` or `latencyMs` ensures it.
 */
export function chainLengths(calls: readonly RecordedCall[]): ReadonlyMap<RecordedCall, number> {
  const inOrder = [...calls].sort((a, b) => a.startedAt - b.startedAt);
  const lengths = new Map<RecordedCall, number>();
  for (const call of inOrder) {
    const before = inOrder.filter(
      ({ endedAt }) => endedAt !== undefined && endedAt <= call.startedAt,
    );
    lengths.set(call, 1 + Math.max(0, ...before.map((one) => lengths.get(one) ?? 0)));
  }
  return lengths;
}

/** All that calls consumed together. */
export function totalUnits(calls: readonly RecordedCall[]): ConsumedUnits {
  const sum = (unit: keyof ConsumedUnits): number =>
    calls.reduce((total, { units }) => total + units[unit], 0);
  return { tableWrites: sum('tableWrites'), indexWrites: sum('indexWrites'), reads: sum('reads') };
}
