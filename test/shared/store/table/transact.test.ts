import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import type { Table } from '../../../../shared/store/table/client.ts';
import { transact } from '../../../../shared/store/table/transact.ts';

// Facts that no scenario of the simulator shows. The others have planted bugs.

const $metadata = { httpStatusCode: 400, attempts: 1 };
const canceled = (...codes: string[]): Error =>
  new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata,
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

/** A table whose first response is an error, and whose later ones say that all is written; the tokens that it was sent. */
function tableThat(error: Error): { table: Table; tokens: unknown[] } {
  const tokens: unknown[] = [];
  const send = async ({ input }: TransactWriteCommand): Promise<object> => {
    if (tokens.push(input.ClientRequestToken) === 1) throw error;
    return {};
  };
  return { table: { name: 'leads', client: { send } as unknown as Table['client'] }, tokens };
}

test('a transaction whose responses were all cut off is retried under its token', async () => {
  const brokenOff = Object.assign(new Error('aborted'), {
    $metadata: { httpStatusCode: 200, attempts: 3 },
  });
  const { table, tokens } = tableThat(brokenOff);

  expect(await transact(table, [])).toEqual({ outcome: 'written' });
  expect(tokens).toEqual([tokens[0], tokens[0]]);
});

test('a condition that does not hold decides, even next to a throttled item', async () => {
  const { table } = tableThat(canceled('ThrottlingError', 'ConditionalCheckFailed'));
  const items = ['a', 'b'].map((pk) => ({ Delete: { Key: { pk, sk: 'X' } } }));

  expect(await transact(table, items)).toMatchObject({
    outcome: 'refused',
    failed: new Set(['b / X']),
  });
});

test('a transaction that is refused for its own content is not retried', async () => {
  const error = canceled('ValidationError');
  const { table, tokens } = tableThat(error);

  await expect(transact(table, [])).rejects.toBe(error);
  expect(tokens).toHaveLength(1);
});
