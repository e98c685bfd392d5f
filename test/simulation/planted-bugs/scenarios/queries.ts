import { firstVariant, settingsFile } from '../../organizations.ts';
import { type Given, person, type Scenario } from '../scenario.ts';
import { applyFile } from './apply-file.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Leads 1 to 5 with a value of every type, or none. */
const leads: readonly Fields[] = [
  {
    city: 'Pune',
    budget: 100,
    start_on: '2026-02-01',
    course: 'mba',
    interests: ['hostel', 'loan'],
  },
  { city: 'pune West', budget: 200, start_on: '2026-02-02', course: 'design', wants_call: true },
  {
    city: 'Caf\u00e9',
    budget: 300,
    start_on: '2026-02-03',
    interests: ['abroad'],
    wants_call: false,
  },
  { remarks: `${'ab'.repeat(140)}abac`, guardian_phone: '+919811111111', mentor: 7 },
  { portfolio: 'https://example.com/A', work_email: 'Ravi@Example.com', second_source: 3 },
];

/** Filters, and the leads that they find. */
const filters: readonly (readonly [readonly Fields[], readonly number[]])[] = [
  [[{ field: 'city', operator: 'equals', value: 'PUNE' }], [1]],
  [[{ field: 'city', operator: 'contains', value: 'PUNE' }], [1, 2]],
  [[{ field: 'city', operator: 'equals', value: 'cafe\u0301' }], [3]],
  [[{ field: 'city', operator: 'is_empty' }], [4, 5]],
  [[{ field: 'city', operator: 'is_not_empty' }], [1, 2, 3]],
  [[{ field: 'remarks', operator: 'contains', value: `${'ab'.repeat(130)}ABAC` }], [4]],
  [[{ field: 'budget', operator: 'equals', value: 200 }], [2]],
  [[{ field: 'budget', operator: 'gt', value: 200 }], [3]],
  [[{ field: 'budget', operator: 'lt', value: 200 }], [1]],
  [[{ field: 'budget', operator: 'between', values: [200, 300] }], [2, 3]],
  [[{ field: 'start_on', operator: 'on', value: '2026-02-02' }], [2]],
  [[{ field: 'start_on', operator: 'before', value: '2026-02-02' }], [1]],
  [[{ field: 'start_on', operator: 'after', value: '2026-02-02' }], [3]],
  [[{ field: 'start_on', operator: 'between', values: ['2026-02-01', '2026-02-02'] }], [1, 2]],
  [[{ field: 'course', operator: 'is_any_of', values: ['mba'] }], [1]],
  [[{ field: 'interests', operator: 'has_any_of', values: ['loan', 'abroad'] }], [1, 3]],
  [[{ field: 'wants_call', operator: 'is_true' }], [2]],
  [[{ field: 'wants_call', operator: 'is_false' }], [1, 3, 4, 5]],
  [[{ field: 'guardian_phone', operator: 'contains', value: '98111 11' }], [4]],
  [[{ field: 'guardian_phone', operator: 'equals', value: '09811111111' }], [4]],
  [[{ field: 'phone', operator: 'equals', value: '98000 00002' }], [2]],
  [[{ field: 'mentor', operator: 'is_any_of', values: [7] }], [4]],
  [[{ field: 'second_source', operator: 'is_any_of', values: [3] }], [5]],
  [[{ field: 'work_email', operator: 'equals', value: 'ravi@example.COM' }], [5]],
  [[{ field: 'portfolio', operator: 'contains', value: 'example.com/a' }], [5]],
  [
    [
      { field: 'city', operator: 'contains', value: 'pune' },
      { field: 'budget', operator: 'gt', value: 100 },
    ],
    [2],
  ],
  [
    [
      { field: 'city', operator: 'contains', value: 'pune' },
      { field: 'remarks', operator: 'is_not_empty' },
    ],
    [],
  ],
];

async function find(given: Given, filter: unknown) {
  const { status, body } = await given.ask('list-leads', {
    query: { filter: JSON.stringify(filter) },
  });
  const found = ((body.items ?? []) as readonly { id: number }[]).map(({ id }) => id);
  return { status, found: found.sort((a, b) => a - b) };
}

export const scenariosOfQueries: readonly Scenario[] = [
  {
    name: 'Leads are found by every operator of every type of field',
    means: /was refused as malformed/,
    walks: () => [],
    async run(given) {
      for (const [at, fields] of leads.entries())
        await given.ask('create-lead', { body: { fields: { ...person(at + 1), ...fields } } });
      for (const [filter, ids] of filters) {
        const { status, found } = await find(given, filter);
        given.expect(
          status === 200 && found.join() === ids.join(),
          `${JSON.stringify(filter)} finds ${ids.join(', ')}, not ${found.join(', ')} (${status}).`,
        );
      }
      const eleven = Array.from({ length: 11 }, () => ({ field: 'city', operator: 'is_empty' }));
      given.expect((await find(given, eleven)).status === 400, 'ten filters are the most.');
      given.expect((await find(given, eleven.slice(1))).status === 200, 'ten filters are taken.');
    },
  },
  {
    name: 'Leads in a stage that became inactive are in the lists of its pipeline, and in no other',
    async run(given) {
      const { leadId } = await given.capture(person(1));
      const { leadId: other } = await given.capture(person(2));
      await given.update(leadId, { stageId: 12 });
      const file = settingsFile(1, firstVariant) as {
        readonly pipelines: readonly { readonly stages: readonly { readonly id: number }[] }[];
      };
      const pipelines = file.pipelines.map((pipeline) => ({
        ...pipeline,
        stages: pipeline.stages.map((stage) =>
          stage.id === 12 ? { ...stage, active: false } : stage,
        ),
      }));
      await given.sleep(15_000);
      await applyFile(given, { ...file, pipelines });
      const expected: readonly (readonly [Readonly<Record<string, number>>, readonly number[]])[] =
        [
          [{ pipeline_id: 1 }, [other, leadId]],
          [{ stage_id: 12 }, [leadId]],
          [{ stage_id: 12, pipeline_id: 1 }, [leadId]],
          [{ stage_id: 12, pipeline_id: 2 }, []],
          [{ stage_id: 11, owner_id: 7 }, await given.list({ owner_id: 7, stage_id: 11 })],
        ];
      for (const [query, ids] of expected) {
        const found = await given.list(query);
        given.expect(
          found.join() === ids.join(),
          `${JSON.stringify(query)} has ${ids.join(', ')}, not ${found.join(', ')}.`,
        );
      }
    },
  },
  {
    name: 'Leads of quotes alone fill an answer, which is escaped twice, and the first is the largest',
    walks: () => [],
    async run(given) {
      const file = settingsFile(1, firstVariant) as { readonly fields: readonly object[] };
      const quoted = file.fields.find((field) => 'key' in field && field.key === 'remarks');
      const keys = Array.from({ length: 6 }, (_, at) => `remarks_${at}`);
      const fields = [...file.fields, ...keys.map((key) => ({ ...quoted, key }))];
      await applyFile(given, { ...file, fields });
      const create = (at: number, more: object) =>
        given.ask('create-lead', { body: { fields: { ...person(at), ...more } } });
      for (let at = 1; at <= 45; at += 1) await create(at, { remarks: '"'.repeat(30_000) });
      const { leadId } = await create(46, { remarks: '"'.repeat(49_000) });
      for (const key of keys) {
        const { status } = await given.update(leadId, { fields: { [key]: '"'.repeat(49_000) } });
        given.expect(status === 200, `a lead grows, not ${status}.`);
      }
      const { status } = await given.ask('list-leads', { query: { limit: 100 } });
      given.expect(status === 200, `its page is answered 200, not ${status}.`);
      const { answer } = given.service.history.requests.at(-1) ?? {};
      const bytes = Buffer.byteLength(JSON.stringify(answer?.body ?? ''));
      given.expect(bytes <= 6_291_456, `an answer is at most 6 MB, not ${bytes} bytes.`);
      given.expect(bytes > 3_000_000, `it is as full as it may be, not ${bytes} bytes.`);
    },
  },
];
