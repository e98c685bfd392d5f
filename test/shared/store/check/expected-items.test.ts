import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExpectedItems, ExpectedItemsPart } from '../../../../shared/store/check/expected-items.ts';

const phoneOf = (id: number): string => `+91${id}`;
const emailOf = (id: number): string | undefined => (id % 3 === 0 ? undefined : `p${id}@example.com`);

/** A ledger of these leads, in as many parts as asked. */
function ledgerOf(ids: readonly number[], partCount: number): ExpectedItems {
  const ordered = [...ids].sort((a, b) => a - b);
  const size = Math.ceil(ordered.length / partCount) || 1;
  const parts = Array.from({ length: partCount }, (_, index) => {
    const part = new ExpectedItemsPart();
    for (const id of ordered.slice(index * size, (index + 1) * size)) part.add({ id, phone: phoneOf(id), email: emailOf(id) });
    return part;
  });
  return new ExpectedItems(parts);
}

const idSets = fc.uniqueArray(fc.integer({ min: 1, max: 2_147_483_647 }), { maxLength: 700 });

test('it knows exactly the leads it was given, whatever their ids and however they were read', () => {
  fc.assert(
    fc.property(
      idSets,
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: 1, max: 2_147_483_647 })),
      (ids, parts, others) => {
        const expectedItems = ledgerOf(ids, parts);
        const known = new Set(ids);

        expect(expectedItems.count).toBe(ids.length);
        for (const id of [...ids, ...others]) expect(expectedItems.has(id)).toBe(known.has(id));
      },
    ),
    { numRuns: 50 },
  );
});

test('it lacks exactly what has not been seen', () => {
  fc.assert(
    fc.property(idSets, fc.infiniteStream(fc.boolean()), (ids, dice) => {
      const expectedItems = ledgerOf(ids, 3);
      const toss = (): boolean => dice.next().value === true;
      const lacking = [];
      for (const id of [...ids].sort((a, b) => a - b)) {
        const email = emailOf(id);
        const seen = { phone: toss(), email: toss(), opening: toss() };
        if (seen.phone) expect(expectedItems.seeIdentity('phone', id, phoneOf(id))).toBe(true);
        if (seen.email && email) expect(expectedItems.seeIdentity('email', id, email)).toBe(true);
        if (seen.opening) expect(expectedItems.seeOpening(id)).toBe(true);
        const what = (['phone', 'email', 'opening'] as const).filter((name) => !seen[name] && (name !== 'email' || email));
        if (what.length > 0) lacking.push({ leadId: id, what });
      }

      expect([...expectedItems.lacking()]).toEqual(lacking);
    }),
    { numRuns: 50 },
  );
});

test('an identity that is not the lead’s, seen before, or of no lead there, is not expected', () => {
  const expectedItems = ledgerOf([5, 6], 1);
  expectedItems.seeIdentity('phone', 5, phoneOf(5));
  expectedItems.seeOpening(5);

  expect(expectedItems.seeIdentity('phone', 5, phoneOf(5))).toBe(false);
  expect(expectedItems.seeIdentity('phone', 6, phoneOf(5))).toBe(false);
  expect(expectedItems.seeIdentity('email', 6, 'p6@example.com')).toBe(false);
  expect(expectedItems.seeIdentity('phone', 7, phoneOf(7))).toBe(false);
  expect([expectedItems.seeOpening(5), expectedItems.seeOpening(7)]).toEqual([false, false]);
});
