/** The first and the last of seeds that follow one another. */
export type SeedRange = readonly [first: number, last: number];

const inOrder = (ranges: readonly SeedRange[]): SeedRange[] =>
  [...ranges].sort(([one], [other]) => one - other);

/** The seeds of both, in order, with as few ranges as possible. @throws Error where a seed is in both: its history would count twice */
export function joinRanges(
  one: readonly SeedRange[],
  other: readonly SeedRange[],
): readonly SeedRange[] {
  const joined: SeedRange[] = [];
  for (const [first, last] of inOrder([...one, ...other])) {
    const before = joined.at(-1);
    if (before && first <= before[1])
      throw new Error(`Seed ${first} is in both records: its history would count twice.`);
    if (before && first === before[1] + 1) joined.splice(-1, 1, [before[0], last]);
    else joined.push([first, last]);
  }
  return joined;
}

/** The first seed from one on that is in none of the ranges. */
export function nextSeed(ranges: readonly SeedRange[], from: number): number {
  let seed = from;
  for (const [first, last] of inOrder(ranges)) if (seed >= first && seed <= last) seed = last + 1;
  return seed;
}

export const rangesText = (ranges: readonly SeedRange[]): string =>
  inOrder(ranges)
    .map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`))
    .join(' and ');
