import { beforeAll, describe, expect, test } from 'vitest';
import { setArchived } from '../../../shared/store/leads/archive.ts';
import type { CallOptions } from '../../support/call.ts';
import { givenLead } from '../../support/leads.ts';
import {
  type GivenOrganization,
  givenOrganization,
  useOrganization,
} from '../../support/organizations.ts';
import { table } from '../../support/table.ts';

type Query = NonNullable<CallOptions['query']>;
interface Listed {
  readonly id: number;
  readonly updatedAt: string;
}

const idsOf = (items: readonly Listed[]): number[] => items.map(({ id }) => id);

const organization = useOrganization();

describe('4.1 response: items newest first, without archived leads, and nextCursor, null on the last page', () => {
  /** 27 leads, two more than the default page, and one that is archived. Newest last. */
  const leads: Listed[] = [];
  beforeAll(async () => {
    for (let at = 0; at < 27; at += 1) leads.push(await givenLead(organization));
    const archived = await givenLead(organization);
    await setArchived(table(), organization.id, archived.id, { archived: true });
  });
  const newestFirst = (): number[] => idsOf(leads).reverse();

  test('a page has 25 leads by default, and the next one the rest', async () => {
    const first = await organization.list();
    const second = await organization.list({ cursor: first.body.nextCursor });

    expect(first.status).toBe(200);
    expect(Object.keys(first.body).sort()).toEqual(['items', 'nextCursor']);
    expect(idsOf(first.body.items)).toEqual(newestFirst().slice(0, 25));
    expect(idsOf(second.body.items)).toEqual(newestFirst().slice(25));
    expect(second.body.nextCursor).toBeNull();
  });

  test.each([1, 9, 27])('pages of limit %i show each lead once', async (limit) => {
    const seen: number[] = [];
    let cursor: number | null = 2_147_483_647;
    for (let pages = 0; cursor !== null && pages <= 28; pages += 1) {
      const { body } = await organization.list({ limit, cursor });
      expect(body.items.length).toBeLessThanOrEqual(limit);
      seen.push(...idsOf(body.items));
      cursor = body.nextCursor;
    }

    expect(cursor).toBeNull();
    expect(seen).toEqual(newestFirst());
  });

  test('a full page that ends with the last lead is the last page', async () => {
    const { body } = await organization.list({ limit: 27 });

    expect(body.items).toHaveLength(27);
    expect(body.nextCursor).toBeNull();
  });

  test.each([{}, { updated_since: '2000-01-01T00:00:00Z' }, { stage_id: 11 }])(
    'cursor 1 is past the last lead of %j',
    async (query) => {
      const { status, body } = await organization.list({ ...query, cursor: 1 });

      expect([status, body]).toEqual([200, { items: [], nextCursor: null }]);
    },
  );

  test('an organization without leads has no items and no next cursor', async () => {
    const { status, body } = await (await givenOrganization()).list();

    expect([status, body]).toEqual([200, { items: [], nextCursor: null }]);
  });

  test('a list never shows another organization’s leads', async () => {
    const other = await givenOrganization();
    const { id } = await givenLead(other);

    expect(idsOf((await other.list()).body.items)).toEqual([id]);
  });
});

describe('4.1 stage_id, pipeline_id, source_id, owner_id, updated_since: only the leads that match all', () => {
  let own: GivenOrganization;
  const names: Record<number, string> = {};
  const make = async (
    name: string,
    stageId: number,
    source: number | null,
    assigned_to: number,
  ) => {
    const lead = await givenLead(own, { stageId, fields: { name, source, assigned_to } });
    names[lead.id] = name;
    return lead;
  };
  beforeAll(async () => {
    own = await givenOrganization();
    await make('a', 11, 1, 7);
    await make('b', 12, 3, 7);
    await make('c', 21, 3, 8);
    await make('d', 11, null, 8);
    const gone = await make('archived', 11, 1, 7);
    await setArchived(table(), own.id, gone.id, { archived: true });
  });
  const found = async (query: Query) =>
    idsOf((await own.list(query)).body.items)
      .map((id) => names[id])
      .join('');

  const showsOnly = async (query: Query, expected: string) => {
    // An index follows its table in a moment, not at once: asked until it does, a few times.
    await expect.poll(() => found(query), { timeout: 15_000 }).toBe(expected);
  };

  test.each([
    [{ stage_id: 11 }, 'da'],
    [{ pipeline_id: 2 }, 'c'],
    [{ source_id: 3 }, 'cb'],
    [{ owner_id: 7 }, 'ba'],
    [{ updated_since: '2000-01-01T00:00:00Z' }, 'dcba'],
    [{ owner_id: 7, filter: '[{"field":"name","operator":"equals","value":"b"}]' }, 'b'],
  ])('the parameters $0 show only the leads that they name', { tags: 'written' }, showsOnly);

  test.each([
    [{ stage_id: 12 }, 'b'],
    [{ stage_id: 99 }, ''],
    [{ pipeline_id: 1 }, 'dba'],
    [{ pipeline_id: 99 }, ''],
    [{ source_id: 4 }, ''],
    [{ owner_id: 9 }, ''],
    [{ stage_id: 11, owner_id: 8 }, 'd'],
    [{ stage_id: 21, pipeline_id: 1 }, ''],
    [{ pipeline_id: 1, source_id: 3 }, 'b'],
    [{ pipeline_id: 2, source_id: 3, owner_id: 8, stage_id: 21 }, 'c'],
  ])('the parameters $0 show only the leads that they name, too', showsOnly);

  test('pages of an id filter show each lead once', async () => {
    const first = await own.list({ owner_id: 7, limit: 1 });
    const second = await own.list({ owner_id: 7, limit: 1, cursor: first.body.nextCursor });

    expect([...first.body.items, ...second.body.items].map(({ id }) => names[id])).toEqual([
      'b',
      'a',
    ]);
    expect(second.body.nextCursor).toBeNull();
  });

  test('a lead that moved is found where it is, and not where it was', async () => {
    const { id } = await make('e', 11, 1, 7);
    await own.update(id, { stageId: 12, fields: { source: 3, assigned_to: 8 } });

    await expect
      .poll(() => found({ stage_id: 12, source_id: 3, owner_id: 8 }), { timeout: 5000 })
      .toBe('e');
    for (const query of [{ stage_id: 11 }, { source_id: 1 }, { owner_id: 7 }])
      expect(await found(query)).not.toContain('e');
    await setArchived(table(), own.id, id, { archived: true });
  });

  test('updated_since finds changes at or after a time, to the millisecond, in any offset', async () => {
    const marked = await make('f', 11, 1, 7);
    const at = Date.parse(marked.updatedAt);
    const inKolkata = new Date(at + 5.5 * 3_600_000).toISOString().replace('Z', '+05:30');

    await expect
      .poll(() => found({ updated_since: new Date(at).toISOString() }), { timeout: 5000 })
      .toBe('f');
    expect(await found({ updated_since: inKolkata })).toBe('f');
    expect(await found({ updated_since: new Date(at + 1).toISOString() })).toBe('');
    // `updatedAt` drops what is less than a millisecond, so the change may have come after this time.
    expect(await found({ updated_since: new Date(at).toISOString().replace('Z', '999Z') })).toBe(
      'f',
    );
    expect(await found({ updated_since: '2000-01-01T00:00:00Z' })).toBe('fdcba');
  });

  test('updated_since finds an older lead again once it changes', async () => {
    const lead = await make('g', 11, 1, 7);
    await new Promise((later) => setTimeout(later, 5));
    const since = new Date().toISOString();
    expect(await found({ updated_since: since })).not.toContain('g');

    await own.update(lead.id, { fields: { city: 'Kochi' } });

    await expect.poll(() => found({ updated_since: since }), { timeout: 5000 }).toContain('g');
  });
});

describe('4.1 INVALID_QUERY: a parameter out of range, named; nothing is silently ignored', () => {
  const refused = async (query: Query, name: string) => {
    const { status, body } = await organization.list(query);

    expect([status, body.error.code]).toEqual([400, 'INVALID_QUERY']);
    expect(body.error.details.parameters).toEqual({ [name]: expect.stringMatching(/\S.*\.$|\?$/) });
    expect(body.error.message).toContain(name);
  };

  test.each([
    ['limit', '101'],
    ['cursor', '0'],
    ['stage_id', '2147483648'],
    ['pipeline_id', 'abc'],
    ['source_id', '1.5'],
    ['owner_id', '-1'],
    ['updated_since', '2026-01-31T09:30:00'],
    ['filter', '{'],
  ])('the parameter %s=%s is refused with INVALID_QUERY', (name, value) =>
    refused({ [name]: value }, name),
  );

  test.each(['limit', 'cursor', 'updated_since', 'stage_id', 'filter'])(
    'the parameter %s is refused when it is given twice',
    (name) => refused(`${name}=1&${name}=1`, name),
  );

  test.each([
    ['stageId', 'stage_id'],
    ['stage', undefined],
    ['updatedSince', 'updated_since'],
    ['__proto__', undefined],
  ])(
    'the unknown parameter %s is refused with the nearest known one (%s)',
    async (name, nearest) => {
      const { status, body } = await organization.list(`${name}=1`);

      expect([status, body.error.code]).toEqual([400, 'INVALID_QUERY']);
      expect(Object.keys(body.error.details.parameters)).toEqual([name]);
      expect(body.error.message).toMatch(nearest ? `did you mean ${nearest}?` : /known/);
    },
  );

  test('several wrong parameters are all named', async () => {
    const { body } = await organization.list({ limit: 0, cursor: 0, source_id: 'x' });

    expect(Object.keys(body.error.details.parameters).sort()).toEqual([
      'cursor',
      'limit',
      'source_id',
    ]);
  });
});

describe('4.1 INVALID_QUERY: details.filters lists the 0-based positions of the offending filters', () => {
  const good = { field: 'city', operator: 'is_not_empty' };

  test.each([
    ['an unknown field', { field: 'town', operator: 'is_empty' }],
    ['an operator of another type', { field: 'city', operator: 'gt', value: 1 }],
    ['a bad value', { field: 'course', operator: 'is_any_of', values: ['law'] }],
  ])('details.filters names each wrong filter and no correct one: %s', async (_, bad) => {
    const filter = JSON.stringify([bad, good, bad]);

    const { status, body } = await organization.list({ filter });

    expect([status, body.error.code, body.error.details.filters]).toEqual([
      400,
      'INVALID_QUERY',
      [0, 2],
    ]);
    expect(body.error.message).toMatch(/^filter\[0\] .*[.?]$/);
  });

  test('a filter with a property named __proto__ is refused by its position', async () => {
    const filter = '[{"field":"city","operator":"is_empty","__proto__":{"x":1}}]';

    const { status, body } = await organization.list({ filter });

    expect([status, body.error.details.filters]).toEqual([400, [0]]);
  });
});
