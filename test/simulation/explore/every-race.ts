import type { Choices } from '../choices.ts';
import type { Step, Touch } from '../scheduler.ts';

/** Thrown in the middle of a run that would only repeat another in an order that makes no difference. */
export class RedundantRunError extends Error {
  override readonly name = 'RedundantRunError';
}

interface Option {
  readonly what: string;
  readonly touches: readonly Touch[];
}

/** A choice between steps, or between other things, of which every one is gone through. */
interface Node {
  readonly options: readonly Option[];
  readonly isStep: boolean;
  /** Of steps, those that are to be taken first here, by name. */
  readonly wanted: Set<string>;
  /** Options whose runs were all seen before, by name. */
  readonly asleep: Map<string, Option>;
  chosen: number;
}

/** A step of a run, and what of the run had to come before it. */
interface Taken {
  readonly option: Option;
  readonly depth: number;
  /** Steps by their place in the run. */
  readonly after: ReadonlySet<number>;
  /** Those of them that were over when it could be taken first: it follows from them. */
  readonly causes: ReadonlySet<number>;
}

/**
 * Goes through every order of steps that makes a difference, and hardly any other: another step is taken first only
 * where a run has shown that it meets what was taken there (Flanagan, Godefroid, "Dynamic Partial-Order Reduction for Model Checking Software",
 * 2005, with sleep sets). A step without touches meets none.
 */
export class EveryRace implements Choices {
  readonly #nodes: Node[] = [];
  readonly #ignores: (touch: Touch) => boolean;
  readonly #isBounded: boolean;
  #hasBegun = false;
  #depth = 0;
  /** Nodes below are as they were in the run before. */
  #sameUntil = 0;
  #isOver = false;
  #sleeping = new Map<string, Option>();
  complete = 0;
  redundant = 0;

  /**
   * @param ignores touches whose order is taken to make no difference, such as those of a counter. @default none
   * @param isBounded whether not every order is allowed: what is to come first may do so where its way is shortest, too. @default false
   */
  constructor(ignores: (touch: Touch) => boolean = () => false, isBounded = false) {
    this.#ignores = ignores;
    this.#isBounded = isBounded;
  }

  /** From here on choices are gone through; before, everything goes the ordinary way. */
  begin(): void {
    this.#hasBegun = true;
  }

  get hasNext(): boolean {
    return !this.#isOver;
  }

  choose(options: number, what: string): number {
    if (!this.#hasBegun) return 0;
    const names = Array.from(
      { length: options },
      (_, at): Option => ({ what: `${what} ${at}`, touches: [] }),
    );
    return this.#at(names, false).chosen;
  }

  /** @throws RedundantRunError when every step that may be taken was taken here before, in an order that is as good */
  chooseStep(steps: readonly Step[]): number {
    if (!this.#hasBegun) return 0;
    const options = steps.map(({ what, touches = [] }) => ({
      what,
      touches: touches.filter((one) => !this.#ignores(one)),
    }));
    const node = this.#at(options, true);
    const taken = node.options[node.chosen] as Option;
    this.#sleeping = new Map([...node.asleep].filter(([, option]) => !meet(option, taken)));
    return node.chosen;
  }

  #at(options: readonly Option[], isStep: boolean): Node {
    let node = this.#nodes[this.#depth];
    if (!node) {
      const asleep = isStep ? new Map(this.#sleeping) : new Map<string, Option>();
      const chosen = options.findIndex(({ what }) => !asleep.has(what));
      if (chosen < 0) throw new RedundantRunError();
      node = { options, isStep, wanted: new Set(), asleep, chosen };
      this.#nodes.push(node);
    }
    this.#depth += 1;
    return node;
  }

  /** Call after each run, with whether it came to its end. */
  next(isComplete = true): void {
    if (isComplete) this.complete += 1;
    else this.redundant += 1;
    this.#nodes.length = this.#depth;
    this.#noteRaces();
    this.#depth = 0;
    this.#hasBegun = false;
    this.#sleeping = new Map();
    for (let node = this.#nodes.at(-1); node; node = this.#nodes.at(-1)) {
      const { options, asleep, wanted, isStep } = node;
      const taken = options[node.chosen] as Option;
      asleep.set(taken.what, taken);
      node.chosen = options.findIndex(
        ({ what }) => !asleep.has(what) && (!isStep || wanted.has(what)),
      );
      if (node.chosen >= 0) {
        this.#sameUntil = this.#nodes.length - 1;
        return;
      }
      this.#nodes.pop();
    }
    this.#isOver = true;
  }

  /** Of two steps that meet, with nothing between them that holds them apart, the later one is to come first in another run. */
  #noteRaces(): void {
    const taken = orderOf(this.#nodes);
    for (const later of taken) {
      if (later.depth < this.#sameUntil) continue;
      const held = new Set([...later.after].flatMap((at) => [...(taken[at] as Taken).after]));
      for (const at of later.after) {
        const earlier = taken[at] as Taken;
        if (!held.has(at) && !later.causes.has(at)) {
          this.#wantFirst(later, earlier.depth, taken);
          if (this.#isBounded) this.#wantFirst(later, this.#turnBegan(earlier.depth), taken);
        }
      }
    }
  }

  /** Where the caller of a step had begun to take steps, one after the other: to come before it there interrupts nobody. */
  #turnBegan(depth: number): number {
    const caller = callerOf(chosenOf(this.#nodes[depth] as Node));
    let began = depth;
    for (let at = depth; at >= 0; at -= 1) {
      const node = this.#nodes[at] as Node;
      if (!node.isStep) continue;
      if (callerOf(chosenOf(node)) !== caller) break;
      began = at;
    }
    return began;
  }

  #wantFirst(later: Taken, depth: number, taken: readonly Taken[]): void {
    const { options, wanted, asleep, chosen } = this.#nodes[depth] as Node;
    const leading = [...later.after]
      .map((at) => taken[at] as Taken)
      .filter((one) => one.depth > depth);
    const names = new Set([...leading, later].map(({ option }) => option.what));
    const able = options.filter(({ what }, at) => at !== chosen && names.has(what));
    if (able.some(({ what }) => wanted.has(what) || asleep.has(what))) return;
    for (const { what } of able.length > 0 ? able.slice(0, 1) : options) wanted.add(what);
  }
}

/** The steps of a run, each with all that had to come before it: what it meets, and what was over when it could be taken first. */
function orderOf(nodes: readonly Node[]): Taken[] {
  const taken: Taken[] = [];
  const offeredAt = new Map<string, number>();
  for (const [depth, { options, chosen, isStep }] of nodes.entries()) {
    if (!isStep) continue;
    for (const { what } of options) if (!offeredAt.has(what)) offeredAt.set(what, depth);
    const option = options[chosen] as Option;
    const since = offeredAt.get(option.what) ?? depth;
    offeredAt.delete(option.what);
    const after = new Set<number>();
    const causes = new Set<number>();
    for (const [at, earlier] of taken.entries()) {
      const isOwn = callerOf(earlier.option) === callerOf(option) && earlier.depth < since;
      if (!isOwn && !meet(earlier.option, option)) continue;
      after.add(at);
      if (isOwn) causes.add(at);
      for (const before of earlier.after) after.add(before);
    }
    taken.push({ option, depth, after, causes });
  }
  return taken;
}

const chosenOf = ({ options, chosen }: Node): Option => options[chosen] as Option;

/** Whose step it is. */
export const callerOf = ({ what }: { readonly what: string }): string =>
  what.slice(0, what.indexOf(' '));

/** Whether the order of two steps makes a difference. */
function meet(one: Option, other: Option): boolean {
  return one.touches.some((touch) => other.touches.some((another) => isShared(touch, another)));
}

function isShared(one: Touch, other: Touch): boolean {
  if (!one.isWrite && !other.isWrite) return false;
  if (one.where === '*' || other.where === '*') return true;
  return (
    one.where === other.where &&
    (one.part === undefined || other.part === undefined || one.part === other.part)
  );
}
