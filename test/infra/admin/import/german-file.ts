const headings = [
  ...['Kunde', 'Telefon', 'E-Mail', 'Beginn', 'Umsatz', 'Newsletter', 'Quelle', 'Bemerkung'],
  'Angelegt am',
];

/** The options with which the file is imported whole. */
export const germanOptions = [
  ...['--encoding', 'windows-1252', '--dates', 'dd.mm.yyyy', '--decimal', 'comma'],
  ...['--value', 'Newsletter:ja=yes', '--value', 'Newsletter:nein=no'],
  ...['--value', 'Quelle:Messe=Facebook Ads', '--map', 'Kunde=name', '--map', 'Telefon=phone'],
  ...['--map', 'E-Mail=email', '--map', 'Beginn=start_on', '--map', 'Umsatz=budget'],
  ...['--map', 'Newsletter=wants_call', '--map', 'Quelle=source', '--map', 'Bemerkung=note'],
  ...['--map', 'Angelegt am=created at'],
];

const two = (value: number): string => String(value).padStart(2, '0');
const dateOf = (row: number): string => `${two((row % 28) + 1)}.${two((row % 12) + 1)}.2025`;

/** A row of people that no other row has, except that the last rows repeat the phones of the first ones. */
function cellsOf(row: number, rows: number, duplicates: number): string[] {
  const person = row < rows - duplicates ? row : row - (rows - duplicates);
  return [
    `Jürgen Groß-${row}`,
    `+49 (0)170/${5_000_000 + person}`,
    `kunde${row}@example.de`,
    dateOf(row),
    `${row % 9 === 0 ? '' : `${(row % 9) + 1}.`}${String(100 + (row % 900))},${two(row % 100)}`,
    row % 3 === 0 ? 'nein' : 'ja',
    row % 2 === 0 ? 'Messe' : 'Website',
    row % 5 === 0 ? '' : `Wünscht Rückruf für "Größe ${row}"; zahlt in €\nab ${dateOf(row)}`,
    `${dateOf(row)} 09:${two(row % 60)}`,
  ];
}

const quoted = (cell: string): string =>
  /[";\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

/** A list of customers as a German Excel saves it as "CSV": semicolons, windows-1252, CRLF, dd.mm.yyyy, decimal comma, ja and nein. */
export function germanFile(rows: number, duplicates: number): Buffer {
  const lines = [
    headings,
    ...Array.from({ length: rows }, (_, row) => cellsOf(row, rows, duplicates)),
  ];
  const text = lines.map((cells) => `${cells.map(quoted).join(';')}\r\n`).join('');
  // windows-1252 is Latin-1 but for a few characters, of which the file has only one.
  return Buffer.from(text.replaceAll('€', '\u0080'), 'latin1');
}
