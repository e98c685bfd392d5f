import { setTimeout as pause } from 'node:timers/promises';
import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import type { FileRow } from '../../../../infra/admin/import/rows.ts';
import { type ImportRequest, importRows } from '../../../../infra/admin/import/run.ts';
import { sampleOrganization } from '../../../support/settings.ts';

/** So many rows a second that each batch is one row. */
const oneRowABatch = 16;

async function* rowsOfOnePerson(rows: number): AsyncGenerator<FileRow> {
  for (let number = 2; number < rows + 2; number += 1) {
    const fields = { name: `Row ${number}`, phone: '+919876543210' };
    const read = { isExported: false, fields, properties: {} };
    yield { number, read, original: [] };
  }
}

const requestFor = (rows: number): ImportRequest => ({
  headingOf: new Map(),
  rows: rowsOfOnePerson(rows),
  organizationId: 1,
  // Long enough that both rows are under way.
  organization: () => pause(10, sampleOrganization()),
  keepIds: false,
  dryRun: false,
  leadsPerSecond: oneRowABatch,
  onResults: () => undefined,
});

test('an import ends with the error of a file that cannot be read further, after the rows before it', async () => {
  async function* rows(): AsyncGenerator<FileRow> {
    yield* rowsOfOnePerson(2);
    throw new Error('The disk is gone.');
  }
  const sent: unknown[] = [];
  const send = async (command: unknown) => {
    await pause(20);
    sent.push(command);
    return { Responses: { leads: [] } };
  };
  const table = { name: 'leads', client: { send } as unknown as DynamoDBDocumentClient };

  const counts = importRows(table, { ...requestFor(0), rows: rows(), dryRun: true });

  await expect(counts).rejects.toThrow('The disk is gone.');
  expect(sent).toEqual(Array(2).fill(expect.any(BatchGetCommand)));
});

test('no further batch is begun once one has failed', async () => {
  async function* rows(): AsyncGenerator<FileRow> {
    for (const number of [2, 3]) {
      const fields = { name: 'Asha', phone: `+91987654321${number}` };
      yield { number, read: { isExported: false, fields, properties: {} }, original: [] };
      await pause(50); // until the first row has failed
    }
  }
  const sent: unknown[] = [];
  const send = async (command: unknown) => {
    sent.push(command);
    throw new Error('The table is gone.');
  };
  const table = { name: 'leads', client: { send } as unknown as DynamoDBDocumentClient };

  const counts = importRows(table, { ...requestFor(0), rows: rows() });

  await expect(counts).rejects.toThrow('The table is gone.');
  expect(sent).toHaveLength(1);
});

test('a row that waited for another is not looked up and not written once a row has failed', async () => {
  const sent: unknown[] = [];
  const send = async (command: unknown) => {
    sent.push(command);
    await pause(50); // until the second row waits
    throw new Error('The table is gone.');
  };
  const table = { name: 'leads', client: { send } as unknown as DynamoDBDocumentClient };

  await expect(importRows(table, requestFor(3))).rejects.toThrow('The table is gone.');

  expect(sent).toEqual([expect.any(BatchGetCommand)]);
});

test('of rows of one person in one batch, the first is written and the others are refused', async () => {
  const results: [number, string][] = [];

  await importRows(
    { name: 'leads', client: emptyTable() },
    {
      ...requestFor(3),
      leadsPerSecond: Number.POSITIVE_INFINITY,
      dryRun: true,
      onResults: (batch) => {
        for (const { row, outcome } of batch) results.push([row.number, outcome]);
      },
    },
  );

  expect(results).toEqual([
    [2, 'imported'],
    [3, 'refused'],
    [4, 'refused'],
  ]);
});

const emptyTable = (): DynamoDBDocumentClient =>
  ({ send: async () => ({ Responses: { leads: [] } }) }) as unknown as DynamoDBDocumentClient;
