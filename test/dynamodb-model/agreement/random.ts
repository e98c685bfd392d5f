/** A small seeded generator (mulberry32): the same seed gives the same requests on any machine. */
export class Random {
  #state = 0x811c9dc5;

  constructor(seed: string) {
    for (let at = 0; at < seed.length; at += 1)
      this.#state = Math.imul(this.#state ^ seed.charCodeAt(at), 0x01000193);
  }

  /** At least 0 and less than 1. */
  #fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(bound: number): number {
    return Math.floor(this.#fraction() * bound);
  }

  /** An integer from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  chance(probability: number): boolean {
    return this.#fraction() < probability;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }

  shuffle<T>(values: readonly T[]): T[] {
    return values
      .map((value) => ({ value, rank: this.#fraction() }))
      .sort((one, other) => one.rank - other.rank)
      .map(({ value }) => value);
  }
}
