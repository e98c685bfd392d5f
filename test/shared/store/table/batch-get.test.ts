import type { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, onTestFinished, test, vi } from 'vitest';
import { limits } from '../../../../shared/contract/limits.ts';
import { batchGet, batchGetMax } from '../../../../shared/store/table/batch-get.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { leadPrimaryKey, type PrimaryKey } from '../../../../shared/store/table/primary-keys.ts';

const keys = Array.from({ length: batchGetMax + 1 }, (_, at) => leadPrimaryKey(1, at + 1));

/** A table that has every item, and leaves one key unprocessed, as often as told. Each of its calls takes the given time. */
function tableThatSkips(skipped: PrimaryKey, times: number, callMs: number): Table {
  let [now, skips] = [0, 0];
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const send = async ({ input }: BatchGetCommand): Promise<object> => {
    now += callMs;
    const sent = input.RequestItems?.leads?.Keys ?? [];
    const isSkipped = (key: object) =>
      JSON.stringify(key) === JSON.stringify({ pk: skipped.pk, sk: skipped.sk });
    const Keys = skips < times ? sent.filter(isSkipped) : [];
    skips += Keys.length;
    const found = sent.filter((key) => !Keys.includes(key));
    return { Responses: { leads: found }, UnprocessedKeys: Keys.length > 0 && { leads: { Keys } } };
  };
  return { name: 'leads', client: { send } as unknown as Table['client'] };
}

test.each([0, batchGetMax - 1, batchGetMax])(
  'key %i of a batch that stays unprocessed is an error, never a missing item',
  async (at) => {
    const table = tableThatSkips(keys[at]!, Number.POSITIVE_INFINITY, limits.conflictRetryMs);
    await expect(batchGet(table, keys)).rejects.toThrow('left keys of a batch unprocessed');
  },
);

test('a key that is left unprocessed for a while is read again', async () => {
  const items = await batchGet(tableThatSkips(keys[7]!, 3, limits.conflictRetryMs / 5), keys);
  expect(keys.filter((key) => !items.get(key))).toEqual([]);
});
