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

test.each([
  ['no further batch is begun', oneRowABatch],
  ['no row of the same person is looked up', Number.POSITIVE_INFINITY],
])('once a row has failed, %s', async (_, leadsPerSecond) => {
  const table = givenTable(new Error('The table is gone.'));

  const counts = importRows(table, { ...requestOf(), leadsPerSecond });

  await expect(counts).rejects.toThrow('The table is gone.');
  expect(table.sent).toHaveLength(1);
});

test('of rows of one person in one batch, the first is written, and each is looked up after it', async () => {
  const table = givenTable();
  const results: [number, string][] = [];

  await importRows(table, {
    ...requestOf(),
    onResults: (batch) => {
      for (const { row, outcome } of batch) results.push([row.number, outcome]);
    },
  });

  expect(results).toEqual([
    [2, 'imported'],
    [3, 'refused'],
    [4, 'refused'],
  ]);
  expect(table.sent).toHaveLength(3);
});
