/** A map that drops its oldest entry when it exceeds `bound`, so that no caller can make a cache grow. */
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

/** Caches a function's result for each object, for as long as the object lives. The result must depend only on the object. */
export function memoize<From extends object, Result>(
  compute: (from: From) => Result,
): (from: From) => Result {
  const results = new WeakMap<From, { readonly value: Result }>();
  return (from) => {
    const result = results.get(from) ?? { value: compute(from) };
    results.set(from, result);
    return result.value;
  };
}

/** `Object.keys`, typed. Only for objects that have exactly their type's keys. */
export const keysOf = <T extends object>(table: T): (keyof T & string)[] =>
  Object.keys(table) as (keyof T & string)[];
