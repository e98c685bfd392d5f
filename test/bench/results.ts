type Cell = string | number;

/** A table of results. */
export interface ResultTable {
  readonly title: string;
  /** What a reader must know to read it; may be empty. */
  readonly note: string;
  /** Cells by the names of their columns, which all rows share. */
  readonly rows: readonly Readonly<Record<string, Cell>>[];
}

/** What the design sets a goal for (sections 5, 7 and 8), the most that it allows, and the figure of this run. */
export type Budget = readonly [what: string, goal: number, figure: number];

/** What a measurement found. */
export interface Results {
  readonly tables: readonly ResultTable[];
  readonly budgets: readonly Budget[];
}

/** Thousands with commas; a fraction only where the number is small enough for it to matter. */
export function shown(
  number: number,
  digits = Math.abs(number) >= 100 ? 0 : Math.abs(number) >= 10 ? 1 : 2,
): string {
  return Number(number.toFixed(digits)).toLocaleString('en-US', { maximumFractionDigits: digits });
}

/** The first column is aligned left, the others, numbers, right. */
export function asMarkdown({ title, note, rows }: ResultTable): string {
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  if (!rows[0]) return `### ${title}`;
  const head = Object.keys(rows[0]);
  const cells = rows.map((row) =>
    Object.values(row).map((cell) => (typeof cell === 'number' ? shown(cell) : cell)),
  );
  const rule = head.map((_, column) => (column === 0 ? '---' : '--:'));
  return [
    `### ${title}`,
    ...(note ? ['', note] : []),
    '',
    ...[head, rule, ...cells].map(line),
  ].join('\n');
}

export const most = <One>(all: readonly One[], figureOf: (one: One) => number): number =>
  Math.max(...all.map(figureOf));

/** Every budget with its measured value. */
export const budgetTable = (budgets: readonly Budget[]): ResultTable => ({
  title: 'Budgets',
  note: 'Goals are those of the design.',
  rows: budgets.map(([what, goal, figure]) => ({
    budget: what,
    goal: `≤ ${shown(goal)}`,
    'this run': shown(figure, 3),
    result: figure <= goal ? 'met' : '**missed**',
  })),
});
