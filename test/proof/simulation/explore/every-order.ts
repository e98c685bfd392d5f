import type { Choices } from '../choices.ts';
import type { Step, Touch } from '../scheduler.ts';

/** Thrown in the middle of a run that could only repeat another, in an order that makes no difference. */
export class RedundantRunError extends Error {
  override readonly name = 'RedundantRunError';
}

interface Option {
  readonly what: string;
  readonly touches: readonly Touch[];
}

/** A choice between steps, or between other things, which are all tried. */
interface Node {
  readonly options: readonly Option[];
  /** Whether every option is tried. For steps: only if a run has shown that a later step meets the one taken here. */
  isOpen: boolean;
  /** Options whose runs were all seen before, by name. */
  readonly asleep: Map<string, Option>;
  chosen: number;
}

/**
 * Tries every order of steps that makes a difference, and hardly any other (Flanagan, Godefroid,
 * "Dynamic Partial-Order Reduction for Model Checking Software", 2005). Another step goes first only where a run has shown that this may
 * matter. Once a step has gone first at some point, later runs from there skip it until a step that touches the same items has run (sleep
 * sets). A step without touches meets none.
 */
export class EveryOrder implements Choices {
  readonly #nodes: Node[] = [];
  readonly #ignores: (touch: Touch) => boolean;
  #depth = 0;
  #asleep: ReadonlyMap<string, Option> = new Map();

  /** @param ignores touches whose order is assumed to make no difference, such as those of a counter. @default none */
  constructor(ignores: (touch: Touch) => boolean = () => false) {
    this.#ignores = ignores;
  }

  choose(options: number, what: string): number {
    const names = Array.from({ length: options }, (_, at) => ({
      what: `${what} ${at}`,
      touches: [],
    }));
    return this.#at(names, new Map(), true).chosen;
  }

  /** @throws RedundantRunError if every step that may be taken now was tried before, in an equivalent order */
  chooseStep(steps: readonly Step[]): number {
    const options = steps.map(({ what, touches = [] }) => ({
      what,
      touches: touches.filter((one) => !this.#ignores(one)),
    }));
    const { chosen, asleep } = this.#at(options, this.#asleep, false);
    const taken = options[chosen] as Option;
    this.#asleep = new Map([...asleep].filter(([, option]) => !meet(option, taken)));
    return chosen;
  }

  #at(options: readonly Option[], asleep: ReadonlyMap<string, Option>, isOpen: boolean): Node {
    let node = this.#nodes[this.#depth];
    if (!node) {
      node = { options, isOpen, asleep: new Map(asleep), chosen: firstAwake(options, asleep) };
      if (node.chosen < 0) throw new RedundantRunError();
      this.#nodes.push(node);
    }
    this.#depth += 1;
    return node;
  }

  /** Call after each run. @returns whether there is another */
  next(): boolean {
    this.#depth = 0;
    this.#asleep = new Map();
    this.#noteRaces();
    for (let node = this.#nodes.at(-1); node; node = this.#nodes.at(-1)) {
      const taken = node.options[node.chosen] as Option;
      node.asleep.set(taken.what, taken);
      node.chosen = node.isOpen ? firstAwake(node.options, node.asleep) : -1;
      if (node.chosen >= 0) return true;
      this.#nodes.pop();
    }
    return false;
  }

  #noteRaces(): void {
    const later: Option[] = [];
    for (const node of this.#nodes.toReversed()) {
      const taken = node.options[node.chosen] as Option;
      // A later step of the same caller races with this one only if it was on offer here: otherwise it follows from this one.
      const races = (other: Option): boolean =>
        callerOf(other) !== callerOf(taken) || node.options.some(({ what }) => what === other.what);
      node.isOpen ||= later.some((other) => meet(other, taken) && races(other));
      later.push(taken);
    }
  }
}

/** The caller whose step it is. */
export const callerOf = ({ what }: { readonly what: string }): string =>
  what.slice(0, what.indexOf(' '));

const firstAwake = (options: readonly Option[], asleep: ReadonlyMap<string, Option>): number =>
  options.findIndex(({ what }) => !asleep.has(what));

/** Whether the order of two steps makes a difference. */
const meet = (one: Option, other: Option): boolean =>
  one.touches.some((touch) => other.touches.some((another) => isShared(touch, another)));

function isShared(one: Touch, other: Touch): boolean {
  if (!one.isWrite && !other.isWrite) return false;
  if (one.where === '*' || other.where === '*') return true;
  return (
    one.where === other.where &&
    (one.part === undefined || other.part === undefined || one.part === other.part)
  );
}
