import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import type { FileRow } from '../../../../infra/admin/import/rows.ts';
import { type ImportRequest, importRows } from '../../../../infra/admin/import/run.ts';
import { sampleOrganization } from '../../../support/settings.ts';
import { rowWith } from './given-files.ts';

/** Rows of one person. */
async function* rowsOfOnePerson(rows: number): AsyncGenerator<FileRow> {
  for (let number = 2; number < rows + 2; number += 1) {
    const fields = { name: `Row ${number}`, phone: '+919876543210' };
    yield rowWith(number, fields);
  }
}

const requestOf = (): ImportRequest => ({
  rows: rowsOfOnePerson(3),
  organizationId: 1,
  organization: async () => sampleOrganization(),
  keepIds: false,
  erasing: new Set<number>(),
  dryRun: true,
  leadsPerSecond: Number.POSITIVE_INFINITY,
  onResults: () => undefined,
});
/** So few leads a second that each batch is one row. */
const oneRowABatch = 2;

/** A table without items, which fails if told to. */
function givenTable(failure?: Error) {
  const sent: unknown[] = [];
  const send = async (command: unknown) => {
    sent.push(command);
    if (failure) throw failure;
    return { Responses: { leads: [] } };
  };
  return { sent, name: 'leads', client: { send } as unknown as DynamoDBDocumentClient };
}

test('an import ends with the error of a file that cannot be read further, after the rows before it', async () => {
  async function* rows(): AsyncGenerator<FileRow> {
    yield* rowsOfOnePerson(2);
    throw new Error('The disk is gone.');
  }
  const table = givenTable();

  const counts = importRows(table, { ...requestOf(), rows: rows(), leadsPerSecond: oneRowABatch });

  await expect(counts).rejects.toThrow('The disk is gone.');
  expect(table.sent).toHaveLength(2);
});

test('once a row has failed, no further batch is begun', async () => {
  const table = givenTable(new Error('The table is gone.'));

  const counts = importRows(table, { ...requestOf(), leadsPerSecond: oneRowABatch });

  await expect(counts).rejects.toThrow('The table is gone.');
  expect(table.sent).toHaveLength(1);
});

test.each([oneRowABatch, Number.POSITIVE_INFINITY])(
  'of rows of one person the first is written, at %i a second',
  async (leadsPerSecond) => {
    const outcomes = new Map<number, string>();

    await importRows(givenTable(), {
      ...requestOf(),
      leadsPerSecond,
      onResults: (batch) => {
        for (const { row, outcome } of batch) outcomes.set(row.number, outcome);
      },
    });

    expect(Object.fromEntries(outcomes)).toEqual({ 2: 'imported', 3: 'refused', 4: 'refused' });
  },
);
