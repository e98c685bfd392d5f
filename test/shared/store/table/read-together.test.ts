import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Table } from '../../../../shared/store/table/client.ts';
import { readTogether } from '../../../../shared/store/table/read-together.ts';
import { ContentionError } from '../../../../shared/store/table/retry.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => vi.useRealTimers());

const canceled = (...codes: string[]): Error =>
  new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata: { httpStatusCode: 400 },
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
const keys = [
  { pk: 'ORG#1', sk: 'SETTINGS' },
  { pk: 'USAGE#1', sk: 'USAGE' },
];

/** A table whose client responds with these in turn, and with the last one from then on. Each call takes ten seconds. */
function tableThat(...responses: readonly (Error | 'read')[]): {
  table: Table;
  calls: () => number;
} {
  let calls = 0;
  const send = async (): Promise<object> => {
    vi.setSystemTime(Date.now() + 10_000);
    const response = responses[Math.min(calls, responses.length - 1)];
    calls += 1;
    if (response instanceof Error) throw response;
    return { Responses: [{ Item: keys[0] }, {}] };
  };
  return {
    table: { name: 'leads', client: { send } as unknown as Table['client'] },
    calls: () => calls,
  };
}

test.each(['ThrottlingError', 'ProvisionedThroughputExceeded', 'TransactionConflict'])(
  'items whose reading was canceled by %s are read again',
  async (code) => {
    const { table, calls } = tableThat(canceled('None', code), 'read');

    expect(await readTogether(table, keys)).toEqual([keys[0], undefined]);
    expect(calls()).toBe(2);
  },
);

test('items that are constantly written are contended', async () => {
  await expect(
    readTogether(tableThat(canceled('TransactionConflict')).table, keys),
  ).rejects.toBeInstanceOf(ContentionError);
});

test('a read that is canceled for its own fault is thrown at once', async () => {
  const error = canceled('ValidationError');
  const { table, calls } = tableThat(error, 'read');

  await expect(readTogether(table, keys)).rejects.toBe(error);
  expect(calls()).toBe(1);
});
