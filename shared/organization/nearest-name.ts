/** The fewest edits (insert, delete, replace, swap neighbours) that turn one word into another: optimal string alignment distance. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (b[j - 1] === a[i] ? 0 : 1);
      const isSwap = i > 0 && j > 1 && a[i] === b[j - 2] && a[i - 1] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}

/**
 * The name that was probably meant: the one with the fewest edits, at most a third of its letters (at least one), ignoring case. Only names
 * with the same first letter are considered: `course` is just two edits away from `source`.
 */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  if (typed.length > 64) return undefined;
  const lower = typed.toLowerCase();
  const [best] = names
    .filter((name) => name[0]?.toLowerCase() === lower[0])
    .map((name) => ({ name, edits: distance(lower, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.edits - b.edits);
  return best?.name;
}
