import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import {
  type Encoding,
  type ImportFile,
  openImportFile,
} from '../../../../infra/admin/import/file.ts';
import type { FileRow } from '../../../../infra/admin/import/rows.ts';
import { sampleOrganization } from '../../../support/settings.ts';
import { useFolder } from '../../given-folder.ts';

const files = useFolder();

async function opened(
  name: string,
  content: string | Buffer,
  encoding: Encoding = 'utf-8',
): Promise<ImportFile> {
  const path = files.path(name);
  await writeFile(path, content);
  return openImportFile(path, sampleOrganization(), { encoding });
}

async function rowsIn(file: ImportFile): Promise<FileRow[]> {
  const rows: FileRow[] = [];
  for (const row of file.rows) rows.push(row);
  return rows;
}

test('the byte order mark of UTF-8 counts for more than --encoding, as in the report of a file without one', async () => {
  const file = await opened('mark.csv', '\uFEFFname,phone\nZoë,1\n', 'windows-1252');

  const [row] = await rowsIn(file);

  expect(row?.original).toEqual(['Zoë', '1']);
  expect(file.form.mark).toBe('\uFEFF');
});

test('a large file is read whole, with its byte order mark and line ends', async () => {
  const lines = Array.from({ length: 20_000 }, (_, row) => `Zoë ${row}😀;${row}`);
  const file = await opened('large.csv', `\uFEFFname;phone\r\n${lines.join('\r\n')}\r\n`);

  const rows = await rowsIn(file);

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

  const rows = await rowsIn(file);

  expect(file.form.delimiter).toBe('|');
  expect(rows.map(({ number, issue, read }) => [number, issue ?? read])).toEqual([
    [2, expect.objectContaining({ fields: { name: 'A', phone: '1' } })],
    [3, "A column without a heading has a value: give it a heading, or add --ignore ''."],
  ]);
});

test('a line of JSON that names one field or property twice is refused by itself', async () => {
  const lines = ['{"phone":"1","fields":{"phone":"2"}}', '{"stage":1,"stageId":1}', '{"name":"A"}'];

  const rows = await rowsIn(await opened('twice.jsonl', lines.join('\n')));

  expect(rows.map(({ issue, read }) => issue ?? read)).toEqual([
    "The line has more than one column for phone: ignore one with --ignore 'COLUMN', or join texts with --map 'COLUMN=phone' for each.",
    "The line has more than one column for stage: ignore one with --ignore 'COLUMN', or join texts with --map 'COLUMN=stage' for each.",
    expect.objectContaining({ fields: { name: 'A' } }),
  ]);
});
