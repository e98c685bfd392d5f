/** A table of results: the first row of cells is its head. */
export interface ResultTable {
  readonly title: string;
  /** What a reader must know to read it; may be empty. */
  readonly note: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** For a terminal: columns padded, numbers to the right. */
export function asText({ title, head, rows }: ResultTable): string {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const isNumber = (cell: string): boolean => /^[-$×]?[\d.,]+/.test(cell);
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        isNumber(cell) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [
    title,
    line(head),
    widths.map((width) => '-'.repeat(width)).join('  '),
    ...rows.map(line),
  ].join('\n');
}

/** For a page: the first column reads from the left, the others, numbers, from the right. */
export function asMarkdown({ title, note, head, rows }: ResultTable): string {
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = head.map((_, column) => (column === 0 ? '---' : '--:'));
  return [
    `### ${title}`,
    ...(note ? ['', note] : []),
    '',
    line(head),
    line(rule),
    ...rows.map(line),
  ].join('\n');
}
