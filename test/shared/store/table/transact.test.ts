import {
  RequestLimitExceeded,
  ThrottlingException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import type { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test, vi } from 'vitest';
import type { Table } from '../../../../shared/store/table/client.ts';
import { transact } from '../../../../shared/store/table/transact.ts';

// Nobody waits between two attempts.
vi.mock('node:timers/promises', () => ({ setTimeout: async () => undefined }));

const metadata = { httpStatusCode: 400, attempts: 1 };
const cancelled = (...codes: string[]): Error =>
  new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata: metadata,
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
const brokenOff = (metadata: object): Error =>
  Object.assign(new Error('aborted'), { $metadata: metadata });

/** A table whose client responds with these in turn, and with the last one from then on. */
function tableThat(...responses: readonly (Error | 'written')[]): {
  table: Table;
  tokens: unknown[];
} {
  const tokens: unknown[] = [];
  const send = async ({ input }: TransactWriteCommand): Promise<object> => {
    const response = responses[Math.min(tokens.length, responses.length - 1)];
    tokens.push(input.ClientRequestToken);
    if (response instanceof Error) throw response;
    return {};
  };
  return { table: { name: 'leads', client: { send } as unknown as Table['client'] }, tokens };
}

test.each<[string, Error]>([
  ['ThrottlingError among its reasons', cancelled('None', 'ThrottlingError')],
  [
    'ProvisionedThroughputExceeded among its reasons',
    cancelled('ProvisionedThroughputExceeded', 'None'),
  ],
  ['RequestLimitExceeded', new RequestLimitExceeded({ message: 'Too many', $metadata: metadata })],
  ['ThrottlingException', new ThrottlingException({ message: 'Too many', $metadata: metadata })],
  ['a connection that broke before a response', brokenOff({ attempts: 3 })],
  ['a response that broke off in its body', brokenOff({ httpStatusCode: 200, attempts: 3 })],
])('a transaction that ended with %s is sent again under its token', async (_, error) => {
  const { table, tokens } = tableThat(error, error, 'written');

  expect(await transact(table, [])).toEqual({ outcome: 'written' });

  expect(tokens).toHaveLength(3);
  expect(new Set(tokens).size).toBe(1);
});

test('a conflict next to a throttled item is a conflict', async () => {
  const { table } = tableThat(cancelled('ThrottlingError', 'TransactionConflict'));

  expect(await transact(table, [])).toEqual({ outcome: 'conflict' });
});

test('a condition that does not hold decides, even next to a throttled item', async () => {
  const { table } = tableThat(cancelled('ThrottlingError', 'ConditionalCheckFailed'));

  const items = ['a', 'b'].map((pk) => ({ Delete: { Key: { pk, sk: 'X' } } }));
  expect(await transact(table, items)).toMatchObject({
    outcome: 'refused',
    failed: new Set(['b / X']),
  });
});

test('a refusal that is the request’s own is thrown at once', async () => {
  const error = cancelled('ValidationError');
  const { table, tokens } = tableThat(error, 'written');

  await expect(transact(table, [])).rejects.toBe(error);
  expect(tokens).toHaveLength(1);
});
