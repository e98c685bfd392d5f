import { Random } from './random.ts';

/** A step that may be taken now: its turn among the others is a choice. */
export interface Step {
  readonly what: string;
  readonly take: () => void;
  /** What it reads and writes; undefined where that is not known. */
  readonly touches?: readonly Touch[] | undefined;
}

/** A place that a step reads or writes: without a part, all of it. */
export interface Touch {
  readonly where: string;
  readonly part?: string;
  readonly isWrite: boolean;
}

/**
 * Where a run could go more than one way: which call is next, which fault, which state a stale read returns.
 * All that a run decides goes through one of these, so that its seed, or its list of choices, is the whole run.
 */
export interface Choices {
  /**
   * One of `options` ways, as a number from 0; 0 is the ordinary one.
   * @param otherChance how probable it is, where chance decides, that it is none but the ordinary one. @default all are alike
   */
  choose(options: number, what: string, otherChance?: number): number;
  /** One of the steps that may be taken now. @default as `choose` */
  chooseStep?(steps: readonly Step[]): number;
}

/** Chooses at random, by a seed. */
export class SeededChoices implements Choices {
  readonly #random: Random;

  constructor(seed: string) {
    this.#random = new Random(`choices ${seed}`);
  }

  choose(options: number, _what: string, otherChance?: number): number {
    if (otherChance === undefined) return this.#random.below(options);
    return options > 1 && this.#random.chance(otherChance)
      ? this.#random.between(1, options - 1)
      : 0;
  }
}

/** A choice that was made, and out of how many. */
export interface MadeChoice {
  readonly chosen: number;
  readonly options: number;
  readonly what: string;
}

/** Chooses what a list says and, past its end, the ordinary way. What was chosen is kept, for the list of the next run. */
export class ScriptedChoices implements Choices {
  readonly made: MadeChoice[] = [];
  readonly #script: readonly number[];

  constructor(script: readonly number[]) {
    this.#script = script;
  }

  choose(options: number, what: string): number {
    const chosen = this.#script[this.made.length] ?? 0;
    if (chosen >= options)
      throw new Error(
        `Choice ${this.made.length} (${what}) has ${options} ways, not ${chosen + 1}.`,
      );
    this.made.push({ chosen, options, what });
    return chosen;
  }
}

/**
 * The script after this one, depth first; undefined when every way was gone.
 * @example for (let script: readonly number[] | undefined = []; script; script = nextScript(choices.made)) { … }
 */
export function nextScript(made: readonly MadeChoice[]): readonly number[] | undefined {
  for (let at = made.length - 1; at >= 0; at -= 1) {
    const { chosen, options } = made[at] as MadeChoice;
    if (chosen + 1 < options)
      return [...made.slice(0, at).map((before) => before.chosen), chosen + 1];
  }
  return undefined;
}
