/** A map that drops the entry set longest ago when it exceeds its bound, so that no caller can make a cache grow. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #bound: number;

  constructor(bound: number) {
    super();
    this.#bound = bound;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    const [oldest] = this.keys();
    if (this.size > this.#bound && oldest !== undefined) this.delete(oldest);
    return this;
  }
}
