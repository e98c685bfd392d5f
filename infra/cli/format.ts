/** A count with its noun: `1 lead`, `2,500 leads`. */
export const countOf = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? singular : plural}`;

/** The first names of a list, and how many follow: `5, 8, and 12 more`. */
export function firstOf(names: readonly (string | number)[], max = 20): string {
  const more = names.length > max ? `, and ${names.length - max} more` : '';
  return `${names.slice(0, max).join(', ')}${more}`;
}

/** The date of a date-time: `2026-11-21`. */
export const dateOf = (dateTime: string): string => dateTime.slice(0, 10);

/**
 * Replaces control characters in stored text before a terminal prints it. People type names and notes into public forms, and a control
 * character could move the cursor, recolour the text or overwrite other output.
 */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD');

const cellMaxChars = 40;
/** What a terminal has room for is not shortened below this: a date with its time, a phone and an ID stay whole. */
const shortenedMinChars = 19;

/** Puts a text on one line of at most `maxChars`; a shortened text ends in `…`. */
function cellText(text: string, maxChars: number): string {
  const chars = [...printable(text.replace(/\s+/g, ' '))];
  return chars.length <= maxChars ? chars.join('') : `${chars.slice(0, maxChars - 1).join('')}…`;
}

const padEnd = (text: string, width: number): string => text + ' '.repeat(width - [...text].length);

interface TableOptions {
  /** The text without rows. */
  readonly none?: string;
  /** The columns of the terminal, 0 if its size is unknown. Without them, a table is as wide as its cells. */
  readonly width?: number | undefined;
  /** Per heading, for columns that may be wider than 40 characters. */
  readonly maxChars?: Readonly<Record<string, number>>;
}

/**
 * Lines up rows under their headings, with two spaces between columns. In a narrow terminal the widest columns are shortened; if that is not
 * enough, a last line names the columns that are not shown.
 * @param rows their cells by heading, all in the same order, the least important column last
 */
export function formatTable(
  rows: readonly Readonly<Record<string, string>>[],
  { none = '', width, maxChars = {} }: TableOptions,
): string {
  const headings = Object.keys(rows[0] ?? {});
  if (headings.length === 0) return none;
  const columns = headings.map((heading) => {
    const max = maxChars[heading] ?? cellMaxChars;
    return [heading, ...rows.map((row) => cellText(row[heading] ?? '', max))];
  });
  const natural = columns.map((cells) => Math.max(...cells.map((cell) => [...cell].length)));
  const widths = fittingWidths(natural, width || Number.POSITIVE_INFINITY);
  const lines = ['', ...rows].map((_, at) =>
    widths
      .map((chars, column) => padEnd(cellText(columns[column]?.[at] ?? '', chars), chars))
      .join('  ')
      .trimEnd(),
  );
  const hidden = headings.slice(widths.length);
  if (hidden.length > 0)
    lines.push('', `Not shown: ${hidden.join(', ')}. Widen the terminal, or use --json.`);
  return lines.join('\n');
}

/** @returns the widths of the columns that are shown, from the left */
function fittingWidths(natural: readonly number[], lineWidth: number): readonly number[] {
  const widthOf = (columns: readonly number[]): number =>
    columns.reduce((sum, chars) => sum + chars, 2 * (columns.length - 1));
  const least = natural.map((chars) => Math.min(chars, shortenedMinChars));
  let shown = natural.length;
  while (shown > 1 && widthOf(least.slice(0, shown)) > lineWidth) shown -= 1;
  const widths = natural.slice(0, shown);
  while (widthOf(widths) > lineWidth && Math.max(...widths) > shortenedMinChars)
    widths[widths.indexOf(Math.max(...widths))] = Math.max(...widths) - 1;
  return widths;
}
