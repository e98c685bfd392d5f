import type { Choices } from '../choices.ts';
import type { CallInfo, Fault } from '../network.ts';
import type { Step, Touch } from '../scheduler.ts';
import { callerOf, EveryRace } from './every-race.ts';

export interface PairBounds {
  /** How often a caller that could go on is interrupted (a context bound). @default as often as it can be */
  readonly interruptions?: number;
  /** How often a pause before a retry ends while the other operation could go on; after that it waits for it. @default 1 */
  readonly hastyRetries?: number;
  /** How many calls of a run go wrong. @default 1 */
  readonly faults?: number;
}

/**
 * What one pair of operations could do: every order of their calls that makes a difference, and a fault at each call. A pause before a retry
 * ends before or after any call of the other operation.
 */
export class PairChoices implements Choices {
  /** While false everything goes the ordinary way: before and after the pair. */
  isExploring = false;
  readonly explorer: EveryRace;
  readonly #bounds: Required<PairBounds>;
  #faults = 0;
  #interruptions = 0;
  #hastyRetries = 0;
  #last = '';

  constructor(bounds: PairBounds, ignores: (touch: Touch) => boolean) {
    this.explorer = new EveryRace(ignores, bounds.interruptions !== undefined);
    this.#bounds = {
      interruptions: Number.POSITIVE_INFINITY,
      hastyRetries: 1,
      faults: 1,
      ...bounds,
    };
  }

  get faults(): number {
    return this.#faults;
  }

  begin(): void {
    this.explorer.begin();
    this.isExploring = true;
    this.#faults = 0;
    this.#interruptions = 0;
    this.#hastyRetries = 0;
    this.#last = '';
  }

  end(): void {
    this.isExploring = false;
  }

  choose(options: number, what: string): number {
    return this.isExploring && options > 1 ? this.explorer.choose(options, what) : 0;
  }

  faultOf(call: CallInfo): Fault {
    if (!this.isExploring || this.#faults >= this.#bounds.faults) return 'none';
    const faults = faultsOf(call);
    const chosen = this.explorer.choose(faults.length + 1, `${call.caller} ${call.number} fault`);
    if (chosen === 0) return 'none';
    this.#faults += 1;
    return faults[chosen - 1] as Fault;
  }

  chooseStep(steps: readonly Step[]): number {
    if (!this.isExploring) return 0;
    const all = steps.map(
      (step, at): Turn => ({ at, caller: callerOf(step), isCall: !isPause(step), step }),
    );
    // Whoever is at work goes on: the first run interrupts nobody.
    const allowed = this.#within(all);
    const own = allowed.filter(({ caller }) => caller === this.#last);
    const offered = [...own, ...allowed.filter((turn) => !own.includes(turn))];
    // The end of a pause reads and writes nothing; only the clock moves on.
    const options = offered.map(
      ({ step }): Step => ({ what: step.what, take: step.take, touches: step.touches ?? [] }),
    );
    const chosen = offered[this.explorer.chooseStep(options)] as Turn;
    if (
      chosen.caller !== this.#last &&
      all.some(({ caller, isCall }) => isCall && caller === this.#last)
    ) {
      this.#interruptions += 1;
    }
    if (!chosen.isCall && all.some(({ isCall }) => isCall)) this.#hastyRetries += 1;
    this.#last = chosen.caller;
    return chosen.at;
  }

  /** The turns that the bounds leave. */
  #within(all: readonly Turn[]): readonly Turn[] {
    const { interruptions, hastyRetries } = this.#bounds;
    const calls = all.filter(({ isCall }) => isCall);
    const turns = this.#hastyRetries >= hastyRetries && calls.length > 0 ? calls : all;
    const own = turns.filter(({ caller }) => caller === this.#last);
    const isHeld = this.#interruptions >= interruptions && own.some(({ isCall }) => isCall);
    return isHeld ? own : turns;
  }
}

/** Timers have no touches; that of an `immediate` waits for nothing. */
const isPause = ({ what, touches }: Step): boolean =>
  touches === undefined && !what.endsWith(' immediate');

interface Turn {
  readonly at: number;
  readonly caller: string;
  /** Or the end of a pause. */
  readonly isCall: boolean;
  readonly step: Step;
}

/**
 * Faults that differ in what they leave behind. For a read it makes no difference whether the question or the answer is lost, nor on which
 * side of it a caller dies; to die before a write is to die after the call before it.
 */
function faultsOf({ operation, number, request }: CallInfo): readonly Fault[] {
  const isWrite = /^(Put|Update|Delete|TransactWrite|BatchWrite)/.test(operation);
  const death: readonly Fault[] = number === 0 ? ['death before'] : [];
  if (!isWrite) return [...death, 'reset before', 'throttled'];
  // No transaction holds the counter of a rotation (design, section 4), so no write of it meets one.
  const isAlone = operation.startsWith('Batch') || request.Key?.pk?.S?.startsWith('TURN#') === true;
  const conflict: readonly Fault[] = isAlone ? [] : ['conflict'];
  return [...death, 'reset before', 'reset after', ...conflict, 'throttled', 'death after'];
}
