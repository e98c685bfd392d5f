import { strFromU8, unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { cellOf, workbookFile } from '../../../../infra/admin/files/workbook.ts';

async function sheetOf(headings: readonly string[], rows: Parameters<typeof workbookFile>[1]) {
  const files = unzipSync(await workbookFile(headings, rows));
  return strFromU8(files['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
}

test('each column of a workbook has room for its values and its heading, within limits', async () => {
  const name = 'Ananya Subramaniam-Kulkarni';
  const time = new Date('2026-11-02T09:15:30Z');
  const xml = await sheetOf(
    ['Name', 'Created', 'Score', 'Notes', 'Preferred intake'],
    [
      [cellOf(name), cellOf(time), cellOf(7), cellOf('x'.repeat(500)), cellOf(null)],
      [cellOf('Rohan'), cellOf(time), cellOf(8), cellOf('two\nlines'), cellOf(true)],
    ],
  );

  const widths = [...xml.matchAll(/ width="(\d+)"/g)].map(([, width]) => Number(width));
  expect(widths).toEqual([name.length + 1, 20, 9, 60, 'Preferred intake'.length + 4]);
});

test('the headings of a workbook filter all of its rows', async () => {
  const headings = Array.from({ length: 28 }, (_, at) => `Column ${at}`);
  const row = headings.map(() => cellOf('a'));

  expect(await sheetOf(headings, [row, row])).toMatch(
    /<\/sheetData><autoFilter ref="A1:AB3"\/><\/worksheet>$/,
  );
});
