import { stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { refused } from '../../../../infra/admin/import/decide.ts';
import {
  type FileOptions,
  type ImportFile,
  openImportFile,
} from '../../../../infra/admin/import/open.ts';
import { ImportReport } from '../../../../infra/admin/import/report.ts';
import { sampleOrganization } from '../../../support/settings.ts';
import { useFolder } from '../../given-folder.ts';
import { rowWith, sheetRow, workbookOf } from './given-files.ts';

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

test('the byte order mark of UTF-8 overrides --encoding, as in the report of a file without one', async () => {
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

test('a text that a program wrote as a formula, to keep its leading zeros, is read as text', async () => {
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

test('rows of formulas without a result, of errors and of arrays are counted', async () => {
  const only = sheetRow(2, ['<c><f>A1</f><v/></c>']);
  const error = sheetRow(3, ['<c t="e"><f>NA()</f><v>#N/A</v></c>']);
  const array = sheetRow(4, ['<c><f t="array" ref="A4:B5">A1:A2</f></c>']);

  const file = await opened('only.xlsx', workbookOf(headings + only + error + array));

  expect(citiesIn(file)).toEqual(['A2', null, 'A4', 'A5']);
  expect(file.lastRow).toBe(5);
});

test('a formula without a result is harmless in an ignored column, and refuses the file in a heading', async () => {
  const cell = '<c><f>A1</f><v/></c>';
  const row = sheetRow(2, ['A', '+919822061001', 'Pune', cell]);
  const headed = sheetRow(1, ['name', 'phone', 'city', 'age']);
  const headless = sheetRow(1, ['name', 'phone', cell]);

  const sheet = { sheet: 'A & B', ignore: ['age'] };
  expect(citiesIn(await opened('ignored.xlsx', workbookOf(headed + row), sheet))).toEqual(['Pune']);
  await expect(opened('headless.xlsx', workbookOf(headless))).rejects.toThrow(/: cell C1 has a /);
});

test('a time of a workbook has the named zone', async () => {
  const styles = '<styleSheet><cellXfs><xf numFmtId="22"/></cellXfs></styleSheet>';
  const time = '<c s="0"><v>46095.5</v></c>';
  const rows = sheetRow(1, ['name', 'phone', 'created at']) + sheetRow(2, ['A', '1', time]);
  const book = workbookOf(rows, { files: { 'xl/styles.xml': styles } });

  const [row] = (await opened('times.xlsx', book, { timeZone: 'Asia/Kolkata' })).rows;

  expect(row?.read.properties.createdAt).toBe('2026-03-14T06:30:00Z');
});

test('a column with replacements of its own has the dates of the whole file', async () => {
  const text = 'name,phone,created at\nA,1,14/03/2026\nB,2,none\n';
  const options: FileOptions = { dates: 'dd/mm/yyyy', value: ['created at:none='] };

  const rows = [...(await opened('own.csv', text, options)).rows];

  const times = rows.map(({ read }) => read.properties.createdAt);
  expect(times).toEqual(['2026-03-14T00:00:00Z', null]);
});

test.each([
  ['03-04-2026', true],
  ['13-04-2026', false],
  ['03.04.2026', false],
  ['03/04/2026', true],
  ['13/04/2026', false],
])('whether %s leaves open which number is the month: %j', async (date, isOpen) => {
  const path = await files.write('day.csv', `name,phone,Enquiry date\nA,1,${date}\n`);

  const file = await openImportFile(path, sampleOrganization(), {});

  const open = 'open' in file ? file.open : [];
  const why = open.map(({ why }) => why).join();
  expect(why.includes('day and month cannot be told apart')).toBe(isOpen);
  expect(why).toContain('read as created at');
});

test('only the owner may read the report of refused rows', async () => {
  const report = new ImportReport(sampleOrganization(), undefined);
  const form = { format: 'csv', mark: '', delimiter: ',', lineEnd: '\n' } as const;
  const path = files.path('refused.csv');
  report.add([refused(rowWith(2, { name: 'A' }), 'It has no phone.')]);

  await report.write(path, { form, headings: ['name'] });

  expect((await stat(path)).mode & 0o777).toBe(0o600);
});
