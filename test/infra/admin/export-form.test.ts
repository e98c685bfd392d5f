import { expect, test } from 'vitest';
import { formOf } from '../../../infra/admin/export-form.ts';
import type { Lead } from '../../../shared/leads/lead.ts';
import { exportCells, exportHeadings } from '../../../shared/leads/transfer/export-lines.ts';
import { hardTexts } from '../../support/hard-texts.ts';
import { readByPostgres } from '../../support/postgres-csv.ts';
import { sampleOrganization } from '../../support/settings.ts';

const leads = hardTexts.map(
  (remarks, index): Lead => ({
    id: index + 1,
    organizationId: 1,
    version: 1,
    fields: { name: 'Asha', phone: `+9198000000${10 + index}`, remarks, city: 'Pune' },
    stageId: 11,
    pipelineId: 1,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  }),
);

test.each([
  [{ format: 'csv' }, ','],
  [{ excel: true }, ','],
  [{ excel: true, separator: 'semicolon' }, ';'],
  [{ excel: true, separator: 'tab' }, '\t'],
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
