/** A stream of random choices that is the same for the same seed, on every machine. */
export class Random {
  #state: number;

  /** @param seeds whole numbers: a run's seed, and what tells its parts from one another */
  constructor(...seeds: readonly number[]) {
    this.#state = seeds.reduce((state, seed) => mixed(state ^ mixed(seed | 0)), 0x9e3779b9);
  }

  /** From 0 up to 1, which it never is (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    return mixed(this.#state) / 2 ** 32;
  }

  /** A whole number between these, both of them possible. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** True in so many of a hundred. */
  percent(share: number): boolean {
    return this.next() * 100 < share;
  }

  pick<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new RangeError('There is nothing to pick from.');
    return choices[this.integer(0, choices.length - 1)] as T;
  }

  /** Each of the choices or not. */
  some<T>(choices: readonly T[], share = 50): T[] {
    return choices.filter(() => this.percent(share));
  }

  /** So many times what `make` gives. */
  times<T>(min: number, max: number, make: (random: Random) => T): T[] {
    return Array.from({ length: this.integer(min, max) }, () => make(this));
  }
}

/** An unsigned 32-bit number from another, without a pattern between neighbours. */
function mixed(number: number): number {
  let t = Math.imul(number ^ (number >>> 15), number | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return (t ^ (t >>> 14)) >>> 0;
}
