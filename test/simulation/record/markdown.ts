export const number = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: 1 });

export type Cell = string | number;

/** A table in Markdown. */
export const table = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map(
      (cells) =>
        `| ${cells.map((cell) => (typeof cell === 'number' ? number(cell) : cell)).join(' | ')} |`,
    )
    .join('\n');

export const byName = (counts: Readonly<Record<string, number>>): [string, number][] =>
  Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1));

export const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, one) => all + one, 0);
