import type { Choices } from '../choices.ts';
import { type CallInfo, canMeet, type Fault } from '../network.ts';
import type { Step } from '../scheduler.ts';
import { callerOf } from './every-order.ts';

/** Where chance decides: how likely a caller who could go on is interrupted, and how likely a call goes wrong. */
const interruptionChance = 0.15;
const faultChance = 0.08;

/**
 * Chooses how a pair of operations runs: the order of their calls, and at most one fault. A pause before a retry may end before or after any
 * call of the other operation. Only one pause ends while the other operation could go on; later ones wait for it.
 */
export class PairChoices implements Choices {
  /** While false everything goes the ordinary way: before and after the pair. */
  isExploring = false;
  readonly #choices: Choices;
  #faults = 0;
  #hasHastened = false;
  #last = '';

  constructor(choices: Choices) {
    this.#choices = choices;
  }

  get faults(): number {
    return this.#faults;
  }

  choose(options: number, what: string, otherChance?: number): number {
    return this.isExploring && options > 1 ? this.#choices.choose(options, what, otherChance) : 0;
  }

  faultOf(call: CallInfo): Fault {
    if (!this.isExploring || this.#faults > 0) return 'none';
    const faults = ['none', ...faultsOf(call)] as const;
    const what = `${call.caller} ${call.number} fault`;
    const chosen = this.#choices.choose(faults.length, what, faultChance);
    if (chosen > 0) this.#faults += 1;
    return faults[chosen] as Fault;
  }

  chooseStep(steps: readonly Step[]): number {
    if (!this.isExploring) return 0;
    const hasCall = steps.some((step) => !isPause(step));
    const allowed = steps.filter((step) => !(this.#hasHastened && hasCall && isPause(step)));
    // The caller at work goes on: the first run interrupts nobody.
    const isAtWork = (step: Step): boolean => callerOf(step) === this.#last;
    const offered = allowed.toSorted((a, b) => Number(isAtWork(b)) - Number(isAtWork(a)));
    const chosen = offered[this.#turn(offered, isAtWork)] as Step;
    if (hasCall && isPause(chosen)) this.#hasHastened = true;
    this.#last = callerOf(chosen);
    return steps.indexOf(chosen);
  }

  #turn(offered: readonly Step[], isAtWork: (step: Step) => boolean): number {
    const otherChance = offered.some(isAtWork) ? interruptionChance : undefined;
    return (
      this.#choices.chooseStep?.(offered) ??
      this.#choices.choose(offered.length, 'turn', otherChance)
    );
  }
}

/** Timers have no touches: only the clock moves on. */
const isPause = ({ touches }: Step): boolean => touches === undefined;

/**
 * Faults that differ in what they leave behind. For a read, it makes no difference whether the request or the response is lost, nor on
 * which side of it a caller dies. Dying before a write equals dying after the previous call.
 */
function faultsOf({ operation, number, request }: CallInfo): readonly Fault[] {
  const isWrite = /^(Put|Update|Delete|TransactWrite|BatchWrite)/.test(operation);
  const death: readonly Fault[] = number === 0 ? ['death before'] : [];
  if (!isWrite) return [...death, 'reset before', 'throttled'];
  const hasConflict = !operation.startsWith('Batch') && canMeet('conflict', request);
  const conflict: readonly Fault[] = hasConflict ? ['conflict'] : [];
  return [...death, 'reset before', 'reset after', ...conflict, 'throttled', 'death after'];
}
