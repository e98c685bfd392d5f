/** A table of results. */
export interface ResultTable {
  readonly title: string;
  /** What a reader must know to read it; may be empty. */
  readonly note: string;
  /** Cells by the names of their columns, which all rows share. */
  readonly rows: readonly Readonly<Record<string, string | number>>[];
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
  const head = Object.keys(rows[0] ?? { '': '' });
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
