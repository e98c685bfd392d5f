import { setTimeout as pause } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import type { ImportFile } from '../../../../infra/admin/import/file.ts';
import type { FileRow } from '../../../../infra/admin/import/file-row.ts';
import { importRows } from '../../../../infra/admin/import/run.ts';
import { sampleOrganization } from '../../../support/settings.ts';

/** So many rows a second that each batch is one row. */
const oneRowABatch = 16;

async function* rowsOfOnePerson(): AsyncGenerator<FileRow> {
  for (const number of [2, 3]) {
    const fields = { name: `Row ${number}`, phone: '+919876543210' };
    const read = { isExported: false, fields, properties: {} };
    yield { number, read, original: { cells: [] } };
  }
}

test('an import ends with an error that is met while a row is read, though another row of the person waits for it', async () => {
  const send = async () => ({ Responses: { leads: [] } });
  const table = { name: 'leads', client: { send } as unknown as DynamoDBDocumentClient };
  const file: ImportFile = {
    format: 'jsonl',
    headings: [],
    headingOf: new Map(),
    rows: rowsOfOnePerson(),
    progress: () => 1,
    textForm: () => ({ encoding: 'utf-8', hasByteOrderMark: false }),
  };

  const counts = importRows(table, {
    file,
    report: undefined,
    // Long enough that both rows are under way.
    organization: () => pause(10, sampleOrganization()),
    keepIds: false,
    dryRun: false,
    leadsPerSecond: oneRowABatch,
    onRefused: () => undefined,
    onRead: (_organization, { fields }) => {
      if (fields.name === 'Row 2') throw new Error('The row cannot be counted.');
    },
    onProgress: () => undefined,
  });

  await expect(counts).rejects.toThrow('The row cannot be counted.');
});
