import { setTimeout as sleep } from 'node:timers/promises';

/** Reads a suspect again, whole. @returns what is wrong, as sentences */
export type Look = () => Promise<string[]>;

const looksAtOnce = 8;

/** Looks at each suspect, and later again at those that are wrong. @returns what is still wrong, sorted */
export async function wrongTwice(looks: readonly Look[], againAfterMs = 2000): Promise<string[]> {
  const wrong: Look[] = [];
  await inParallel(looks, looksAtOnce, async (look) => {
    if ((await look()).length > 0) wrong.push(look);
  });
  if (wrong.length > 0) await sleep(againAfterMs);
  const violations = new Set<string>();
  await inParallel(wrong, looksAtOnce, async (look) => {
    for (const violation of await look()) violations.add(violation);
  });
  return [...violations].sort();
}

/** Runs a task for each item, up to `atOnce` in parallel. @throws the first error of a task */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await task(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
