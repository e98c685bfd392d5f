import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LeadIds } from '../../../../infra/admin/lead/lead-ids.ts';

const idMax = 2_147_483_647;
const listOf = (ids: Iterable<number>): LeadIds => {
  const list = new LeadIds();
  for (const id of ids) list.add(id);
  return list;
};

test('a list of lead ids has what was added, in whatever order, and nothing else', () => {
  const ids = fc.array(
    fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: idMax })),
  );
  fc.assert(
    fc.property(ids, fc.integer({ min: 1, max: 60 }), (added, other) => {
      const list = listOf(added);

      for (const id of [...added, other, idMax]) expect(list.has(id)).toBe(added.includes(id));
      expect([list.size, list.highest]).toEqual([added.length, Math.max(0, ...added)]);
    }),
  );
});

test('a list of lead ids may grow between questions', () => {
  const list = listOf(Array.from({ length: 5000 }, (_, index) => 2 * (5000 - index)));
  const before = [list.has(7), list.has(8)];
  list.add(7);

  expect([...before, list.has(7), list.has(9999), list.has(10_000)]).toEqual([
    false,
    true,
    true,
    false,
    true,
  ]);
});
