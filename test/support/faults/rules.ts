import {
  DynamodbError,
  internalServerError,
  noReason,
  throttled,
  transactionCanceled,
} from '../../dynamodb-model/dynamodb-model.ts';
import { Random } from '../../simulation/random.ts';

/**
 * What can go wrong between a function and DynamoDB, in DynamoDB's own words: the local engines do none of it, the real service does
 * all of it. `proxy.ts` injects it.
 */

/** Error replies, by DynamoDB's names. */
type ErrorName =
  | 'ThrottlingException'
  | 'ProvisionedThroughputExceededException'
  | 'TransactionConflictException'
  | 'TransactionCanceledException'
  | 'TransactionInProgressException'
  | 'InternalServerError'
  | 'AccessDeniedException';

/** Why DynamoDB cancels a transaction although the request is valid (AWS: TransactWriteItems, Errors). */
type CancellationCode = 'TransactionConflict' | 'ThrottlingError' | 'ProvisionedThroughputExceeded';

/** What happens to one call. `applied`: whether the engine applies the call. */
export type Fault =
  /** The reply is this many milliseconds late. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** No reply until the caller gives up. */
  | { readonly kind: 'silence'; readonly applied: boolean }
  /** The reply's headers and half of its body, then nothing until the caller gives up. */
  | { readonly kind: 'stall'; readonly applied: boolean }
  /** The connection breaks, after `before` ran. `inBody`: half of the reply arrives first. */
  | {
      readonly kind: 'cut';
      readonly applied: boolean;
      readonly before?: () => unknown;
      readonly inBody?: boolean;
    }
  | {
      readonly kind: 'error';
      readonly name: ErrorName;
      readonly applied?: boolean;
      readonly code?: CancellationCode;
    };

/** A call as it arrives. */
export interface ArrivingCall {
  /** As `X-Amz-Target` names it: `UpdateItem`, `TransactWriteItems` ... */
  readonly operation: string;
  /** Partition and sort keys that the call names, `pk|sk`, in order; of a query only its partition key. */
  readonly items: readonly string[];
  readonly index: string | undefined;
  /** The operation and the item type of its first key, such as `UpdateItem KEY`: names a call site of an endpoint. */
  readonly site: string;
  /** 1, or more for a retry of the SDK. */
  readonly attempt: number;
  /** How many calls arrived before it since the proxy started. */
  readonly position: number;
}

/** Decides about each call; undefined lets it pass. */
export type FaultRule = (call: ArrivingCall) => Fault | undefined;

/** As of an index, on demand. */
const throttlingReason = {
  reason: 'IndexWriteKeyRangeThroughputExceeded',
  resource: 'arn:aws:dynamodb:ap-south-1:000000000000:table/leads/index/by-stage',
};

/**
 * @param items how many items the call has: a cancelled transaction gives a reason for each
 * @param code why a transaction is cancelled
 */
export function errorOf(
  name: ErrorName,
  items: number,
  code: CancellationCode = 'TransactionConflict',
): DynamodbError {
  switch (name) {
    case 'ThrottlingException':
    case 'ProvisionedThroughputExceededException':
      return throttled(name, [throttlingReason]);
    case 'InternalServerError':
      return internalServerError();
    case 'TransactionCanceledException': {
      const others = Array.from({ length: items - 1 }, () => noReason);
      return transactionCanceled([{ Code: code }, ...others]);
    }
    default:
      return new DynamodbError(name, 'The request was rejected.');
  }
}

/** Items that an administrator's transactions write and requests update: only there can an update conflict with a transaction. */
const conflicting = new Set(['UpdateItem KEY', 'UpdateItem USAGE']);

/** The faults that this call may have, each with its weight in a schedule: those that wait for a time-out are rare. */
function possibleFaults(
  { operation, site }: ArrivingCall,
  random: () => number,
): readonly (readonly [weight: number, fault: Fault])[] {
  const applied = random() < 0.5;
  return [
    [6, { kind: 'delay', ms: Math.round(random() * 80) }],
    [4, { kind: 'cut', applied }],
    [1, { kind: 'silence', applied }],
    [1, { kind: 'stall', applied }],
    [2, { kind: 'error', name: 'ThrottlingException' }],
    [1, { kind: 'error', name: 'ProvisionedThroughputExceededException' }],
    [3, { kind: 'error', name: 'InternalServerError', applied }],
    [conflicting.has(site) ? 4 : 0, { kind: 'error', name: 'TransactionConflictException' }],
    [
      operation === 'TransactWriteItems' ? 6 : 0,
      { kind: 'error', name: 'TransactionCanceledException' },
    ],
    [
      operation === 'TransactWriteItems' ? 2 : 0,
      { kind: 'error', name: 'TransactionCanceledException', code: 'ThrottlingError' },
    ],
    [
      operation === 'TransactWriteItems' ? 3 : 0,
      { kind: 'error', name: 'TransactionInProgressException', applied },
    ],
  ];
}

/**
 * A rule that lets this share of the calls fail. The faults follow from the seed and from the order of the calls.
 * @param share 0 to 1
 */
export function faultSchedule(seed: number, share: number): FaultRule {
  const seeded = new Random(`faults ${seed}`);
  const random = (): number => seeded.fraction();
  return (call) => {
    if (random() >= share) return undefined;
    const faults = possibleFaults(call, random);
    let at = random() * faults.reduce((sum, [weight]) => sum + weight, 0);
    return faults.find(([weight]) => {
      at -= weight;
      return at < 0;
    })?.[1];
  };
}

/** A rule that lets only one call fail: the first for which `which` is true. */
export function faultOnce(which: (call: ArrivingCall) => boolean, fault: Fault): FaultRule {
  let isDone = false;
  return (call) => {
    if (isDone || !which(call)) return undefined;
    isDone = true;
    return fault;
  };
}
