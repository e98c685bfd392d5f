import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ImportReport } from '../../../../infra/admin/import/report.ts';
import { formOf } from '../../../../infra/admin/lead/export.ts';
import type { Lead } from '../../../../shared/leads/lead.ts';
import { exportCells, exportHeadings } from '../../../../shared/leads/transfer/export-lines.ts';
import { sampleOrganization } from '../../../support/settings.ts';

/** Texts that a CSV file carries only inside quotes, or with a guard against formulas. */
const hardTexts = [
  'one\ntwo',
  'one\rtwo',
  'one\r\ntwo',
  '\n',
  'one;two',
  'one,two',
  'one\ttwo',
  'a "quoted" text',
  '"',
  ' with blanks ',
  'one\n=1+1',
  'one\r@sum',
  'one\r\n-1;+2',
  '=1+1\ntwo',
];

/** PostgreSQL is 15 MB to load and compile: seconds, and more on a busy machine. */
const startMs = 180_000;
let database: PGlite;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'csv-test-'));
  database = await PGlite.create();
}, startMs);
afterAll(async () => {
  await rm(folder, { recursive: true });
  await database.close();
});

/**
 * The rows of a CSV file as PostgreSQL's COPY reads them. It rejects a file whose rows do not all end alike, so a line break outside quotes
 * never passes for text. See https://www.postgresql.org/docs/current/sql-copy.html, "CSV Format".
 */
async function readByPostgres(text: string, delimiter: string): Promise<string[][]> {
  const heading = text.slice(0, text.search(/[\r\n]/)).split(delimiter);
  const names = heading.map((_, index) => `c${index}`);
  return database.transaction(async (transaction) => {
    await transaction.exec(
      `CREATE TEMP TABLE file (row_number serial, ${names.map((name) => `${name} text`)}) ON COMMIT DROP`,
    );
    await transaction.query(
      `COPY file (${names}) FROM '/dev/blob' WITH (FORMAT csv, DELIMITER E'${delimiter}', FORCE_NOT_NULL *)`,
      [],
      { blob: new Blob([text]) },
    );
    const { rows } = await transaction.query<string[]>(
      `SELECT ${names} FROM file ORDER BY row_number`,
      [],
      { rowMode: 'array' },
    );
    return rows;
  });
}

const leads = hardTexts.map(
  (remarks, index): Lead => ({
    id: index + 1,
    organizationId: 1,
    version: 1,
    fields: {
      name: 'Asha',
      phone: `+9198000000${10 + index}`,
      lead_type: 'student',
      remarks,
      city: 'Pune',
    },
    stageId: 11,
    pipelineId: 1,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  }),
);

test.each([
  [{}, ','],
  [{ excel: true, separator: 'semicolon' }, ';'],
] as const)(
  'PostgreSQL reads each row of an export with %j as one row',
  async (options, delimiter) => {
    const organization = sampleOrganization();
    const { heading, lineOf } = formOf(organization, 'csv', options);

    const text = heading + leads.map(lineOf).join('');
    const rows = await readByPostgres(text.replace(/^\uFEFF/, ''), delimiter);

    const isForSpreadsheet = 'excel' in options;
    const cells = leads.map((lead) => exportCells(organization, lead, { isForSpreadsheet }));
    expect(rows).toEqual([exportHeadings(organization), ...cells]);
  },
);

test.each([
  [';', '\r\n'],
  ['\t', '\r'],
])(
  'PostgreSQL reads each row of a report with %j and %j as one row',
  async (delimiter, lineEnd) => {
    const file = {
      headings: ['name', 'remarks'],
      form: { format: 'csv', mark: '', delimiter, lineEnd },
    } as const;
    const path = join(folder, 'leads.refused.csv');
    const report = await ImportReport.begin(path, file, sampleOrganization());
    const refused = hardTexts.map((text, index) => ({
      row: { number: index + 2, read: '', original: ['Asha', text] },
      outcome: 'refused' as const,
      issues: [`remarks is "${text}".`],
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
