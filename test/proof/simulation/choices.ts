import { Random } from '../../support/generated/random.ts';

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
 * All that a run decides goes through one of these, so that the seed, or the choices made, determine the whole run.
 */
export interface Choices {
  /**
   * One of `options` ways, as a number from 0; 0 is the ordinary one.
   * @param otherChance how probable it is, where chance decides, that it is not the ordinary one. @default all ways are equally likely
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
