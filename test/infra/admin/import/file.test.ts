import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Formats,
  hintFor,
  readCell,
  writtenNumber,
} from '../../../../infra/admin/files/cell-formats.ts';
import {
  type FileOptions,
  type ImportFile,
  openImportFile,
} from '../../../../infra/admin/import/open.ts';
import { replacing } from '../../../../infra/admin/import/plan.ts';
import { targetNamed } from '../../../../shared/leads/transfer/import-columns.ts';
import { customField, sampleOrganization } from '../../../support/settings.ts';
import { useFolder } from '../../given-folder.ts';
import { sheetRow, workbookOf } from './given-files.ts';

const files = useFolder();

async function opened(
  name: string,
  content: string | Buffer,
  options: FileOptions = {},
): Promise<ImportFile> {
  const path = await files.write(name, content);
  const file = await openImportFile(path, sampleOrganization(), options);
  return 'open' in file ? expect.fail(JSON.stringify(file.open)) : file;
}

test('the byte order mark of UTF-8 counts for more than --encoding, as in the report of a file without one', async () => {
  const file = await opened('mark.csv', '\uFEFFname,phone\nZoë,1\n', {
    encoding: 'windows-1252',
  });

  const [row] = file.rows;

  expect(row?.original).toEqual(['Zoë', '1']);
  expect(file.form.mark).toBe('\uFEFF');
});

test('a large file is read whole, with its byte order mark and line ends', async () => {
  const lines = Array.from({ length: 20_000 }, (_, row) => `Zoë ${row}😀;${row}`);
  const file = await opened('large.csv', `\uFEFFname;phone\r\n${lines.join('\r\n')}\r\n`);

  const rows = [...file.rows];

  expect(file.form).toEqual({
    format: 'csv',
    mark: '\uFEFF',
    delimiter: ';',
    lineEnd: '\r\n',
  });
  expect(rows.map(({ original }) => Object.values(original).join(';'))).toEqual(lines);
  expect(file.lastRow).toBe(20_001);
});

test('a first line sep= names the delimiter; an empty column needs no heading, one with a value does', async () => {
  const file = await opened('sep.csv', 'sep=|\r\nname|phone|\r\nA|1|\r\nB|2|x\r\n');

  const rows = [...file.rows];

  expect(file.form.delimiter).toBe('|');
  expect(rows.map(({ number, issue, read }) => [number, issue ?? read])).toEqual([
    [2, expect.objectContaining({ fields: { name: 'A', phone: '1' } })],
    [3, "A column without a heading has a value: give it a heading, or add --ignore ''."],
  ]);
});

test('a line of JSON that names one field or property twice is refused by itself', async () => {
  const lines = ['{"phone":"1","fields":{"phone":"2"}}', '{"stage":1,"stageId":1}', '{"name":"A"}'];

  const rows = [...(await opened('twice.jsonl', lines.join('\n'))).rows];

  expect(rows.map(({ issue, read }) => issue ?? read)).toEqual([
    "The line has more than one column for phone: ignore one with --ignore 'COLUMN'.",
    "The line has more than one column for stage: ignore one with --ignore 'COLUMN'.",
    expect.objectContaining({ fields: { name: 'A' } }),
  ]);
});

test('headings, options and labels that people read as one name are one, and an exact heading goes first', async () => {
  const content = 'Na\u0308me,Phone\u00a0No,NOTE,note,City\u200b\nA,1,x,y,P\n';
  const map = new Map([
    ['NÄME', 'name'],
    ['phone no', 'phone'],
  ]);

  const [row] = (await opened('heads.csv', content, { map, ignore: ['NOTE'] })).rows;

  expect(row?.read).toEqual({
    fields: { name: 'A', phone: '1', city: 'P' },
    properties: { note: 'y' },
  });
});

test('a heading that only the comparison makes equal to two labels names neither', () => {
  const labels = [
    customField('mixed', 'text', { label: 'Straße' }),
    customField('capitals', 'text', { label: 'STRASSE' }),
  ];
  const organization = sampleOrganization({ fields: labels });
  const named = ['Straße', 'STRASSE', 'strasse'].map(
    (name) => targetNamed(organization, name)?.name,
  );

  expect(named).toEqual(['mixed', 'capitals', undefined]);
});

const dates = (formats: string) => ` Add --dates ${formats}.`;
const eitherDate = dates('dd/mm/yyyy or --dates mm/dd/yyyy');
const eitherMark = ' Add --decimal comma or --decimal point.';
const replace = (heading: string) => ` Add --value '${heading}:TEXT=VALUE' to read TEXT as VALUE.`;
test.each<[name: string, text: string, hint: string, formats?: Formats]>([
  ['start_on', '03/04/2026', eitherDate],
  ['start_on', '03/04/2026', '', { dates: 'dd.mm.yyyy' }],
  ['start_on', '21.04.2026', dates('dd.mm.yyyy')],
  ['start_on', '2026-04-31', ''],
  ['start_on', '21.04.2026 14:30', ''],
  ['created at', '21.04.2026 14:30', dates('dd.mm.yyyy')],
  ['created at', '21.04.2026 14:30', '', { dates: 'mm/dd/yyyy' }],
  ['budget', '12.500', eitherMark],
  ['budget', '1.250.000', ' Add --decimal comma.'],
  ['budget', '1.250.000', '', { decimal: 'point' }],
  ['budget', '1,250.5', ' Add --decimal point.'],
  ['budget', '1250.5', ''],
  ['budget', 'a lot', ''],
  ['wants_call', 'ja', replace("L'\\''école")],
  ['course', 'mba1', replace("L'\\''école"), { dates: 'dd.mm.yyyy', decimal: 'comma' }],
  ['interests', 'hostel; loan', " Add --list-separator ';'."],
  ['interests', 'hostel; loan', replace("L'\\''école"), { listSeparator: '|' }],
  ['stage', 'Neu', replace("L'\\''école")],
  ['guardian_phone', 'keins', replace("L'\\''école")],
  ['guardian_phone', '12', ''],
  ['city', 'x', ''],
  ['lead id', 'x', ''],
])('the refusal of $0 $1 ends in the hint $2', (name, text, hint, formats = {}) => {
  const target = targetNamed(sampleOrganization(), name) ?? expect.fail();

  expect(hintFor({ name: "L'école", target }, text, formats)).toBe(hint);
});

test('every number that Germany and the United States write is read as that number', () => {
  const numbers = fc.integer({ min: -1e12, max: 1e12 }).map((cents) => cents / 100);
  fc.assert(
    fc.property(numbers, (number) => {
      const written = (locale: string) =>
        number.toLocaleString(locale, { minimumFractionDigits: 2 }).replace('\u2212', '-');
      expect(Number(writtenNumber(written('de-DE'), 'comma'))).toBe(number);
      expect(Number(writtenNumber(written('en-US'), 'point'))).toBe(number);
      expect(Number(writtenNumber(written('de-CH'), 'point'))).toBe(number);
    }),
  );
});

const twice = 'can be read as two numbers.';
const notWithComma = 'must be a number with a decimal comma, such as 1.250,50.';
const severalPhones = 'holds more than one phone number: keep one.';
const notOfForm = (forms: string) =>
  `must be a date that exists, without a time, in the form ${forms}.`;
/** What is read, or the sentence of the refusal. */
test.each<[name: string, text: string, formats: Formats, read: string]>([
  ['budget', '12.500', {}, twice],
  ['budget', ' -1,250 ', {}, twice],
  ['budget', '１２.５００', {}, twice],
  ['budget', '0.500', {}, '0.500'],
  ['budget', '12.500', { decimal: 'comma' }, '12500'],
  ['budget', '12.500', { decimal: 'point' }, '12.500'],
  ['budget', '1,250.5', {}, '1250.5'],
  ['budget', '1 250', {}, '1250'],
  ['budget', '12,5', {}, '12,5'],
  ['budget', '1.250.000', {}, '1.250.000'],
  ['budget', '1250.5', { decimal: 'comma' }, notWithComma],
  ['city', '12.500', {}, '12.500'],
  ['budget', "12'500,5", { decimal: 'comma' }, '12500.5'],
  ['budget', '12\u00a0500', { decimal: 'comma' }, '12500'],
  ['budget', ',5', { decimal: 'comma' }, '.5'],
  ['budget', '1.2345', { decimal: 'comma' }, notWithComma],
  ['budget', '1,2,3', { decimal: 'comma' }, notWithComma],
  ['budget', '1e5', { decimal: 'comma' }, notWithComma],
  ['start_on', '21.11.2026', { dates: 'dd.mm.yyyy' }, '2026-11-21'],
  ['start_on', ' 2026-11-21 ', { dates: 'dd.mm.yyyy' }, ' 2026-11-21 '],
  ['start_on', '21.11.2026 00:00', { dates: 'dd.mm.yyyy' }, '2026-11-21'],
  ['start_on', '31.02.2026', { dates: 'dd.mm.yyyy' }, notOfForm('DD.MM.YYYY or YYYY-MM-DD')],
  ['start_on', '21.11.2026 14:30', { dates: 'dd.mm.yyyy' }, notOfForm('DD.MM.YYYY or YYYY-MM-DD')],
  ['start_on', '2026-02-30', { dates: 'yyyy-mm-dd' }, notOfForm('YYYY-MM-DD')],
  ['created at', ' 1.3.2026 ', { dates: 'dd.mm.yyyy' }, '2026-03-01T00:00:00Z'],
  ['created at', '21.11.2026 14:30', { dates: 'dd.mm.yyyy' }, '2026-11-21T14:30:00Z'],
  ['created at', '21/11/2026 9:05:07', { dates: 'dd/mm/yyyy' }, '2026-11-21T09:05:07Z'],
  ['created at', '11/21/2026 14:30', { dates: 'mm/dd/yyyy' }, '2026-11-21T14:30:00Z'],
  ['created at', '21.11.26', { dates: 'dd.mm.yyyy' }, '21.11.26'],
  ['created at', '21/11/2026', { dates: 'dd.mm.yyyy' }, '21/11/2026'],
  ['created at', '21.11.2026 24:00', { dates: 'dd.mm.yyyy' }, '21.11.2026 24:00'],
  ['city', '', { values: replacing({ '': 'Pune' }) }, 'Pune'],
  ['city', 'Delhi', { values: replacing({ '': 'Pune' }) }, 'Delhi'],
  ['city', 'Zu\u0308rich\u00a0', { values: replacing({ ZÜRICH: 'Zurich' }) }, 'Zurich'],
  ['start_on', '२१.११.२०२६\u200e', { dates: 'dd.mm.yyyy' }, '2026-11-21'],
  ['budget', '\u22121.250,5', { decimal: 'comma' }, '-1250.5'],
  ['interests', 'Wohnheim, loan', { values: replacing({ wohnheim: 'hostel' }) }, 'hostel,loan'],
  ['phone', 'Tel.: 0151 23456782', { country: 'DE' }, '+4915123456782'],
  ['phone', 'tel. 0151 23456782', {}, 'tel. 0151 23456782'],
  ['phone', '+49 151 23456782 / 030 1234567', { country: 'DE' }, severalPhones],
  ['phone', '12 / 34', {}, '12 / 34'],
  ['phone', '+49 151 anrufen', { country: 'DE' }, 'holds letters: write only the number.'],
  ['phone', '+91 91 98765 43210', { country: 'DE' }, '+91 91 98765 43210'],
  ['phone', '4,91511E+12', {}, 'lost digits in a spreadsheet: import the .xlsx file itself.'],
  ['phone', '+9.198E11', {}, 'lost digits in a spreadsheet: import the .xlsx file itself.'],
  ['phone', '  ', { country: 'DE' }, '  '],
  ['phone', 'x', { country: 'DE' }, 'holds letters: write only the number.'],
])('$0 $1, $2: $3', (name, text, formats, expected) => {
  const target = targetNamed(sampleOrganization(), name) ?? expect.fail();

  const value = readCell(target, text, formats);

  expect(value).toEqual(
    typeof value === 'string' ? expected : expect.objectContaining({ sentence: expected }),
  );
});

test('a text that its program wrote as a formula, to keep its leading zeros, is its content', async () => {
  const text = '="name",phone,city\n="A",="+91 98220 61001"," =""0""""1"" "\nC,1,="a"&"b"\n';
  const rows = [...(await opened('quoted.csv', text)).rows];

  expect(rows.map(({ read }) => read.fields)).toEqual([
    { name: 'A', phone: '+91 98220 61001', city: '0"1' },
    { name: 'C', phone: '1', city: '="a"&"b"' },
  ]);
  // People open the report of refused rows in a spreadsheet.
  expect(rows[0]?.original).toEqual(['="A"', '="+91 98220 61001"', ' ="0""1" ']);
});

const headings = sheetRow(1, ['name', 'phone', 'city']);
const noResult =
  /^cell ([A-Z]+\d+) has a formula without a result: open the file in a spreadsheet /;
/** What is read of the file's rows: the city, or the cell that has no result. */
const citiesIn = (file: ImportFile) =>
  [...file.rows].map(({ issue, read }) => noResult.exec(issue ?? '')?.[1] ?? read.fields.city);
const calculated = '<c><f>UPPER(A2)</f><v>0</v></c>';

test.each([
  ['of openpyxl', '<c><f>UPPER("a")</f><v></v></c>', 'C2'],
  ['of exceljs', '<c><f>UPPER("a")</f></c>', 'C2'],
  ['of ClosedXML', '<c><f>UPPER("a")</f><v /></c>', 'C2'],
  ['with the type of its text', '<c t="str"><f>UPPER("a")</f></c>', 'C2'],
  ['with a blank', '<c><f>UPPER("a")</f><v xml:space="preserve"> </v></c>', 'C2'],
  ['that others share', '<c><f t="shared" si="0"/><v/></c>', 'C2'],
  ['of Excel, which is an empty text', '<c t="str"><f>IF(1,"","x")</f><v/></c>', null],
  ['of LibreOffice', '<c t="str"><f aca="false">A3&amp;""</f><v>PUNE</v></c>', 'PUNE'],
  ['with a number', '<c><f t="shared" si="0"/><v>0</v></c>', '0'],
])('a formula %s in a sheet is read, or its row is refused by its cell', async (_, cell, city) => {
  const rows = headings + sheetRow(2, ['A', '+919822061001', cell]);
  const prefixed = rows.replaceAll(/<\/?/g, '$&x:');

  for (const written of [rows, prefixed]) {
    const file = await opened('formulas.xlsx', workbookOf(written));
    expect(citiesIn(file)).toEqual([city]);
  }
});

test.each([
  { workbook: '<calcPr calcId="124519" fullCalcOnLoad="1"/>' },
  { workbook: '<calcPr fullCalcOnLoad="true"/>' },
  { sheet: '<sheetCalcPr fullCalcOnLoad="1"/>' },
])('no result of a formula counts in a file that asks for a calculation: %j', async (more) => {
  const rows = headings + sheetRow(2, ['A', '+919822061001', calculated]);
  const uncalculated = rows + sheetRow(3, ['B', '+919822061002', 'Goa']);

  const file = await opened('calculate.xlsx', workbookOf(uncalculated, more));

  expect(citiesIn(file)).toEqual(['C2', 'Goa']);
});

test('a row of formulas without a result is counted, and so are one of errors and each of an array', async () => {
  const only = sheetRow(2, ['<c><f>A1</f><v/></c>']);
  const error = sheetRow(3, ['<c t="e"><f>NA()</f><v>#N/A</v></c>']);
  const array = sheetRow(4, ['<c><f t="array" ref="A4:B5">A1:A2</f></c>']);

  const file = await opened('only.xlsx', workbookOf(headings + only + error + array));

  expect(citiesIn(file)).toEqual(['A2', null, 'A4', 'A5']);
  expect(file.lastRow).toBe(5);
});

test('a formula without a result does no harm in an ignored column, and refuses the file in its headings', async () => {
  const cell = '<c><f>A1</f><v/></c>';
  const row = sheetRow(2, ['A', '+919822061001', 'Pune', cell]);
  const headed = sheetRow(1, ['name', 'phone', 'city', 'age']);
  const headless = sheetRow(1, ['name', 'phone', cell]);

  const sheet = { sheet: 'A & B', ignore: ['age'] };
  expect(citiesIn(await opened('ignored.xlsx', workbookOf(headed + row), sheet))).toEqual(['Pune']);
  await expect(opened('headless.xlsx', workbookOf(headless))).rejects.toThrow(/: cell C1 has a /);
});
