import type { Choices } from '../choices.ts';
import type { Step, Touch } from '../scheduler.ts';

/** Thrown in the middle of a run that would only repeat another in an order that makes no difference. */
export class RedundantRunError extends Error {
  override readonly name = 'RedundantRunError';
}

interface Option {
  readonly what: string;
  readonly touches: readonly Touch[] | undefined;
}

/** A choice between steps, or (without touches) between other things. */
interface Node {
  readonly options: readonly Option[];
  /** Options whose runs were all seen before, by name. */
  readonly asleep: Map<string, Option>;
  chosen: number;
}

/**
 * Goes through every order of steps that makes a difference, once each, depth first (sleep sets: Godefroid, "Partial-Order Methods for the
 * Verification of Concurrent Systems", 1996): of two neighbours that touch nothing in common, one order is enough. Every other choice, such as a
 * fault, is gone through whole.
 * @example
 * for (const choices = new EveryInterleaving(); choices.hasNext; choices.next()) {
 *   const service = await SimulatedService.start({ bundles, world: { seed, isTimed: false, choices } });
 *   choices.begin();
 *   …
 * }
 */
export class EveryInterleaving implements Choices {
  readonly #nodes: Node[] = [];
  readonly #ignores: (touch: Touch) => boolean;
  #hasBegun = false;
  #depth = 0;
  #isOver = false;
  #sleeping = new Map<string, Option>();
  /** Runs that came to an end, and runs that were broken off since another had seen all of theirs. */
  complete = 0;
  redundant = 0;

  /** @param ignores touches whose order is taken to make no difference, such as those of a counter. @default none */
  constructor(ignores: (touch: Touch) => boolean = () => false) {
    this.#ignores = ignores;
  }

  /** From here on choices are gone through; before, everything goes the ordinary way. */
  begin(): void {
    this.#hasBegun = true;
  }

  get hasNext(): boolean {
    return !this.#isOver;
  }

  /** The choices of the run so far, which repeat it in `ScriptedChoices`. */
  get script(): readonly number[] {
    return this.#nodes.slice(0, this.#depth).map(({ chosen }) => chosen);
  }

  choose(options: number, what: string): number {
    if (!this.#hasBegun) return 0;
    const names = Array.from(
      { length: options },
      (_, at): Option => ({ what: `${what} ${at}`, touches: undefined }),
    );
    return this.#at(names, new Map());
  }

  /** @throws RedundantRunError when every step that may be taken was taken here before, in an order that is as good */
  chooseStep(steps: readonly Step[]): number {
    if (!this.#hasBegun) return 0;
    const options = steps.map(
      ({ what, touches }): Option => ({
        what,
        touches: touches?.filter((touch) => !this.#ignores(touch)),
      }),
    );
    const chosen = this.#at(options, this.#sleeping);
    const node = this.#nodes[this.#depth - 1] as Node;
    const taken = options[chosen] as Option;
    this.#sleeping = new Map([...node.asleep].filter(([, option]) => commute(option, taken)));
    return chosen;
  }

  #at(options: readonly Option[], asleep: ReadonlyMap<string, Option>): number {
    let node = this.#nodes[this.#depth];
    if (!node) {
      const chosen = options.findIndex(({ what }) => !asleep.has(what));
      if (chosen < 0) throw new RedundantRunError();
      node = { options, asleep: new Map(asleep), chosen };
      this.#nodes.push(node);
    }
    this.#depth += 1;
    return node.chosen;
  }

  /** Call after each run, with whether it came to its end. */
  next(isComplete = true): void {
    if (isComplete) this.complete += 1;
    else this.redundant += 1;
    this.#nodes.length = this.#depth;
    this.#depth = 0;
    this.#hasBegun = false;
    this.#sleeping = new Map();
    for (;;) {
      const node = this.#nodes.at(-1);
      if (!node) break;
      const taken = node.options[node.chosen] as Option;
      node.asleep.set(taken.what, taken);
      const chosen = node.options.findIndex(({ what }) => !node.asleep.has(what));
      if (chosen >= 0) {
        node.chosen = chosen;
        return;
      }
      this.#nodes.pop();
    }
    this.#isOver = true;
  }
}

/** Whether two steps give the same in either order. Of steps about which nothing is known it is taken that they do not. */
function commute(one: Option, other: Option): boolean {
  const [a, b] = [one.touches, other.touches];
  if (!a || !b) return false;
  return a.every((touch) => b.every((another) => !meets(touch, another)));
}

function meets(one: Touch, other: Touch): boolean {
  if (!one.isWrite && !other.isWrite) return false;
  if (one.where === '*' || other.where === '*') return true;
  return (
    one.where === other.where &&
    (one.part === undefined || other.part === undefined || one.part === other.part)
  );
}
