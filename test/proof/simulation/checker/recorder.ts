import {
  type AppliedWrite,
  DynamodbError,
  type Reply,
} from '../../../dynamodb-model/dynamodb-model.ts';
import { plainItem } from '../../../support/reference/plain.ts';
import type { CallInfo, CallObserver, Fault } from '../network.ts';
import type { History, ObservedAction, ObservedRequest, Work, Write } from './history.ts';

/** Names of the errors and cancellation reasons that a call gets when it met another one. */
const meeting = /TransactionConflict|TransactionInProgress|ConditionalCheckFailed/;
/** Names of those that the model's own limits cause, which count as faults. */
const throttling = /Throttl|ProvisionedThroughputExceeded|RequestLimitExceeded/;

/** Writes down who did what, call by call. */
export class Recorder implements CallObserver {
  readonly requests: ObservedRequest[] = [];
  readonly actions: ObservedAction[] = [];
  readonly writes: Write[] = [];
  readonly writesOf = new Map<string, Write[]>();
  faults = 0;
  readonly #now: () => number;
  readonly #workOf = new Map<string, Work>();
  readonly #faultsOf = new Map<string, number>();
  readonly #faulty = new WeakSet<CallInfo>();
  readonly #workOfCall = new WeakMap<CallInfo, Work>();
  readonly #evaluatedOrder = new WeakMap<CallInfo, number>();
  #turn: CallInfo | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Goes on from what was observed before. */
  continue({ requests, actions, writes }: Pick<History, 'requests' | 'actions' | 'writes'>): void {
    this.requests.push(...requests);
    this.actions.push(...actions);
    this.writes.length = 0;
    this.writesOf.clear();
    for (const write of writes) this.#add(write);
  }

  /** From here on the calls of this caller belong to this work. */
  assign(caller: string, work: Work): void {
    this.#workOf.set(caller, work);
    work.earlierFaults = this.#faultsOf.get(caller) ?? 0;
  }

  sent(call: CallInfo, fault: Fault): void {
    const work = this.#workOf.get(call.caller);
    if (!work) return;
    this.#workOfCall.set(call, work);
    work.calls += 1;
    if (work.handledUntil < this.#now()) work.lateCalls.push(call.operation);
    if (fault !== 'none') this.#fault(call, work, fault);
  }

  /** A fault that is no single call's. */
  fault(): void {
    this.faults += 1;
  }

  #fault(call: CallInfo, work: Work, what: string): void {
    this.fault();
    this.#faulty.add(call);
    this.#faultsOf.set(call.caller, (this.#faultsOf.get(call.caller) ?? 0) + 1);
    work.faults.push(`${what} at ${call.operation}`);
  }

  /** An answer that came too late for its caller is a fault of its own, unless another fault kept it back. */
  givenUp(call: CallInfo): void {
    const work = this.#workOfCall.get(call);
    if (work && !this.#faulty.has(call)) this.#fault(call, work, 'no answer in time');
  }

  turn(call: CallInfo): void {
    this.#turn = call;
  }

  /** What the model of DynamoDB tells of its writes. */
  readonly writeHooks = {
    onEvaluated: (): void => {
      if (this.#turn) this.#evaluatedOrder.set(this.#turn, this.writes.length);
    },
    onWrite: (write: AppliedWrite): void => this.wrote(write),
  };

  executed(call: CallInfo, outcome: Reply | DynamodbError): void {
    const work = this.#workOfCall.get(call);
    if (!work || !(outcome instanceof DynamodbError)) return;
    const text = `${outcome.name} ${JSON.stringify(outcome.members)}`;
    if (meeting.test(text)) work.conflicts += 1;
    if (throttling.test(text) && !this.#faulty.has(call)) this.#fault(call, work, outcome.name);
  }

  wrote({ key: { partition: pk, sort: sk }, before, after }: AppliedWrite): void {
    const call = this.#turn;
    const work = call && this.#workOfCall.get(call);
    const write: Write = {
      order: this.writes.length,
      evaluatedOrder: (call && this.#evaluatedOrder.get(call)) ?? this.writes.length,
      at: this.#now(),
      pk,
      sk,
      before: before && plainItem(before),
      after: after && plainItem(after),
      call,
      work,
    };
    work?.writes.push(write);
    this.#add(write);
  }

  #add(write: Write): void {
    this.writes.push(write);
    const name = `${write.pk} ${write.sk}`;
    const others = this.writesOf.get(name);
    if (others) others.push(write);
    else this.writesOf.set(name, [write]);
  }
}
