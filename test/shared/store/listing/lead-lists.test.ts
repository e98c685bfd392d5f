import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Lead } from '../../../../shared/leads/lead.ts';
import { type LeadQuery, listLeads } from '../../../../shared/store/listing/lead-lists.ts';
import { sinceOf, updatesOf } from '../../../proof/bench/listing/generated-leads.ts';
import { generatedTable, type LeadShape, skipPauses, unfilteredQuery } from './generated-table.ts';

// A scan pauses to keep its pace.
beforeEach(skipPauses);
afterEach(() => {
  vi.useRealTimers();
});

const million = 1_000_000;
let organizationId = 0;

interface Listed extends LeadShape {
  /** @default 1,000,000 */
  readonly leads?: number;
  readonly changed: number;
  readonly ownerId?: number;
  readonly sourceId?: number;
  readonly filter?: (lead: Lead) => boolean;
}

/** A list by change, and perhaps by owner: its pages, and the ids that they must give. */
function listOf({ leads = million, changed, ownerId, sourceId, filter, ...shape }: Listed) {
  organizationId += 1;
  const own = organizationId;
  const { table, leadOf, units, calls } = generatedTable(own, leads, shape);
  const updatedSince = Date.parse(sinceOf(changed, leads));
  const isListed = (lead: Lead): boolean =>
    (ownerId === undefined || lead.fields.assigned_to === ownerId) &&
    (sourceId === undefined || lead.fields.source === sourceId) &&
    (filter?.(lead) ?? true);
  const areAllListed = ownerId === undefined && sourceId === undefined && !filter;
  const { idAt } = updatesOf(leads);
  // A typed array sorts a million ids in a fraction of the time.
  const all = [
    ...Uint32Array.from({ length: changed }, (_, index) => idAt(leads - 1 - index))
      .filter((id) => areAllListed || isListed(leadOf(id)))
      .sort()
      .reverse(),
  ];
  const page = (limit: number, cursor?: number) =>
    listLeads(table, {
      ...{
        ...unfilteredQuery,
        organizationId: own,
        limit,
        cursor,
        ownerId,
        sourceId,
        updatedSince,
      },
      matches: (lead) => Date.parse(lead.updatedAt) >= updatedSince && isListed(lead),
    });
  const walk = async (limit: number, pages = Number.POSITIVE_INFINITY) => {
    const found: number[] = [];
    let cursor: number | null = leads + 1;
    for (let at = 0; at < pages && cursor !== null; at += 1) {
      const { leads, nextCursor } = await page(limit, cursor);
      found.push(...leads.map(({ id }) => id));
      cursor = nextCursor;
    }
    return { found, units: units() };
  };
  return { page, walk, all, units, calls };
}

const oneIn = (share: number) => (id: number) => (id % share === 1 ? 9 : 7);

interface Page extends Listed {
  readonly limit?: number;
  readonly units: number;
  readonly calls?: number;
}

const halfUnitsOf = (entries: number): number => Math.ceil((entries * 100) / 4096) / 2;

test.each<[leads: string, page: Page]>([
  ['10 changed leads of an owner', { changed: 10, ownerId: 7, units: 21, calls: 2 }],
  ['1000 changed leads of an owner', { changed: 1000, ownerId: 7, units: 75, calls: 3 }],
  ['10,000 changed leads of an owner', { changed: 10_000, ownerId: 7, units: 190, calls: 4 }],
  [
    '10,000 changed leads of an owner, of 10,000,000',
    { leads: 10_000_000, changed: 10_000, ownerId: 7, units: 190, calls: 4 },
  ],
  [
    '100 changed leads of an owner who has none',
    { changed: 100, ownerId: 9, units: 115, calls: 4 },
  ],
  [
    '10,000 changed leads of an owner of one in 10,000, by owner',
    { changed: 10_000, ownerId: 9, ownerOf: oneIn(10_000), units: 260 },
  ],
  [
    '500 changed leads that are all of one owner',
    { changed: 500, ownerId: 7, ownerOf: () => 7, limit: 100, units: halfUnitsOf(500) + 125 },
  ],
  [
    '500 changed leads of 40 KB, of which it fetches the owner’s',
    {
      ...{ changed: 500, ownerId: 9, ownerOf: oneIn(10), remarks: 'r'.repeat(40_000) },
      units: 160 + 26 * 10,
    },
  ],
  [
    '500 changed leads, of which a filter matches none',
    { changed: 500, ownerId: 7, filter: () => false, units: 520, calls: 8 },
  ],
])('a page of %s takes few read units and calls', async (_, { limit = 25, ...listed }) => {
  const { page, all, units, calls } = listOf(listed);

  const { leads, nextCursor } = await page(limit);

  expect(leads.map(({ id }) => id)).toEqual(all.slice(0, limit));
  expect(nextCursor).toBe(all.length > limit ? all[limit - 1] : null);
  expect(units()).toBeLessThanOrEqual(listed.units);
  expect(calls()).toBeLessThanOrEqual(listed.calls ?? Number.POSITIVE_INFINITY);
});

test.each<[leads: string, listed: Partial<Listed>]>([
  ['an owner of half of the leads', { ownerOf: oneIn(2) }],
  ['an owner of one lead in 10', { ownerOf: oneIn(10) }],
  ['an owner of one lead in 200', { ownerOf: oneIn(200) }],
  ['an owner and a source', { ownerOf: oneIn(2), sourceOf: oneIn(3), sourceId: 9 }],
])('a walk over the changed leads of %s finds each once, in order', async (_, listed) => {
  const { walk, all } = listOf({ ...listed, leads: 200_000, changed: 2000, ownerId: 9 });

  expect((await walk(50)).found).toEqual(all);
  expect(all.length).toBeGreaterThanOrEqual(10);
});

test.each<[leads: string, listed: Listed, pages: number, unitsOfLead: number]>([
  ['5 % changed of 1,000,000 leads', { changed: 50_000 }, 60, 1.5],
  ['20 % changed of 400,000 leads', { leads: 400_000, changed: 80_000 }, 24, 1.6],
  ['200,000 leads that all changed, in order', { leads: 200_000, changed: 200_000 }, 20, 0.25],
  ['900 leads that all changed', { leads: 900, changed: 900 }, 9, 0.25 + halfUnitsOf(900) / 900],
])(
  'a walk over %s finds each in order, for few read units a lead',
  async (_, listed, pages, most) => {
    const { walk, all } = listOf(listed);

    const { found, units } = await walk(100, pages);

    expect(found).toEqual(all.slice(0, found.length));
    expect(found.length).toBeGreaterThanOrEqual(96 * pages);
    expect(units / found.length).toBeLessThanOrEqual(most);
  },
);

test('pages by change and owner skip no lead while the ids of the changed leads are still being read', async () => {
  const { walk, all } = listOf({ changed: 50_000, ownerId: 9, ownerOf: oneIn(10) });

  const { found } = await walk(100, 3);

  expect(found.length).toBeGreaterThan(100);
  expect(found).toEqual(all.slice(0, found.length));
});

test('a page by change and owner ends with what it has read when large leads leave no room for more', async () => {
  const { page } = listOf({
    ...{ changed: 10_000, ownerId: 9, ownerOf: (id) => (id % 3 === 0 ? 9 : 7) },
    remarks: 'r'.repeat(110_000),
  });

  expect((await page(25)).nextCursor).toBeLessThan(million);
});

test.each<[list: string, asked: object, calls: number]>([
  ['an owner’s changed leads, when none changed', { ownerId: 7, updatedSince: 1.9e12 }, 1],
  ['a stage that is not of the requested pipeline', { stageIds: [], updatedSince: 0 }, 0],
])('a page of %s is empty and takes few calls', async (_, asked, most) => {
  const { table, calls } = generatedTable(90_001, 1000);

  const found = await listLeads(table, { ...unfilteredQuery, organizationId: 90_001, ...asked });

  expect([found.leads, found.nextCursor, calls()]).toEqual([[], null, most]);
});

/** A page of a filter that no lead matches, as DynamoDB answers each call after 25 ms. */
const rareQuery = (organizationId: number, cursor: number | undefined): LeadQuery => ({
  ...unfilteredQuery,
  organizationId,
  cursor,
  matches: () => false,
});

/** Walks pages without a pause between them. @returns when each read was made and what it cost, and when each page began */
async function walkRarely(
  { table, units }: ReturnType<typeof generatedTable>,
  { organizationId, callMs, pages }: Record<'organizationId' | 'callMs' | 'pages', number>,
) {
  const reads: { at: number; units: number }[] = [];
  const pagesAt: number[] = [];
  const { send } = table.client;
  table.client.send = (command: never) => {
    const before = units();
    const result = send(command);
    reads.push({ at: Date.now(), units: units() - before });
    return result;
  };
  let cursor: number | undefined;
  for (let page = 0; page < pages; page += 1) {
    const begun = Date.now();
    pagesAt.push(begun);
    vi.setSystemTime(begun + callMs);
    const { nextCursor } = await listLeads(table, rareQuery(organizationId, cursor));
    expect(nextCursor).toBeLessThan(cursor ?? million);
    cursor = nextCursor ?? undefined;
    expect(Date.now() - begun).toBeLessThanOrEqual(1000 + callMs);
  }
  return { reads, pagesAt, examined: million - (cursor ?? 0) };
}

/** The most of something in any second. */
function mostInASecond(events: readonly { readonly at: number; readonly units: number }[]): number {
  const inSecondFrom = (from: number): number =>
    events.filter(({ at }) => at >= from && at < from + 1000).reduce((sum, e) => sum + e.units, 0);
  return Math.max(...events.map(({ at }) => inSecondFrom(at)));
}

test.each([0, 25])(
  'four walks with a rare filter read less than 3,000 units a second, at %i ms a call',
  async (callMs) => {
    const table = generatedTable(callMs, million);
    const { reads, examined } = await walkRarely(table, {
      organizationId: callMs,
      callMs,
      pages: 8,
    });

    expect(4 * mostInASecond(reads)).toBeLessThan(3000);
    // The pace costs a page little of what it may read.
    expect(examined / 8).toBeGreaterThan(2500);
  },
);

/** Every 4,000 leads, 100 of 100 KB among leads of 800 bytes. */
const unevenBytes = (id: number): number => (id % 4000 < 100 ? 100_000 : 800);

test('pages that wait for a read that took too much follow each other in a second, not at once', async () => {
  const table = generatedTable(3, million, { bytesOf: unevenBytes });
  const { reads, pagesAt, examined } = await walkRarely(table, {
    organizationId: 3,
    callMs: 25,
    pages: 20,
  });

  expect(mostInASecond(pagesAt.map((at) => ({ at, units: 1 })))).toBeLessThanOrEqual(2);
  expect(mostInASecond(reads)).toBeLessThan(1700);
  expect(examined / 20).toBeGreaterThan(600);
});

test('a page whose filter many leads match does not wait', async () => {
  const { table } = generatedTable(9, million);
  const begun = Date.now();

  const { leads: found } = await listLeads(table, {
    ...rareQuery(9, undefined),
    matches: ({ id }) => id % 15 === 0,
  });

  expect(found).toHaveLength(25);
  expect(Date.now() - begun).toBe(0);
});
