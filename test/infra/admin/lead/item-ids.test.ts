import { expect, test } from 'vitest';
import { ItemIds } from '../../../../infra/admin/lead/item-ids.ts';

test('a set of item ids has what was added, and not the same id of another lead', () => {
  const ids = new ItemIds();
  const added = Array.from({ length: 3000 }, (_, index) => index + 1);
  for (const leadId of added) ids.add(leadId, `2026-11-21T00:00:00.000Z#${leadId % 7}`);

  expect(ids.size).toBe(3000);
  expect(
    added.filter((leadId) => !ids.has(leadId, `2026-11-21T00:00:00.000Z#${leadId % 7}`)),
  ).toEqual([]);
  expect(
    added.filter((leadId) => ids.has(leadId, `2026-11-21T00:00:00.000Z#${(leadId + 1) % 7}`)),
  ).toEqual([]);
});

test('a set of item ids may grow between questions', () => {
  const ids = new ItemIds();
  ids.add(1, 'a');
  const before = [ids.has(1, 'a'), ids.has(1, 'b')];
  ids.add(1, 'b');

  expect([...before, ids.has(1, 'b')]).toEqual([true, false, true]);
});
