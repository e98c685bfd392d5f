import { BatchGetCommand, type BatchGetCommandOutput } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Lead } from '../../../../shared/leads/lead.ts';
import { type LeadQuery, listLeads } from '../../../../shared/store/listing/lead-lists.ts';
import { sendingThrough } from '../../../../shared/store/table/client.ts';
import { sinceOf, updatesOf } from '../../../support/generated/leads.ts';
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
}

/** A list by change, and perhaps by owner and source: a walk over it, and the ids that it must find. */
function listOf({ leads = million, changed, ownerId, sourceId, ...shape }: Listed) {
  organizationId += 1;
  const own = { organizationId, ownerId, sourceId };
  const { table, leadOf, units } = generatedTable(organizationId, leads, shape);
  const updatedSince = Date.parse(sinceOf(changed, leads));
  const isListed = ({ fields }: Lead): boolean =>
    (ownerId === undefined || fields.assigned_to === ownerId) &&
    (sourceId === undefined || fields.source === sourceId);
  const { idAt } = updatesOf(leads);
  const all = Array.from({ length: changed }, (_, index) => idAt(leads - 1 - index))
    .filter((id) => isListed(leadOf(id)))
    .sort((a, b) => b - a);
  const walk = async (limit: number, pages = Number.POSITIVE_INFINITY) => {
    const found: number[] = [];
    let cursor: number | null = leads + 1;
    for (let at = 0; at < pages && cursor !== null; at += 1) {
      const page = await listLeads(table, {
        ...{ ...unfilteredQuery, ...own, limit, cursor, updatedSince },
        matches: (lead) => Date.parse(lead.updatedAt) >= updatedSince && isListed(lead),
      });
      found.push(...page.leads.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    return { found, units: units() };
  };
  return { walk, all };
}

const oneIn = (share: number) => (id: number) => (id % share === 1 ? 9 : 7);

test.each<[leads: string, listed: Partial<Listed>]>([
  ['an owner of half of the leads', { ownerOf: oneIn(2) }],
  ['an owner of half of the leads, of which few changed', { ownerOf: oneIn(2), changed: 200 }],
  ['an owner of one lead in 10', { ownerOf: oneIn(10) }],
  ['an owner of one lead in 200', { ownerOf: oneIn(200) }],
  ['an owner and a source', { ownerOf: oneIn(2), sourceOf: oneIn(3), sourceId: 9 }],
])('a walk over the changed leads of %s finds each once, in order', async (_, listed) => {
  const { walk, all } = listOf({ leads: 200_000, changed: 2000, ownerId: 9, ...listed });

  expect((await walk(50)).found).toEqual(all);
  expect(all.length).toBeGreaterThanOrEqual(10);
});

test('a sync job that walks over 50,000 changed leads of a million reads 1.6 units a lead at most', async () => {
  const { walk, all } = listOf({ changed: 50_000 });

  const { found, units } = await walk(100, 60);

  expect(found).toEqual(all.slice(0, found.length));
  expect(found.length).toBeGreaterThanOrEqual(95 * 60);
  expect(units / found.length).toBeLessThanOrEqual(1.6);
});

test('pages by change and owner skip no lead while the ids of the changed leads are still being read', async () => {
  const { walk, all } = listOf({ changed: 50_000, ownerId: 9, ownerOf: oneIn(10) });

  const { found } = await walk(100, 3);

  expect(found.length).toBeGreaterThan(100);
  expect(found).toEqual(all.slice(0, found.length));
});

test.each<[list: string, asked: object, calls: number]>([
  ['an owner’s changed leads, when none changed', { ownerId: 7, updatedSince: 1.9e12 }, 1],
  ['a stage that is not of the requested pipeline', { stageIds: [], updatedSince: 0 }, 0],
])('a page of %s is empty and takes few calls', async (_, asked, most) => {
  const { table, calls } = generatedTable(90_001, 1000);

  const found = await listLeads(table, { ...unfilteredQuery, organizationId: 90_001, ...asked });

  expect([found.leads, found.nextCursor, calls()]).toEqual([[], null, most]);
});

test('a page of two lists without a common lead ends after a second, and the next one continues', async () => {
  const { table } = generatedTable(90_002, million, {
    ownerOf: oneIn(1000),
    sourceOf: (id) => (id % 2 === 0 ? 3 : 1),
  });
  const { send } = table.client;
  table.client.send = (command: never) => {
    vi.setSystemTime(Date.now() + 25);
    return send(command);
  };
  const begun = Date.now();

  const page = await listLeads(table, {
    ...{ ...unfilteredQuery, organizationId: 90_002, ownerId: 9, sourceId: 3 },
    matches: ({ fields }) => fields.assigned_to === 9 && fields.source === 3,
  });

  expect(page.leads).toEqual([]);
  expect(page.nextCursor).toBeLessThan(million - 10_000);
  expect(Date.now() - begun).toBeLessThanOrEqual(1000 + 8 * 25);
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

test('after a read that cost too much, pages wait a second each', async () => {
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

test.each([
  ['an owner', { ownerId: 7 }],
  ['a change', { updatedSince: 0 }],
])(
  'leads that DynamoDB leaves unread for a while are in the page by %s, in order',
  async (_, by) => {
    organizationId += 1;
    const { table } = generatedTable(organizationId, 60, { ownerOf: () => 7 });
    const unreadUntil = Date.now() + 500;
    const slow = sendingThrough(table, (send) => async (command, options) => {
      const reply = await send(command, options);
      if (!(command instanceof BatchGetCommand) || Date.now() >= unreadUntil) return reply;
      const { Responses = {} } = reply as BatchGetCommandOutput;
      const [read, unread] = [true, false].map((isRead) =>
        Responses.leads?.filter(({ sk }) => isRead === (Number(sk) % 10 !== 5)),
      );
      const Keys = unread?.map(({ pk, sk }) => ({ pk, sk })) ?? [];
      const UnprocessedKeys = Keys.length > 0 ? { leads: { Keys } } : {};
      return { Responses: { leads: read }, UnprocessedKeys };
    });

    const { leads } = await listLeads(slow, {
      ...unfilteredQuery,
      organizationId,
      ...by,
      limit: 40,
    });

    expect(leads.map(({ id }) => id)).toEqual(Array.from({ length: 40 }, (_, index) => 60 - index));
  },
);
