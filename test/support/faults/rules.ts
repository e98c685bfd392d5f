import { DynamodbError, type Request } from '../../dynamodb-model/dynamodb-model.ts';
import type { ArrivingCall } from './calls.ts';

/** What happens to one call between a function and DynamoDB. `applied`: whether the engine applies the call. `proxy.ts` injects it. */
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
  /** DynamoDB replies with an error. */
  | { readonly kind: 'error'; readonly error: DynamodbError; readonly applied?: boolean };

/** DynamoDB's reply to credentials that lack a permission. */
export const accessDenied: Fault = {
  kind: 'error',
  error: new DynamodbError('AccessDeniedException', 'The request was rejected.'),
};

/** Chooses the fault of a call from its request; undefined lets the call pass. */
export type FaultRule = (call: ArrivingCall, request: Request) => Fault | undefined;

/** A rule that lets only one call fail: the first for which `which` is true. */
export function faultOnce(which: (call: ArrivingCall) => boolean, fault: Fault): FaultRule {
  let isDone = false;
  return (call) => {
    if (isDone || !which(call)) return undefined;
    isDone = true;
    return fault;
  };
}
