/** A set of lead IDs that uses 4 bytes per ID. */
export class LeadIds {
  #ids = new Uint32Array(1024);
  #count = 0;
  #highest = 0;
  #isSorted = true;

  get size(): number {
    return this.#count;
  }

  /** 0 when the set is empty. */
  get highest(): number {
    return this.#highest;
  }

  add(id: number): void {
    if (this.#count === this.#ids.length) {
      const larger = new Uint32Array(2 * this.#count);
      larger.set(this.#ids);
      this.#ids = larger;
    }
    this.#ids[this.#count] = id;
    this.#count += 1;
    if (id < this.#highest) this.#isSorted = false;
    else this.#highest = id;
  }

  has(id: number): boolean {
    if (!this.#isSorted) this.#ids.subarray(0, this.#count).sort();
    this.#isSorted = true;
    let [from, to] = [0, this.#count];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#ids[middle] ?? 0) < id) from = middle + 1;
      else to = middle;
    }
    return from < this.#count && this.#ids[from] === id;
  }
}
