import { type Given, person, type Scenario } from '../scenario.ts';

export const scenariosOfWalks: readonly Scenario[] = [
  {
    name: 'Sixty leads of a file, of which few match, are walked two at a time on small pages',
    simulation: { dynamodb: { pageShare: 0.004 } },
    walks: () => [],
    async run(given) {
      const rows = Array.from({ length: 60 }, (_, at) => ({
        ...person(at),
        ...(at % 13 === 0 && { city: 'Pune' }),
        course: at % 2 === 0 ? 'mba' : 'design',
        source: at % 3 === 0 ? 'Facebook Ads' : 'Website',
      }));
      const { result } = await given.administrate('import', (administrator) =>
        administrator.importRows(1, rows),
      );
      const { imported } = (result ?? {}) as { imported?: number };
      given.expect(imported === 60, `sixty leads are imported, not ${imported}.`);
      await given.sleep(15_000);
      const everyone = '2020-01-01T00:00:00Z';
      const inPune = {
        filter: JSON.stringify([{ field: 'city', operator: 'equals', value: 'pune' }]),
      };
      // It is behind the first small page of a read, which DynamoDB ends early.
      const { body } = await given.ask('get-lead', { leadId: 25 });
      const { name } = body.lead as { readonly name: string };
      const inTail = {
        filter: JSON.stringify([{ field: 'name', operator: 'contains', value: name }]),
      };
      for (const [query, count] of [
        [inPune, 5],
        [{ ...inPune, pipeline_id: 1 }, 5],
        [inTail, 1],
        [{ ...inPune, source_id: 3 }, 2],
        [{ ...inPune, updated_since: everyone }, 5],
        [{ updated_since: everyone, stage_id: 11 }, 60],
        [{ source_id: 3, owner_id: 7 }, undefined],
        [{ source_id: 1, owner_id: 8, stage_id: 11 }, undefined],
      ] as const) {
        const ids = await walk(given, { ...query, limit: 2 });
        const all = [...ids].sort((a, b) => b - a).join();
        given.expect(
          (count === undefined ? ids.length > 5 : ids.length === count) && ids.join() === all,
          `${JSON.stringify(query)} finds ${count ?? 'some'}, not ${ids.join(', ')}.`,
        );
      }
    },
  },
  {
    name: 'One lead changed after the sixty of a file, and is asked for by time and stage',
    async run(given) {
      await given.importRows(Array.from({ length: 60 }, (_, at) => person(at)));
      await given.sleep(15_000);
      const { leadId } = await given.capture(person(60));
      await given.sleep(15_000);
      const { body } = await given.ask('get-lead', { leadId });
      const { updatedAt } = body.lead as { readonly updatedAt: string };
      const found = await given.list({ updated_since: updatedAt, stage_id: 11 });
      given.expect(found.join() === String(leadId), `lead ${leadId} is listed, not ${found}.`);
    },
  },
  {
    name: 'Only the first lead of all matches, and what was examined ends just above it',
    async run(given) {
      for (const number of [1, 2, 3]) await given.capture(person(number));
      await given.sleep(15_000);
      const first = {
        filter: JSON.stringify([{ field: 'name', operator: 'contains', value: 'Rao 1 ' }]),
      };
      for (const query of [first, { ...first, stage_id: 11 }]) {
        const ids = await walk(given, { ...query, limit: 1 });
        given.expect(ids.join() === '1', `${JSON.stringify(query)} finds lead 1, not ${ids}.`);
      }
    },
  },
  {
    name: 'What changed is asked for again, after a file had leads that changed before',
    async run(given) {
      await given.capture(person(1));
      await given.sleep(15_000);
      const query = { updated_since: '2026-01-31T09:00:00Z', stage_id: 11 };
      given.expect((await given.list(query)).length === 1, 'one lead changed.');
      const before = '2026-01-31T09:10:00.000Z';
      await given.importRows([{ ...person(2), createdAt: before, updatedAt: before }]);
      // The ids of the first list are kept for a minute.
      await given.sleep(75_000);
      given.expect((await given.list(query)).length === 2, 'the lead of the file changed too.');
    },
  },
];

/** The ids of all pages, one after the other. */
async function walk(
  given: Given,
  query: Readonly<Record<string, string | number>>,
): Promise<readonly number[]> {
  const ids: number[] = [];
  for (let cursor: unknown, page = 0; page < 200; page += 1) {
    const { body } = await given.ask('list-leads', {
      query: { ...query, ...(typeof cursor === 'number' && { cursor }) },
    });
    ids.push(...((body.items ?? []) as readonly { id: number }[]).map(({ id }) => id));
    cursor = body.nextCursor;
    if (typeof cursor !== 'number') break;
  }
  return ids;
}
