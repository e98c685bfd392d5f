import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ImportReport } from '../../../../infra/admin/import/report.ts';
import { hardTexts } from '../../../support/hard-texts.ts';
import { readByPostgres } from '../../../support/postgres-csv.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'report-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  [';', '\r\n'],
  [',', '\n'],
  ['\t', '\r'],
])(
  'PostgreSQL reads each row of a report with %j and %j as one row',
  async (delimiter, lineEnd) => {
    const report = await ImportReport.begin(join(folder, 'leads.refused.csv'), {
      format: 'csv',
      headings: ['name', 'remarks'],
      dialect: { delimiter, lineEnd },
      textForm: () => ({ encoding: 'utf-8', hasByteOrderMark: false }),
    });
    const refused = hardTexts.map((text, index) => ({
      row: { number: index + 2, read: '', original: { cells: ['Asha', text] } },
      issues: [{ sentence: `remarks is "${text}".` }],
    }));

    await report.add(refused);
    await report.finish();
    const rows = await readByPostgres(await readFile(report.path, 'utf8'), delimiter);

    expect(rows).toEqual([
      ['refused row', 'refused because', 'name', 'remarks'],
      ...hardTexts.map((text, index) => [String(index + 2), `remarks is "${text}".`, 'Asha', text]),
    ]);
  },
);
