import { person, type Scenario } from '../scenario.ts';

const filter = (field: string, operator: string, value: string) => ({
  filter: JSON.stringify([{ field, operator, value }]),
});

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
      const { result } = await given.administrate('import', { rows });
      given.same('rows that are imported', (result as { imported?: number }).imported, 60);
      await given.sleep(15_000);
      const everyone = '2020-01-01T00:00:00Z';
      const inPune = filter('city', 'equals', 'pune');
      // It is behind the first small page of a read, which DynamoDB ends early.
      const { name } = (await given.get(25)).body.lead as { readonly name: string };
      for (const [query, count] of [
        [inPune, 5],
        [{ ...inPune, pipeline_id: 1 }, 5],
        [filter('name', 'contains', name), 1],
        [{ ...inPune, source_id: 3 }, 2],
        [{ ...inPune, updated_since: everyone }, 5],
        [{ updated_since: everyone, stage_id: 11 }, 60],
        [{ source_id: 3, owner_id: 7 }, undefined],
        [{ source_id: 1, owner_id: 8, stage_id: 11 }, undefined],
      ] as const) {
        const ids = await given.walk({ ...query, limit: 2 });
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
      const rows = Array.from({ length: 60 }, (_, at) => person(at));
      await given.administrate('import', { rows });
      await given.sleep(15_000);
      const { leadId } = await given.capture(person(60));
      await given.sleep(15_000);
      const { updatedAt } = (await given.get(leadId)).body.lead as { readonly updatedAt: string };
      const found = await given.list({ updated_since: updatedAt, stage_id: 11 });
      given.same('the list', found, [leadId]);
    },
  },
  {
    name: 'Only the first lead of all matches, and what was examined ends just above it',
    async run(given) {
      for (const number of [1, 2, 3]) await given.capture(person(number));
      await given.sleep(15_000);
      const first = filter('name', 'contains', 'Rao 1 ');
      for (const query of [first, { ...first, stage_id: 11 }])
        given.same(JSON.stringify(query), await given.walk({ ...query, limit: 1 }), [1]);
    },
  },
  {
    name: 'What changed is asked for again, after a file had leads that changed before',
    async run(given) {
      await given.capture(person(1));
      await given.sleep(15_000);
      const query = { updated_since: '2026-01-31T09:00:00Z', stage_id: 11 };
      given.same('leads that changed', (await given.list(query)).length, 1);
      const before = '2026-01-31T09:10:00.000Z';
      const rows = [{ ...person(2), createdAt: before, updatedAt: before }];
      await given.administrate('import', { rows });
      // The ids of the first list are kept for a minute.
      await given.sleep(75_000);
      given.same('leads that changed then', (await given.list(query)).length, 2);
    },
  },
  {
    name: 'Lists are walked two leads at a time',
    async run(given) {
      const ids: number[] = [];
      for (let at = 1; at <= 7; at += 1) ids.push((await given.capture(person(at))).leadId);
      await given.sleep(15_000);
      for (const query of [{}, { pipeline_id: 1 }, { updated_since: '2020-01-01T00:00:00Z' }])
        given.same('a walk', (await given.walk({ ...query, limit: 2 })).toReversed(), ids);
    },
  },
];
