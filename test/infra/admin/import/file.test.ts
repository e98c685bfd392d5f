import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encoded, type ImportFile, openImportFile } from '../../../../infra/admin/import/file.ts';
import { ColumnMapping } from '../../../../infra/admin/import/mapping.ts';
import type { FileRow } from '../../../../infra/admin/import/rows.ts';
import { sampleOrganization } from '../../../support/settings.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'import-file-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function opened(name: string, content: string | Buffer): Promise<ImportFile> {
  const path = join(folder, name);
  await writeFile(path, content);
  const organization = sampleOrganization();
  const mapping = new ColumnMapping(organization, {});
  return openImportFile(path, { organization, mapping, formats: {}, encoding: 'utf-8' });
}

async function rowsIn(file: ImportFile): Promise<FileRow[]> {
  const rows: FileRow[] = [];
  for await (const row of file.rows) rows.push(row);
  return rows;
}

test('every byte of windows-1252 comes back from its character', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

  expect(encoded(new TextDecoder('windows-1252').decode(bytes), 'windows-1252')).toEqual(bytes);
});

test('a character that windows-1252 does not have becomes a question mark', () => {
  expect(encoded('€ या 😀', 'windows-1252').toString('latin1')).toBe('\u0080 ?? ?');
});

test('a file that is larger than what is read at once is read whole, with its marks and line ends', async () => {
  const lines = Array.from({ length: 20_000 }, (_, row) => `Zoë ${row}😀;${row}`);
  const file = await opened('large.csv', `\uFEFFname;phone\r\n${lines.join('\r\n')}\r\n`);
  const before = file.progress();

  const rows = await rowsIn(file);

  expect(file.form).toEqual({
    format: 'csv',
    encoding: 'utf-8',
    hasByteOrderMark: true,
    delimiter: ';',
    lineEnd: '\r\n',
  });
  expect(rows.map(({ original }) => 'cells' in original && original.cells.join(';'))).toEqual(
    lines,
  );
  expect([before < 0.5, file.progress()]).toEqual([true, 1]);
});

test.each([
  Buffer.from('\uFEFFname,phone\n', 'utf16le'),
  Buffer.from('\uFEFFname,phone\n', 'utf16le').swap16(),
])('UTF-16 is refused before a row is read, with what to do', async (content) => {
  await expect(opened('utf16.csv', content)).rejects.toThrow('is UTF-16: save it as CSV UTF-8.');
});

test('a line of JSON that names one field or property twice is refused by itself', async () => {
  const lines = ['{"phone":"1","fields":{"phone":"2"}}', '{"stage":1,"stageId":1}', '{"name":"A"}'];

  const rows = await rowsIn(await opened('twice.jsonl', lines.join('\n')));

  expect(rows.map(({ read }) => read)).toEqual([
    'phone appears twice.',
    'stage appears twice.',
    expect.objectContaining({ fields: { name: 'A' } }),
  ]);
});
