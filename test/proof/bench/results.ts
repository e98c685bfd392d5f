import { shown } from '../../infra/stack/prices.ts';

type Cell = string | number;

/** A table of results. */
export interface ResultTable {
  readonly title: string;
  /** What a reader must know to read it; may be empty. */
  readonly note: string;
  /** Cells by the names of their columns, which all rows share. */
  readonly rows: readonly Readonly<Record<string, Cell>>[];
  /** How many columns, from the left, name a row. @default 1 */
  readonly named?: number;
  /** The columns that are the same on every machine: a later run compares them. */
  readonly exact?: readonly string[];
}

/** What the design sets a goal for (sections 5, 7 and 8), the most that it allows, and the figure of this run. */
export type Budget = readonly [what: string, goal: number, figure: number];

/** What a measurement found. */
export interface Results {
  readonly tables: readonly ResultTable[];
  readonly budgets: readonly Budget[];
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

/** The figures that a later run is compared with, by name. */
export type ExactFigures = Readonly<Record<string, number>>;

export const exactFigures = (tables: readonly ResultTable[]): ExactFigures =>
  Object.fromEntries(
    tables.flatMap(({ title, rows, named = 1, exact = [] }) =>
      rows.flatMap((row) => {
        const name = Object.values(row).slice(0, named).join(', ');
        return exact.map((column) => [`${title}, ${name}: ${column}`, Number(row[column])]);
      }),
    ),
  );

/** Compares a run with an earlier one in the figures that both have. Fails if a figure is higher, or if they share none. */
export function comparison(
  before: ExactFigures,
  now: ExactFigures,
): { text: string; fails: boolean } {
  const both = Object.keys(now).filter((name) => before[name] !== undefined);
  const different = both
    .map((name) => ({ name, before: before[name] ?? 0, now: now[name] ?? 0 }))
    .filter((one) => one.now !== one.before);
  const table = {
    title: `Counts: ${both.length} compared, ${different.length} different`,
    note: '',
    rows: different.map((one) => ({
      figure: one.name,
      before: shown(one.before, 3),
      now: shown(one.now, 3),
      ratio: `× ${(one.now / one.before).toFixed(2)}`,
      result: one.now > one.before ? 'MORE' : 'fewer',
    })),
  };
  const fails = both.length === 0 || different.some((one) => one.now > one.before);
  return { text: asMarkdown(table), fails };
}
