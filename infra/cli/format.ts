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

/** Puts a text on one line of at most `maxChars`; a shortened text ends in `…`. */
function cellText(text: string, maxChars: number): string {
  const chars = [...printable(text.replace(/\s+/g, ' '))];
  return chars.length <= maxChars ? chars.join('') : `${chars.slice(0, maxChars - 1).join('')}…`;
}

const padEnd = (text: string, width: number): string => text + ' '.repeat(width - [...text].length);

/**
 * Lines up rows under their headings, with two spaces between columns.
 * @param rows the cells by heading, in the same order in each row
 * @param none the text to return if there are no rows
 * @param maxChars the maximum width by heading, for columns that may be wider than 40 characters
 */
export function formatTable(
  rows: readonly Readonly<Record<string, string>>[],
  none: string,
  maxChars: Readonly<Record<string, number>> = {},
): string {
  const headings = Object.keys(rows[0] ?? {});
  if (headings.length === 0) return none;
  const columns = headings.map((heading) => {
    const cells = rows.map((row) =>
      cellText(row[heading] ?? '', maxChars[heading] ?? cellMaxChars),
    );
    const width = Math.max(...[heading, ...cells].map((cell) => [...cell].length));
    return [heading, ...cells].map((cell) => padEnd(cell, width));
  });
  return ['', ...rows]
    .map((_, at) =>
      columns
        .map((column) => column[at])
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
