/**
 * Ids of changed leads, each once, in four bytes each: a function caches hundreds of thousands of them. Ids are added in any order and
 * sorted when they are next used.
 */
export class ChangedIds {
  #ascending = new Uint32Array(0);
  readonly #added = new Set<number>();

  add(leadId: number): void {
    if (this.#ascending[this.#countBelow(leadId)] !== leadId) this.#added.add(leadId);
  }

  get size(): number {
    return this.#ascending.length + this.#added.size;
  }

  countBelow(below: number): number {
    this.#sort();
    return this.#countBelow(below);
  }

  highestBelow(below: number): number | undefined {
    this.#sort();
    return this.#ascending[this.#countBelow(below) - 1];
  }

  [Symbol.iterator](): Iterator<number> {
    this.#sort();
    return this.#ascending.values();
  }

  #sort(): void {
    if (this.#added.size === 0) return;
    const all = new Uint32Array(this.size);
    all.set(this.#ascending);
    all.set([...this.#added], this.#ascending.length);
    this.#ascending = all.sort();
    this.#added.clear();
  }

  /** Of the sorted ids, by binary search. */
  #countBelow(below: number): number {
    let [from, to] = [0, this.#ascending.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#ascending[middle] ?? 0) < below) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
