import { firstFile, type Given, person, type Scenario } from '../scenario.ts';
import { withInactiveStage } from './edits.ts';

type Fields = Readonly<Record<string, unknown>>;

const interests = ['hostel', 'loan'];

/** Leads 1 to 5 with a value of every type, or none. */
const leads: readonly Fields[] = [
  { city: 'Pune', budget: 100, start_on: '2026-02-01', course: 'mba', interests },
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

/** Filters, each as a field, an operator and its operand, and the leads that they find. */
const filters: readonly (readonly [string, string, unknown, readonly number[]])[] = [
  ['city', 'equals', 'PUNE', [1]],
  ['city', 'contains', 'PUNE', [1, 2]],
  ['city', 'equals', 'cafe\u0301', [3]],
  ['city', 'is_empty', undefined, [4, 5]],
  ['city', 'is_not_empty', undefined, [1, 2, 3]],
  ['remarks', 'contains', `${'ab'.repeat(130)}ABAC`, [4]],
  ['budget', 'equals', 200, [2]],
  ['budget', 'gt', 200, [3]],
  ['budget', 'lt', 200, [1]],
  ['budget', 'between', [200, 300], [2, 3]],
  ['start_on', 'on', '2026-02-02', [2]],
  ['start_on', 'before', '2026-02-02', [1]],
  ['start_on', 'after', '2026-02-02', [3]],
  ['start_on', 'between', ['2026-02-01', '2026-02-02'], [1, 2]],
  ['course', 'is_any_of', ['mba'], [1]],
  ['interests', 'has_any_of', ['loan', 'abroad'], [1, 3]],
  ['wants_call', 'is_true', undefined, [2]],
  ['wants_call', 'is_false', undefined, [1, 3, 4, 5]],
  ['guardian_phone', 'contains', '98111 11', [4]],
  ['guardian_phone', 'equals', '09811111111', [4]],
  ['phone', 'equals', '98000 00002', [2]],
  ['mentor', 'is_any_of', [7], [4]],
  ['second_source', 'is_any_of', [3], [5]],
  ['work_email', 'equals', 'ravi@example.COM', [5]],
  ['portfolio', 'contains', 'example.com/a', [5]],
];

const filterOf = (field: string, operator: string, operand?: unknown): object => ({
  field,
  operator,
  ...(Array.isArray(operand) ? { values: operand } : { value: operand }),
});

const find = (given: Given, ...filters: readonly object[]) =>
  given.ask('list-leads', { query: { filter: JSON.stringify(filters) } });

export const scenariosOfQueries: readonly Scenario[] = [
  {
    name: 'Leads are found by every operator of every type of field',
    means: /was refused as malformed/,
    walks: () => [],
    async run(given) {
      for (const [at, fields] of leads.entries())
        await given.create({ ...person(at + 1), ...fields });
      const expectFound = async (ids: readonly number[], ...sent: readonly object[]) => {
        const { status, ids: found } = await find(given, ...sent);
        given.same(JSON.stringify(sent), [status, found.toReversed()], [200, ids]);
      };
      for (const [field, operator, operand, ids] of filters)
        await expectFound(ids, filterOf(field, operator, operand));
      const inPune = filterOf('city', 'contains', 'pune');
      await expectFound([2], inPune, filterOf('budget', 'gt', 100));
      await expectFound([], inPune, filterOf('remarks', 'is_not_empty'));
      const eleven = Array.from({ length: 11 }, () => filterOf('city', 'is_empty'));
      await given.answered(400, find(given, ...eleven), 'eleven filters');
      await given.answered(200, find(given, ...eleven.slice(1)), 'ten filters');
    },
  },
  {
    name: 'Leads in a stage that became inactive are in the lists of its pipeline, and in no other',
    async run(given) {
      const { leadId } = await given.capture(person(1));
      const { leadId: other } = await given.capture(person(2));
      await given.update(leadId, { stageId: 12 });
      await given.sleep(15_000);
      await given.applyFile(withInactiveStage(12));
      const owned = await given.list({ owner_id: 7, stage_id: 11 });
      for (const [query, ids] of [
        [{ pipeline_id: 1 }, [other, leadId]],
        [{ stage_id: 12 }, [leadId]],
        [{ stage_id: 12, pipeline_id: 1 }, [leadId]],
        [{ stage_id: 12, pipeline_id: 2 }, []],
        [{ stage_id: 11, owner_id: 7 }, owned],
      ] as const)
        given.same(JSON.stringify(query), await given.list(query), ids);
    },
  },
  {
    name: 'Leads of quotes alone fill an answer, which is escaped twice, and the first is the largest',
    walks: () => [],
    async run(given) {
      const file = firstFile();
      const quoted = file.fields.find((field) => 'key' in field && field.key === 'remarks');
      const keys = Array.from({ length: 6 }, (_, at) => `remarks_${at}`);
      const fields = [...file.fields, ...keys.map((key) => ({ ...quoted, key }))];
      await given.applyFile({ ...file, fields });
      for (let at = 1; at <= 45; at += 1)
        await given.create({ ...person(at), remarks: '"'.repeat(30_000) });
      const { leadId } = await given.create({ ...person(46), remarks: '"'.repeat(49_000) });
      for (const key of keys)
        await given.taken(given.update(leadId, { fields: { [key]: '"'.repeat(49_000) } }));
      await given.answered(200, given.ask('list-leads', { query: { limit: 100 } }), 'its page');
      const { answer } = given.service.history.requests.at(-1) ?? {};
      const bytes = Buffer.byteLength(JSON.stringify(answer?.body ?? ''));
      given.expect(bytes <= 6_291_456, `an answer is at most 6 MB, not ${bytes} bytes.`);
      given.expect(bytes > 3_000_000, `it is as full as it may be, not ${bytes} bytes.`);
    },
  },
];
