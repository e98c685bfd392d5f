/** Splits items into parts of at most `size`, in order. */
export function* partsOf<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

/** Runs a task for each item, up to `atOnce` in parallel. @throws the first error of a task */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items.values();
  const work = async (): Promise<void> => {
    for (const item of iterator) await task(item);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
