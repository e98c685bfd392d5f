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
