import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Explained } from '../../../../shared/leads/timeline-replay.ts';
import { ExpectedItems, ExpectedItemsPart } from '../../../../shared/store/check/expected-items.ts';

const phoneOf = (id: number): string => `+91${id}`;
const emailOf = (id: number): string | undefined =>
  id % 3 === 0 ? undefined : `p${id}@example.com`;

const explainedOf = (id: number): Explained => ({
  createdAt: `2026-01-31T09:30:00.${id}Z`,
  change: `version ${id}`,
  archivedAt: '',
  valuesDigest: undefined,
});

/** The expected items of these leads, in this many parts. */
function expectedItemsOf(ids: readonly number[], partCount: number): ExpectedItems {
  const ordered = [...ids].sort((a, b) => a - b);
  const size = Math.ceil(ordered.length / partCount) || 1;
  const parts = Array.from({ length: partCount }, (_, index) => {
    const part = new ExpectedItemsPart();
    for (const id of ordered.slice(index * size, (index + 1) * size))
      part.add({ id, phone: phoneOf(id), email: emailOf(id), explained: explainedOf(id) });
    return part;
  });
  return new ExpectedItems(parts);
}

const idSets = fc.uniqueArray(fc.integer({ min: 1, max: 2_147_483_647 }), { maxLength: 700 });

test('the expected items have exactly the leads that were added, whatever their ids and order', () => {
  fc.assert(
    fc.property(
      idSets,
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: 1, max: 2_147_483_647 })),
      (ids, parts, others) => {
        const expectedItems = expectedItemsOf(ids, parts);
        const known = new Set(ids);

        expect(expectedItems.count).toBe(ids.length);
        for (const id of [...ids, ...others]) expect(expectedItems.has(id)).toBe(known.has(id));
      },
    ),
    { numRuns: 50 },
  );
});

test('the missing items are exactly those that were not found', () => {
  fc.assert(
    fc.property(idSets, fc.infiniteStream(fc.boolean()), (ids, dice) => {
      const expectedItems = expectedItemsOf(ids, 3);
      const toss = (): boolean => dice.next().value === true;
      const missing = [];
      for (const id of [...ids].sort((a, b) => a - b)) {
        const email = emailOf(id);
        const found = { phone: toss(), email: toss(), timeline: toss() };
        if (found.phone) expect(expectedItems.markIdentity('phone', id, phoneOf(id))).toBe(true);
        if (found.email && email) expect(expectedItems.markIdentity('email', id, email)).toBe(true);
        if (found.timeline) expect(expectedItems.markTimeline(id, explainedOf(id))).toBe(true);
        const items = (['phone', 'email', 'timeline'] as const).filter(
          (name) => !found[name] && (name !== 'email' || email),
        );
        if (items.length > 0) missing.push({ leadId: id, items });
      }

      expect([...expectedItems.missingItems()]).toEqual(missing);
    }),
    { numRuns: 50 },
  );
});

test('an identity of another lead, of no lead, or found before, is not expected', () => {
  const expectedItems = expectedItemsOf([5, 6], 1);
  expectedItems.markIdentity('phone', 5, phoneOf(5));

  expect(expectedItems.markIdentity('phone', 5, phoneOf(5))).toBe(false);
  expect(expectedItems.markIdentity('phone', 6, phoneOf(5))).toBe(false);
  expect(expectedItems.markIdentity('email', 6, 'p6@example.com')).toBe(false);
  expect(expectedItems.markIdentity('phone', 7, phoneOf(7))).toBe(false);
});

test('a timeline explains a lead if every part that it says is the same', () => {
  const expectedItems = expectedItemsOf([5], 1);
  const same = explainedOf(5);
  const said = (timeline: Partial<Explained>) =>
    expectedItems.markTimeline(5, { ...same, ...timeline });

  expect([said({}), said({ createdAt: undefined, change: undefined })]).toEqual([true, true]);
  expect([said({ createdAt: 'x' }), said({ change: 'x' })]).toEqual([false, false]);
  expect([said({ archivedAt: 'x' }), said({ valuesDigest: 'x' })]).toEqual([false, false]);
  expect(expectedItems.markTimeline(7, explainedOf(7))).toBe(false);
});
