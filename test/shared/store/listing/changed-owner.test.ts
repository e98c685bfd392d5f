import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Lead, ownerIdOf, sourceIdOf } from '../../../../shared/leads/lead.ts';
import { listLeads } from '../../../../shared/store/listing/lead-lists.ts';
import { sinceOf, updatesOf } from '../../../bench/listing/generated-leads.ts';
import { generatedTable, type LeadShape, unfilteredQuery } from './generated-table.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

let organizationId = 0;

interface Listed extends LeadShape {
  readonly leads: number;
  readonly changed: number;
  readonly ownerId: number;
  readonly sourceId?: number;
  readonly filter?: (lead: Lead) => boolean;
}

/** A list by change and owner: its pages, and the ids that they must give. */
function listOf({ leads, changed, ownerId, sourceId, filter = () => true, ...shape }: Listed) {
  organizationId += 1;
  const own = organizationId;
  const { table, leadOf, units, calls } = generatedTable(own, leads, shape);
  const updatedSince = Date.parse(sinceOf(changed, leads));
  const isListed = (lead: Lead): boolean =>
    ownerIdOf(lead) === ownerId && (sourceId === undefined || sourceIdOf(lead) === sourceId);
  const { idAt } = updatesOf(leads);
  const all = Array.from({ length: changed }, (_, index) => idAt(leads - 1 - index))
    .map(leadOf)
    .filter((lead) => isListed(lead) && filter(lead))
    .map(({ id }) => id)
    .sort((a, b) => b - a);
  const page = (limit: number, cursor?: number) =>
    listLeads(table, {
      ...unfilteredQuery,
      organizationId: own,
      limit,
      cursor,
      ownerId,
      sourceId,
      updatedSince,
      matches: (lead) =>
        Date.parse(lead.updatedAt) >= updatedSince && isListed(lead) && filter(lead),
    });
  return { page, all, units, calls };
}

/** What the first page of a list takes, which must be full or the last. */
async function firstPage(listed: Listed, limit = 25) {
  const { page, all, units, calls } = listOf(listed);
  const { leads, nextCursor } = await page(limit);
  expect(leads.map(({ id }) => id)).toEqual(all.slice(0, limit));
  expect(nextCursor).toBe(all.length > limit ? all[limit - 1] : null);
  return { units: units(), calls: calls() };
}

const oneIn = (share: number) => (id: number) => (id % share === 1 ? 9 : 7);

test.each([
  { changed: 10, units: 21, calls: 2 },
  { changed: 1000, units: 75, calls: 3 },
  { changed: 10_000, units: 190, calls: 4 },
])(
  'of 1,000,000 leads, a page of the $changed changed ones of an owner takes $calls calls and at most $units read units',
  async ({ changed, units, calls }) => {
    const taken = await firstPage({ leads: 1_000_000, changed, ownerId: 7 });

    expect(taken.calls).toBe(calls);
    expect(taken.units).toBeLessThanOrEqual(units);
  },
);

test('a page of 10,000 changed leads of an owner takes no more calls in 10,000,000 leads than in 100,000, and at most 1.2 times the units', async () => {
  const listed = { changed: 10_000, ownerId: 7 };
  const few = await firstPage({ ...listed, leads: 100_000 });
  const many = await firstPage({ ...listed, leads: 10_000_000 });

  expect(many.calls).toBeLessThanOrEqual(few.calls);
  expect(many.units).toBeLessThanOrEqual(1.2 * few.units);
});

test('a page of the 100 changed leads of an owner who has none fetches each of them once', async () => {
  const { units, calls } = await firstPage({ leads: 1_000_000, changed: 100, ownerId: 9 });

  expect(calls).toBeLessThanOrEqual(4);
  expect(units).toBeLessThanOrEqual(115);
});

test('a page of many changed leads of an owner who has few reads the owner’s list, not each changed lead', async () => {
  const listed = { leads: 1_000_000, changed: 10_000, ownerId: 9 };
  const { units } = await firstPage({ ...listed, ownerOf: oneIn(10_000) });

  expect(units).toBeLessThanOrEqual(260);
});

test.each(
  [
    { owner: 'of half of the leads', ownerOf: oneIn(2) },
    { owner: 'of one lead in 10', ownerOf: oneIn(10) },
    { owner: 'of one lead in 200', ownerOf: oneIn(200) },
    { owner: 'and a source', ownerOf: oneIn(2), sourceOf: oneIn(3), sourceId: 9 },
  ].flatMap((listed) => [25, 50, 100].map((limit) => ({ ...listed, limit }))),
)(
  'a walk, $limit leads a page, over the changed leads of an owner $owner finds each once, in order',
  async ({ owner: _owner, limit, ...listed }) => {
    const { page, all } = listOf({ ...listed, leads: 200_000, changed: 2000, ownerId: 9 });
    const found: number[] = [];
    let cursor: number | null = null;

    do {
      const { leads, nextCursor } = await page(limit, cursor ?? undefined);
      found.push(...leads.map(({ id }) => id));
      cursor = nextCursor;
    } while (cursor !== null);

    expect(found).toEqual(all);
    expect(all.length).toBeGreaterThanOrEqual(10);
  },
);

test.each([50, 100])(
  'a page of %i changed leads that are all of one owner fetches at most a quarter more',
  async (limit) => {
    const listed = { leads: 1_000_000, changed: 500, ownerId: 7, ownerOf: () => 7 };
    const { units } = await firstPage(listed, limit);

    const idUnits = 6.5;
    expect(units - idUnits).toBeLessThanOrEqual(1.25 * limit);
  },
);

test('of changed leads of 40 KB, a page of an owner of one in 10 fetches only those of the owner', async () => {
  const { units } = await firstPage({
    leads: 1_000_000,
    changed: 500,
    ownerId: 9,
    ownerOf: oneIn(10),
    remarks: 'r'.repeat(40_000),
  });

  const entryUnits = 160;
  expect(units - entryUnits).toBeLessThanOrEqual(26 * 10);
});

test('a page by change and owner ends with the leads that it has read, when large leads and many ids leave no room for more', async () => {
  const { page } = listOf({
    leads: 1_000_000,
    changed: 10_000,
    ownerId: 9,
    ownerOf: (id) => (id % 3 === 0 ? 9 : 7),
    remarks: 'r'.repeat(110_000),
  });

  const { nextCursor } = await page(25);

  expect(nextCursor).toBeLessThan(1_000_000);
});

test('a page by change, owner and a filter that no lead matches takes a few calls, and a read unit for each changed lead', async () => {
  const { units, calls } = await firstPage({
    leads: 1_000_000,
    changed: 500,
    ownerId: 7,
    filter: () => false,
  });

  expect(calls).toBeLessThanOrEqual(8);
  expect(units).toBeLessThanOrEqual(520);
});

test('a page of an owner’s changed leads takes one call when no lead changed', async () => {
  const { table, calls } = generatedTable(2, 1001);

  const found = await listLeads(table, {
    ...unfilteredQuery,
    organizationId: 2,
    ownerId: 7,
    updatedSince: Date.parse('2030-01-01T00:00:00Z'),
  });

  expect([found.leads, found.nextCursor, calls()]).toEqual([[], null, 1]);
});

test('a stage that is not of the requested pipeline has no changed leads, which takes no call', async () => {
  const { table, calls } = generatedTable(1, 1000);

  const found = await listLeads(table, {
    ...unfilteredQuery,
    organizationId: 1,
    stageIds: [],
    updatedSince: 0,
  });

  expect([found.leads, found.nextCursor, calls()]).toEqual([[], null, 0]);
});
