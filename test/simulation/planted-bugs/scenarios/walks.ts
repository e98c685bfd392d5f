import { person, type Scenario } from '../scenario.ts';

const everyone = { updated_since: '2020-01-01T00:00:00Z' };
const filter = (field: string, operator: string, value: string) => ({
  filter: JSON.stringify([{ field, operator, value }]),
});
const inPune = filter('city', 'equals', 'pune');

/** Some leads, all of whose lists the checker walks in the end. */
export const scenariosOfWalks: readonly Scenario[] = [
  {
    name: 'Sixty leads of a file, of which few match, are walked two at a time on small pages',
    simulation: { dynamodb: { pageShare: 0.004 } },
    walks: (id) =>
      [
        inPune,
        { ...inPune, pipeline_id: 1 },
        // It is behind the first small page of a read, which DynamoDB ends early.
        filter('name', 'contains', 'Rao 24 '),
        { ...inPune, source_id: 3 },
        { ...inPune, ...everyone },
        { ...everyone, stage_id: 11 },
        { source_id: 3, owner_id: 7 },
        { source_id: 1, owner_id: 8, stage_id: 11 },
      ].flatMap((query) => (id === 1 ? [{ ...query, limit: 2 }] : [])),
    async run(given) {
      const rows = Array.from({ length: 60 }, (_, at) => ({
        ...person(at),
        ...(at % 13 === 0 && { city: 'Pune' }),
        course: at % 2 === 0 ? 'mba' : 'design',
        source: at % 3 === 0 ? 'Facebook Ads' : 'Website',
      }));
      await given.administrate('import', { rows });
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
      await given.list({ updated_since: updatedAt, stage_id: 11 });
    },
  },
  {
    name: 'What changed is asked for again, after a file had leads that changed before',
    async run(given) {
      await given.capture(person(1));
      await given.sleep(15_000);
      const query = { updated_since: '2026-01-31T09:00:00Z', stage_id: 11 };
      await given.list(query);
      const before = '2026-01-31T09:10:00.000Z';
      const rows = [{ ...person(2), createdAt: before, updatedAt: before }];
      await given.administrate('import', { rows });
      // The ids of the first list are kept for a minute.
      await given.sleep(75_000);
      await given.list(query);
    },
  },
  {
    name: 'Lists are walked one or two leads at a time',
    walks: (id) => {
      // Only the first lead of all matches, and what was examined ends just above it.
      const first = { ...filter('name', 'contains', 'Rao 1 '), limit: 1 };
      const all = [{}, { pipeline_id: 1 }, everyone].map((query) => ({ ...query, limit: 2 }));
      return id === 1 ? [first, { ...first, stage_id: 11 }, ...all] : [];
    },
    async run(given) {
      for (const at of [1, 2, 3]) await given.capture(person(at));
    },
  },
];
