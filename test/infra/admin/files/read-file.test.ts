import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { readSheet } from 'read-excel-file/node';
import { expect, test } from 'vitest';
import { type ReadOptions, readLeadsFile } from '../../../../infra/admin/files/read-file.ts';
import { readXlsx } from '../../../../infra/admin/files/read-xlsx.ts';
import { projectFolder } from '../../../support/service-process.ts';
import { useFolder } from '../../given-folder.ts';
import { sheetRow, workbookOf } from '../import/given-files.ts';

const files = useFolder();

const cellsIn = async (name: string, content: string | Buffer, options: ReadOptions = {}) => {
  const { rows } = await readLeadsFile(await files.write(name, content), options);
  return rows.map(({ cells }) => cells);
};
const withMark = (mark: number[], text: Buffer) => Buffer.concat([Buffer.from(mark), text]);
const table = 'name\tcity\nZoë\tPune\n';
const read = [
  ['name', 'city'],
  ['Zoë', 'Pune'],
];

test.each<[name: string, bytes: Buffer, encoding?: string]>([
  ['UTF-16 of Windows', withMark([0xff, 0xfe], Buffer.from(table, 'utf16le'))],
  ['UTF-16 of others', withMark([0xfe, 0xff], Buffer.from(table, 'utf16le').swap16())],
  ['UTF-16 without a mark', Buffer.from(table, 'utf16le'), 'utf-16le'],
  ['Windows', Buffer.from(table, 'latin1'), 'windows-1252'],
  [
    'a mark that outranks the option',
    withMark([0xff, 0xfe], Buffer.from(table, 'utf16le')),
    'windows-1252',
  ],
])('a file in %s is read', async (_, bytes, encoding) => {
  expect(await cellsIn('encoded.csv', bytes, { encoding })).toEqual(read);
});

test.each<[name: string, bytes: Buffer, message: RegExp, encoding?: string]>([
  [
    'UTF-16 without a mark',
    Buffer.from('name\tcity\nA\tB\n', 'utf16le'),
    /looks like UTF-16 .*: add --encoding utf-16le/,
  ],
  [
    'latin1',
    Buffer.from(table, 'latin1'),
    /is not UTF-8\. .* --encoding windows-1252, or .* windows-1251/,
  ],
  [
    'another code page',
    Buffer.from([0xff, 0x81]),
    /is not euc-kr: name another --encoding/,
    'euc-kr',
  ],
])('a file in %s is refused with the way out', async (_, bytes, message, encoding) => {
  await expect(cellsIn('refused.csv', bytes, { encoding })).rejects.toThrow(message);
});

test.each([
  ['name,city\nA,"a;b;c;d"\n', 'A', 'a;b;c;d'],
  ['name;city\nA;a,b,c\n', 'A', 'a,b,c'],
  ['name|city\nA|a,b,c\n', 'A', 'a,b,c'],
  ['name,"Choose (a; b; c; d)"\nA,x\n', 'A', 'x'],
  ['name,"a;b;c;d;e"\n"A","x"\n', 'A', 'x'],
  ['sep=;\nname;city\nA;a,b\n', 'A', 'a,b'],
  ['name\tcity, or town\nA\tPune, Goa\n', 'A', 'Pune, Goa'],
])('the delimiter is the one that splits the rows into cells: %j', async (text, first, second) => {
  expect((await cellsIn('delimited.csv', text))[1]).toEqual([first, second]);
});

test('a file that two delimiters split equally well is refused with the line that decides', async () => {
  await expect(cellsIn('either.csv', 'a,b;c\n1,2;3\n')).rejects.toThrow(
    /with "," or with ";" between its cells: write sep=, or sep=; as its first line/,
  );
});

test.each([
  ['name,city\nA,"P"\r\nB,Q\r\n'],
  ['name,city\r\nA,P\nB,"Q"\n'],
  ['name,city\rA,"P"\rB,Q'],
])('each row ends where its line ends, however the other lines end: %j', async (text) => {
  expect(await cellsIn('ends.csv', text)).toEqual([
    ['name', 'city'],
    ['A', 'P'],
    ['B', 'Q'],
  ]);
});

test('a quote that was not meant never hides the rows that follow it', async () => {
  const text = 'name,city\nA,"5 inch\nB,Q\nC,"R"\nD,S\n';

  await expect(cellsIn('inch.csv', text)).rejects.toThrow(
    /: a quote in row 2 is not closed, and hides the rows/,
  );
  expect(await cellsIn('pipe.csv', '"A" Rao,5" pipe\n')).toEqual([['"A" Rao', '5" pipe']]);
  expect(await cellsIn('said.csv', '"""Hi""\nB",x\n')).toEqual([['"Hi"\nB', 'x']]);
});

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A workbook with these sheets, whose third cell style shows six digits. */
function workbookWith(sheets: readonly { name: string; state?: string; xml: string }[]): Buffer {
  const parts: Record<string, string> = {
    'xl/workbook.xml': `<workbook xmlns:r="${office}"><sheets>${sheets
      .map(
        ({ name, state = 'visible' }, at) =>
          `<sheet name="${name}" state="${state}" r:id="r${at}"/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${sheets
      .map(
        (_, at) => `<Relationship Id="r${at}" Type="${office}/worksheet" Target="/xl/s${at}.xml"/>`,
      )
      .join('')}</Relationships>`,
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="000000"/><numFmt numFmtId="165" formatCode="&quot;+91 &quot;0"/><numFmt numFmtId="166" formatCode="[$-409]d\\-mmm\\-yy;@"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="10"/><xf numFmtId="4"/></cellXfs></styleSheet>',
    'xl/sharedStrings.xml':
      '<sst><si><t>One &amp; two</t></si><si><r><t>Rich </t></r><r><t>text</t></r><rPh><t>spoken</t></rPh></si><si/><si><t note="a>b">a_x000D_b_x005F_x0041_</t></si></sst>',
  };
  for (const [at, { xml }] of sheets.entries())
    parts[`xl/s${at}.xml`] = `<worksheet>${xml}</worksheet>`;
  return Buffer.from(
    zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)]))),
  );
}
const data = (rows: string): string => `<sheetData>${rows}</sheetData>`;

test('cells are read by their type and style, wherever their program wrote them', () => {
  const cells =
    '<c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>3</v></c><c t="b"><v>1</v></c><c s="1"><v>46095</v></c><c s="4"><v>46095.5</v></c><c s="6"><v>1234.5</v></c><c t="e"><v>#N/A</v></c><c r="K1" t="inlineStr"><is><t>x &gt; y</t></is></c><c t="d"><v>2026-03-14T12:00:00</v></c>';
  const { rows } = readXlsx(workbookWith([{ name: 'A', xml: data(`<row>${cells}</row>`) }]));

  expect(rows[0]?.cells).toEqual([
    ...['One & two', 'Rich text', 'a\rb_x0041_', true, new Date('2026-03-14')],
    ...[new Date('2026-03-14T12:00:00Z'), 1234.5, null, null, null, 'x > y'],
    new Date('2026-03-14T12:00:00Z'),
  ]);
});

const strings = '<sst><si><t>first</t></si></sst>';
const styles = '<styleSheet><cellXfs><xf/><xf numFmtId="14"/></cellXfs></styleSheet>';

test.each<[name: string, cell: string, read: unknown]>([
  ['an empty text of the shared ones', '<c t="s"/>', null],
  ['an empty position of a text', '<c t="s"><v></v></c>', null],
  ['a truth value as a word', '<c t="b"><v>TRUE</v></c>', true],
  ['an untruth as a word', '<c t="b"><v>false</v></c>', false],
  ['a phone in a column of dates', '<c s="1"><v>9822012345</v></c>', 9822012345],
  ['the last day of a sheet', '<c s="1"><v>2958465</v></c>', new Date('9999-12-31')],
  ['a number with a decimal comma', '<c><v>1,5</v></c>', '1,5'],
  ['a date cell without a date', '<c t="d"><v>soon</v></c>', 'soon'],
])('%s is read as it is', (_, cell, read) => {
  const row = `<row>${cell}<c t="str"><v>x</v></c></row>`;
  const { rows } = readXlsx(
    workbookOf(row, { files: { 'xl/sharedStrings.xml': strings, 'xl/styles.xml': styles } }),
  );

  expect(rows[0]?.cells).toEqual([read, 'x']);
});

test('a cell has a date by its built-in format, and by the calendar of its workbook', () => {
  const ids = [13, 14, 22, 23, 26, 27, 36, 37, 44, 45, 47, 48, 49, 50, 58, 59];
  const dates = [14, 22, 27, 36, 45, 47, 50, 58];
  const cellXfs = ids.map((id) => `<xf numFmtId="${id}"/>`).join('');
  const files = { 'xl/styles.xml': `<styleSheet><cellXfs>${cellXfs}</cellXfs></styleSheet>` };
  const row = `<row>${ids.map((_, at) => `<c s="${at}"><v>46095</v></c>`).join('')}</row>`;
  const cellsOf = (workbook: string) =>
    readXlsx(workbookOf(row, { files, workbook })).rows[0]?.cells ?? [];

  const cells = cellsOf('');

  expect(ids.filter((_, at) => cells[at] instanceof Date)).toEqual(dates);
  expect(cells[1]).toEqual(new Date('2026-03-14'));
  expect(cellsOf('<workbookPr date1904="1"/>')[1]).toEqual(new Date('2030-03-15'));
});

test('rows that are hidden, by a filter or by their height, are left out and counted', () => {
  const rows = ['', 'hidden="1"', 'ht="0"', 'hidden="true"', 'hidden="0" ht="15"'].map(
    (attributes, at) => `<row r="${at + 1}" ${attributes}><c><v>${at}</v></c></row>`,
  );

  const { rows: shown, hidden } = readXlsx(workbookOf(rows.join('')));

  expect(shown.map(({ number }) => number)).toEqual([1, 5]);
  expect(hidden).toBe(3);
});

test('texts and styles are read where the workbook says, whatever the case of their names', () => {
  const files = { 'xl/SharedStrings.xml': strings, 'Styles.xml': styles };
  const links =
    '<Relationship Type="a/sharedStrings" Target="sharedStrings.xml"/><Relationship Type="a/styles" Target="/styles.xml"/>';
  const row = '<row><c t="s"><v>0</v></c><c s="1"><v>46095</v></c></row>';

  expect(readXlsx(workbookOf(row, { files, links })).rows[0]?.cells).toEqual([
    'first',
    new Date('2026-03-14'),
  ]);
});

const farRows = (count: number): string =>
  Array.from(
    { length: count },
    (_, at) => `<row r="${at + 1}"><c r="XFD${at + 1}"><v>1</v></c></row>`,
  ).join('');

test.each<[name: string, rows: string, message: RegExp]>([
  ['a cell beyond the last column', '<row><c r="ZZZZZZZ1"><v>1</v></c></row>', /is not an \.xlsx/],
  ['a row beyond the last one', '<row r="1048577"><c><v>1</v></c></row>', /is not an \.xlsx/],
  ['a text that the workbook lacks', '<row><c t="s"><v>9</v></c></row>', /is not an \.xlsx/],
  [
    'a formula for a whole sheet',
    '<row><c><f t="array" ref="A1:XFD1048576">1</f></c></row>',
    /is too large: delete/,
  ],
  ['cells in the last column of many rows', farRows(4000), /is too large: delete/],
])('a workbook with %s is refused before it fills the memory', async (_, rows, message) => {
  await expect(cellsIn('crafted.xlsx', workbookOf(rows))).rejects.toThrow(message);
});

test('a workbook whose sheet is larger than a text can be is refused with the way out', async () => {
  const bytes = workbookOf('<row/>');
  // The size in the directory of the archive, which tells how much memory the file needs.
  const at = bytes.lastIndexOf('xl/worksheets/sheet1.xml') - 46;
  bytes.writeUInt32LE(600_000_000, at + 24);

  await expect(cellsIn('bomb.xlsx', bytes)).rejects.toThrow(/is too large: .*save it as CSV UTF-8/);
});

test('the first visible sheet is read, a hidden one only by its name', () => {
  const sheet = (name: string, state?: string) => ({
    ...{ name, ...(state && { state }) },
    xml: data(sheetRow(1, [name])),
  });
  const book = workbookWith([
    sheet('Lists', 'hidden'),
    sheet('Very', 'veryHidden'),
    sheet('Leads'),
  ]);

  expect(readXlsx(book)).toMatchObject({ name: 'Leads', rows: [{ cells: ['Leads'] }] });
  expect(readXlsx(book, 'Lists')).toMatchObject({ name: 'Lists' });
});

test('number formats that show another text, and merged cells, are reported', () => {
  const row = (number: number) =>
    `<row r="${number}"><c r="A${number}" s="2"><v>411</v></c><c r="B${number}" s="3"><v>98</v></c><c r="C${number}" s="5"><v>0.5</v></c><c r="D${number}" s="2"><v>411411</v></c></row>`;
  const xml = `${data(row(2) + row(3))}<mergeCells><mergeCell ref="A2:A3"/></mergeCells>`;

  const { remarks, rows } = readXlsx(workbookWith([{ name: 'A', xml }]));

  expect(rows[0]?.cells).toEqual([411, 98, 0.5, 411411]);
  expect(remarks).toEqual([
    expect.stringMatching(
      /^Cell A2 holds 411 and shows it with leading zeros, and 1 more cells? of the column: /,
    ),
    expect.stringMatching(/^Cell B2 holds 98 and shows it with \+91 /),
    expect.stringMatching(/^Cell C2 holds 0\.5 and shows it as a percentage/),
    expect.stringMatching(/^Merged cells: A2:A3\. Only the first cell/),
  ]);
});

test.each(['libreoffice.xlsx', 'gnumeric.xlsx'])(
  '%s is read as another reader reads it',
  async (name) => {
    const bytes = await readFile(join(projectFolder, 'test/infra/admin/import', name));
    const others = await readSheet(bytes, undefined, { trim: false });
    const text = (cell: unknown) =>
      cell instanceof Date ? Math.round(cell.getTime() / 1000) : (cell ?? null);

    const { rows } = readXlsx(bytes);

    expect(rows.length).toBeGreaterThan(1);
    for (const { number, cells } of rows) {
      const other = (others[number - 1] ?? []).map(text);
      expect(other.map((_, at) => text(cells[at]))).toEqual(other);
    }
  },
);

test('a truncated workbook, or one without a sheet, is refused', async () => {
  const whole = workbookOf(sheetRow(1, ['name']));
  for (const bytes of [whole.subarray(0, whole.length / 2), Buffer.from('PK')])
    await expect(cellsIn('cut.xlsx', bytes)).rejects.toThrow(/is not an \.xlsx workbook/);
});
