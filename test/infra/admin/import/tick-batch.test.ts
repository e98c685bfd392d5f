import { expect, test } from 'vitest';
import { TickBatch } from '../../../../infra/admin/import/tick-batch.ts';

test('what is added in one turn of the event loop is run together, and each item gets its own result', async () => {
  const runs: (readonly number[])[] = [];
  const batch = new TickBatch<number, number>(async (items) => {
    runs.push(items);
    return items.map((item) => item * 10);
  });

  const first = await Promise.all([1, 2, 3].map((item) => batch.add(item)));
  const second = await batch.add(4);

  expect([first, second]).toEqual([[10, 20, 30], 40]);
  expect(runs).toEqual([[1, 2, 3], [4]]);
});

test('an error of a run is that of each of its items, and the next run is not affected', async () => {
  let isBroken = true;
  const batch = new TickBatch<number, number>(async (items) => {
    if (isBroken) throw new Error('broken');
    return items;
  });

  const results = await Promise.allSettled([batch.add(1), batch.add(2)]);
  isBroken = false;

  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await batch.add(3)).toBe(3);
});
