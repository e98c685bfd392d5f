import {
  DynamodbError,
  internalServerError,
  noReason,
  type Progress,
  type Reply,
  type Request,
  type SimulatedDynamodb,
  throttled,
  transactionCanceled,
  transactionConflict,
} from '../../dynamodb-model/dynamodb-model.ts';
import type { Scheduler } from './scheduler.ts';
import { touchesOf } from './touches.ts';

/**
 * What goes wrong with one call. `before` and `after` say whether the operation was executed; `during`: it is, slowly, while its caller
 * already asks again. `slow commit`: the items of a transaction become visible slowly, where they do so one after the other. Random
 * histories and restores draw from this list by position, so a new fault changes what every seed does. Restores name the faults that they
 * leave out. The event publisher and the soak list the few that they can meet; a new fault reaches them only if added there.
 */
export const callFaults = [
  'none',
  'lost before',
  'lost after',
  'reset before',
  'reset after',
  'reset during',
  'internal error before',
  'internal error after',
  'stalled body',
  'silence',
  'throttled',
  'throttled inside',
  'account throttled',
  'conflict',
  'death before',
  'death after',
  'slow commit',
] as const;
export type Fault = (typeof callFaults)[number];

/** A call as a fault is chosen for it. */
export interface CallInfo {
  readonly caller: string;
  readonly operation: string;
  readonly request: Request;
  /** How many calls this caller made before. */
  readonly number: number;
}

/** The counter of a rotation is in no transaction (design, section 4), so a call for it meets no conflict. Only a transaction commits slowly. */
export const canMeet = (fault: string, { Key, TransactItems }: Request): boolean =>
  fault === 'slow commit'
    ? TransactItems !== undefined
    : fault !== 'conflict' || Key?.pk?.S?.startsWith('TURN#') !== true;

/** Who calls: an instance, which may be frozen or die, or a command. */
export interface Caller {
  readonly name: string;
  /** Its own timers. */
  after(ms: number, what: string, take: () => void): { cancel(): void };
  /** Hands something over as soon as the caller runs; never to a dead one. */
  deliver(take: () => void): void;
  die(): void;
}

/** Why a call has no answer, as Node.js and the SDK name it. */
class ConnectionError extends Error {
  override readonly name: string;
  readonly code: string | undefined;

  constructor(name: string, message: string, code?: string) {
    super(message);
    this.name = name;
    this.code = code;
  }
}

/** Milliseconds that a request and its answer travel. */
export type Latency = () => number;

export interface Network {
  readonly scheduler: Scheduler;
  readonly dynamodb: SimulatedDynamodb;
  readonly faultOf: (call: CallInfo) => Fault;
  /** Undefined: calls take no time, and which one is executed next is a choice of the scheduler. */
  readonly latency: Latency | undefined;
  /** By how many milliseconds more an answer is late. @default none */
  readonly latenessOf?: ((call: CallInfo) => number) | undefined;
  readonly observer?: CallObserver | undefined;
}

/** Told of every call. */
export interface CallObserver {
  /** When it is sent, with what is to go wrong with it. */
  sent(call: CallInfo, fault: Fault): void;
  /** When its caller waits no longer for the answer. */
  givenUp(call: CallInfo): void;
  /** Before each turn of its operation. */
  turn(call: CallInfo): void;
  /** Once its outcome at DynamoDB is known. */
  executed(call: CallInfo, outcome: Reply | DynamodbError): void;
}

export interface CallOptions {
  readonly abortSignal?: AbortSignal | undefined;
  /** Gives up after so many milliseconds without the head of an answer, and again without its body (`clientTimeouts` sets both alike). */
  readonly timeoutMs?: number | undefined;
}

/** A call under way, from the caller's side. */
interface Pending {
  readonly info: CallInfo;
  readonly settle: (outcome: Reply | Error) => void;
  /** Ends waiting for the head of the answer; its body is waited for as long again. */
  readonly gotHead: () => void;
}

/** One caller's connection to the simulated DynamoDB. */
export class Connection {
  readonly #network: Network;
  readonly #caller: Caller;
  #calls = 0;

  constructor(network: Network, caller: Caller) {
    this.#network = network;
    this.#caller = caller;
  }

  /** @throws DynamodbError as an answer; ConnectionError without one */
  call(
    operation: string,
    request: Request,
    { abortSignal, timeoutMs }: CallOptions = {},
  ): Promise<Reply> {
    const info = { caller: this.#caller.name, operation, request, number: this.#calls };
    this.#calls += 1;
    return new Promise((resolve, reject) => {
      if (abortSignal?.aborted) return reject(aborted());
      let isSettled = false;
      const wait = () =>
        timeoutMs
          ? this.#caller.after(timeoutMs, `${info.caller} gives ${operation} up`, () => {
              this.#network.observer?.givenUp(info);
              settle(timedOut(timeoutMs));
            })
          : undefined;
      let timer = wait();
      const onAbort = (): void => settle(aborted());
      abortSignal?.addEventListener('abort', onAbort, { once: true });
      const settle = (outcome: Reply | Error): void => {
        if (isSettled) return;
        isSettled = true;
        timer?.cancel();
        abortSignal?.removeEventListener('abort', onAbort);
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      const gotHead = (): void => {
        timer?.cancel();
        if (!isSettled) timer = wait();
      };
      this.#send({ info, settle, gotHead });
    });
  }

  #send(pending: Pending): void {
    const fault = this.#network.faultOf(pending.info);
    this.#network.observer?.sent(pending.info, fault);
    if (fault === 'death before') this.#caller.die();
    else if (fault !== 'lost before' && fault !== 'silence') {
      this.#travel('arrives', pending, () => this.#arrive(pending, fault));
    }
  }

  #arrive(pending: Pending, fault: Fault): void {
    const { operation, request } = pending.info;
    const instead = insteadOfExecuting[fault]?.(pending.info);
    if (instead) this.#answer(pending, instead);
    if (!instead || fault === 'reset during')
      this.#proceed(pending, fault, this.#network.dynamodb.execute(operation, request));
  }

  /** Runs the operation up to its next turn; the connection may be gone meanwhile, the operation goes on. */
  #proceed(pending: Pending, fault: Fault, progress: Progress, turn = 1): void {
    let outcome: Reply | DynamodbError;
    this.#network.observer?.turn(pending.info);
    try {
      const { done, value } = progress.next();
      if (!done) {
        const go = (): void => this.#proceed(pending, fault, progress, turn + 1);
        const what = `${labelOf(pending)}: ${value}`;
        const slowMs = turn === 1 ? slowFirstTurnMs[fault] : slowLaterTurnMs[fault];
        const isItem = value === 'an item of a transaction is written';
        if (slowMs === undefined) this.#turn(what, pending, go, isItem ? itemTurnMaxMs : undefined);
        else this.#network.scheduler.after(slowMs, what, go);
        return;
      }
      outcome = value;
    } catch (error) {
      if (!(error instanceof DynamodbError)) throw error;
      outcome = error;
    }
    this.#network.observer?.executed(pending.info, outcome);
    this.#answer(pending, this.#afterFault(fault, outcome, pending));
  }

  #afterFault(
    fault: Fault,
    outcome: Reply | DynamodbError,
    pending: Pending,
  ): Reply | Error | undefined {
    if (fault === 'death after') this.#caller.die();
    if (fault === 'reset after') return reset();
    if (fault === 'internal error after') return internalServerError();
    if (fault === 'stalled body') this.#caller.deliver(pending.gotHead);
    return fault === 'none' || fault === 'slow commit' ? outcome : undefined;
  }

  #answer(pending: Pending, outcome: Reply | Error | undefined): void {
    if (outcome === undefined) return;
    const deliver = (): void => this.#caller.deliver(() => pending.settle(outcome));
    const { scheduler, latency, latenessOf } = this.#network;
    const lateMs = latenessOf?.(pending.info) ?? 0;
    if (lateMs > 0) scheduler.after(lateMs, `${labelOf(pending)} is answered late`, deliver);
    else if (latency) this.#travel('is answered', pending, deliver);
    else deliver();
  }

  #travel(what: string, pending: Pending, take: () => void): void {
    this.#turn(`${labelOf(pending)} ${what}`, pending, take);
  }

  #turn(what: string, { info }: Pending, take: () => void, maxMs = Number.POSITIVE_INFINITY): void {
    const { scheduler, latency } = this.#network;
    if (latency) scheduler.after(Math.min(latency(), maxMs), what, take);
    else scheduler.offer(what, take, touchesOf(info.operation, info.request));
  }
}

const labelOf = ({ info: { caller, operation, number } }: Pending): string =>
  `${caller} ${operation} ${number}`;

/** Longer than the SDK's repeats may take, and short enough for those who meet a transaction's items meanwhile to wait (`limits.conflictRetryMs`). */
const slowFirstTurnMs: Readonly<Partial<Record<Fault, number>>> = { 'reset during': 1200 };
/** The items of the largest transaction are visible in less time than commands wait for them (`untilVisible`), however long calls travel. */
const itemTurnMaxMs = 40;
const slowLaterTurnMs: Readonly<Partial<Record<Fault, number>>> = { 'slow commit': itemTurnMaxMs };

const aborted = (): ConnectionError => new ConnectionError('AbortError', 'Request aborted');
const reset = (): ConnectionError => new ConnectionError('Error', 'socket hang up', 'ECONNRESET');
const timedOut = (ms: number): ConnectionError =>
  new ConnectionError('TimeoutError', `No answer within ${ms} ms.`, 'ETIMEDOUT');

/** What the caller gets without an execution. */
export const insteadOfExecuting: Readonly<Partial<Record<Fault, (info: CallInfo) => Error>>> = {
  'reset before': reset,
  'reset during': reset,
  'internal error before': internalServerError,
  // Inside the transaction, or as a whole, by turns.
  throttled: (info) => (info.number % 2 === 1 ? throttlingInside(info) : throttling(info)),
  'throttled inside': throttlingInside,
  'account throttled': (info) => throttling(info, 'RequestLimitExceeded'),
  conflict: conflictFor,
};

export function throttling(
  { operation, request }: CallInfo,
  name: Parameters<typeof throttled>[0] = 'ThrottlingException',
): DynamodbError {
  const kind = /^(Get|Batch|Query|Scan|TransactGet)/.test(operation) ? 'Read' : 'Write';
  const resource = `arn:aws:dynamodb:ap-south-1:000000000000:table/${request.TableName ?? ''}`;
  return throttled(name, [{ reason: `Table${kind}KeyRangeThroughputExceeded`, resource }]);
}

/** A transaction is cancelled with a reason that says so; any other call is throttled as a whole. */
function throttlingInside(info: CallInfo): DynamodbError {
  if (info.operation !== 'TransactWriteItems') return throttling(info);
  return canceled(
    info,
    info.number % 3 === 0 ? 'ProvisionedThroughputExceeded' : 'ThrottlingError',
  );
}

/** The conflict that an operation can meet; one that meets none is throttled instead. */
function conflictFor(info: CallInfo): DynamodbError {
  const { operation } = info;
  if (/^(Put|Update|Delete)Item$/.test(operation)) return transactionConflict();
  return operation.startsWith('Transact')
    ? canceled(info, 'TransactionConflict')
    : throttling(info);
}

/** A cancellation, with a reason at the transaction's first item. */
const canceled = ({ request: { TransactItems = [] } }: CallInfo, Code: string): DynamodbError =>
  transactionCanceled(TransactItems.map((_, at) => (at === 0 ? { Code } : noReason)));
