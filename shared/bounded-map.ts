/** A map that drops the entry set longest ago when it exceeds its bound, so that no caller can make a cache grow. */
export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #bound: number;

  constructor(bound: number) {
    this.#bound = bound;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#bound && oldest !== undefined) this.#entries.delete(oldest);
  }
}
