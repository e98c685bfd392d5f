import { type Choices, ScriptedChoices, type Step } from '../choices.ts';
import type { CallInfo, Fault } from '../network.ts';

/** How often a caller that could go on is interrupted (a context bound). */
const interruptionsMax = 1;
/** How often a pause before a retry ends while the other operation could go on; after that it waits for it. */
const hastyRetriesMax = 1;
/** How probable it is, where chance decides, that a caller is interrupted, and that a call goes wrong. */
const interruptionChance = 0.15;
const faultChance = 0.08;

/** What one pair of operations may do: orders of their calls, the ends of pauses before a retry among them, and one call that goes wrong. */
export class PairChoices implements Choices {
  /** What was chosen, to repeat the run. */
  readonly made: number[] = [];
  readonly #choices: Choices;
  /** While false everything goes the ordinary way: before and after the pair. */
  #isExploring = false;
  #fault: Fault = 'none';
  #interruptions = 0;
  #hastyRetries = 0;
  #last = '';

  constructor(choices: Choices) {
    this.#choices = choices;
  }

  get faults(): number {
    return this.#fault === 'none' ? 0 : 1;
  }

  begin(): void {
    this.#isExploring = true;
  }

  end(): void {
    this.#isExploring = false;
  }

  /** The same run once more. */
  again(): PairChoices {
    return new PairChoices(new ScriptedChoices(this.made));
  }

  choose(options: number, what: string, otherChance?: number): number {
    if (!this.#isExploring || options < 2) return 0;
    const chosen = this.#choices.choose(options, what, otherChance);
    this.made.push(chosen);
    return chosen;
  }

  faultOf(call: CallInfo): Fault {
    if (!this.#isExploring || this.#fault !== 'none') return 'none';
    const faults = ['none', ...faultsOf(call)] as const;
    this.#fault = faults[this.choose(faults.length, 'fault', faultChance)] as Fault;
    return this.#fault;
  }

  chooseStep(steps: readonly Step[], timer: Step | undefined): number {
    if (!this.#isExploring) return 0;
    const all = [...steps, ...(timer ? [timer] : [])].map(({ what }, at): Turn => {
      const isPause = at === steps.length && !what.endsWith(' immediate'); // which waits for nothing
      return { at, caller: what.slice(0, what.indexOf(' ')), isPause };
    });
    // Whoever is at work goes on: the first run interrupts nobody.
    const offered = this.#within(all).toSorted(
      (one, other) => Number(this.#isAtWork(other)) - Number(this.#isAtWork(one)),
    );
    const otherChance = offered[0] && this.#isAtWork(offered[0]) ? interruptionChance : undefined;
    const chosen = offered[this.choose(offered.length, 'turn', otherChance)] as Turn;
    if (!this.#isAtWork(chosen) && all.some((one) => this.#isAtWork(one) && !one.isPause))
      this.#interruptions += 1;
    if (chosen.isPause && all.some(({ isPause }) => !isPause)) this.#hastyRetries += 1;
    this.#last = chosen.caller;
    return chosen.at;
  }

  #isAtWork({ caller }: Turn): boolean {
    return caller === this.#last;
  }

  /** The turns that the bounds leave. */
  #within(all: readonly Turn[]): readonly Turn[] {
    const calls = all.filter(({ isPause }) => !isPause);
    const turns = this.#hastyRetries >= hastyRetriesMax && calls.length > 0 ? calls : all;
    const own = turns.filter((one) => this.#isAtWork(one));
    const isHeld = this.#interruptions >= interruptionsMax && own.some(({ isPause }) => !isPause);
    return isHeld ? own : turns;
  }
}

interface Turn {
  readonly at: number;
  readonly caller: string;
  /** The end of a pause, rather than a call. */
  readonly isPause: boolean;
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
