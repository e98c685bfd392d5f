import type { Request } from '../../../../dynamodb-model/dynamodb-model.ts';
import { everyList } from '../../checker/check-history.ts';
import { firstFile, type Given, person, type Scenario } from '../scenario.ts';

const stale = { dynamodb: { staleChance: 0.6 } } as const;
const since = (given: Given): string => new Date(given.service.now).toISOString();

async function captured(given: Given, count: number, id = 1): Promise<number[]> {
  const ids: number[] = [];
  for (let at = 1; at <= count; at += 1)
    ids.push((await given.capture(person(at, id), undefined, { in: id })).leadId);
  return ids;
}

/** An index shows what is under a partition key as late as it may; all else is read as it is. */
const lateIn =
  (partitionKey: string) =>
  ({ ExpressionAttributeValues = {} }: Request, states: number): number =>
    JSON.stringify(ExpressionAttributeValues).includes(`"${partitionKey}"`) ? states - 1 : 0;

/** An export taken now holds every lead of the table. */
async function expectWholeExport(given: Given): Promise<void> {
  const { result } = await given.administrate('export', {});
  const exported = (result as readonly { id: number; version: number }[]).map(
    ({ id, version }) => `${id}.${version}`,
  );
  const stored = [...given.service.simulation.dynamodb.table('leads').all()].flatMap(
    ({ key, current }) =>
      key.partition === 'LEADS#1' ? [`${Number(key.sort)}.${current?.version?.N}`] : [],
  );
  given.same('the export', exported, stored);
}

const everyone = { updated_since: '2020-01-01T00:00:00Z' };
const filter = (field: string, operator: string, value: string) => ({
  filter: JSON.stringify([{ field, operator, value }]),
});

export const scenariosOfReads: readonly Scenario[] = [
  {
    name: 'What was just written is read, listed and exported',
    seeds: 4,
    simulation: stale,
    walks: everyList,
    async run(given) {
      const [first = 0, second = 0] = await captured(given, 3);
      await expectWholeExport(given);
      await given.update(first, { fields: { city: 'Pune' } });
      await given.get(first);
      await given.list({});
      await given.update(second, { stageId: 12 });
      await given.list({ stage_id: 11 });
      await given.list({ stage_id: 12 });
      await given.get(second);
      await given.administrate('archive', { leadId: first });
      await given.list({ pipeline_id: 1 });
      await given.get(first);
      await given.list(everyone);
      await expectWholeExport(given);
    },
  },
  {
    name: 'The index by stage shows late that leads moved within their pipeline',
    seeds: 6, // the index is asked for both stages at once, and never goes back
    simulation: { dynamodb: { staleChance: 1 } },
    functions: { clockSkewMs: 500, coldStartChance: 1 },
    async run(given) {
      const [one = 0, other = 0, last = 0] = await captured(given, 3);
      await given.sleep(15_000);
      for (const leadId of [last, one, other]) await given.update(leadId, { stageId: 12 });
      // Under its new stage not yet, under its old one not any more; the index by update shows it.
      given.steering.stateOf = lateIn('STAGE#1#12');
      given.same('the list of their pipeline', (await given.list({ pipeline_id: 1 })).length, 3);
    },
  },
  {
    name: 'More leads are dated a minute ahead than a list looks at besides, and another one moves',
    seeds: 4, // as above
    simulation: { dynamodb: { staleChance: 1 } },
    functions: {
      clockSkewMs: 60_000,
      skewMsOf: (endpoint) => (endpoint === 'create-lead' ? 60_000 : 0),
    },
    means: /is in the future/,
    async run(given) {
      const [leadId = 0] = await captured(given, 1);
      for (let at = 0; at < 41; at += 1) await given.create(person(10 + at));
      await given.sleep(15_000);
      await given.update(leadId, { stageId: 12 });
      given.steering.stateOf = lateIn('STAGE#1#12');
      const listed = await given.list({ pipeline_id: 1, limit: 100 });
      given.expect(listed.includes(leadId), `the list of its pipeline has lead ${leadId}.`);
    },
  },
  {
    name: 'An index shows late what changed, while all that changed is read over several pages',
    seeds: 2,
    simulation: { dynamodb: { staleChance: 1, pageShare: 0.0006 } },
    latencyMaxMs: 400,
    async run(given) {
      const ids = await captured(given, 12);
      await given.sleep(15_000);
      const late = ids.at(-2) ?? 0;
      const query = { pipeline_id: 1, updated_since: since(given), limit: 1 };
      const change = (id: number) => given.update(id, { fields: { city: 'Pune' } });
      await change(late);
      await Promise.all(ids.filter((id) => id !== late).map(change));
      const key = String(late).padStart(10, '0');
      given.steering.stateOf = (request, states, item) =>
        lateIn('UPDATED#1')(request, item.endsWith(key) ? states : 1);
      const listed = await given.walk(query, () => given.sleep(12_000));
      given.same('a walk', listed.toReversed(), ids);
    },
  },
  {
    name: 'Indexes show a lead ten seconds after its commit, which was half a second after its date',
    seeds: 6, // the index by stage is asked for both stages at once
    simulation: { dynamodb: { staleChance: 1 } },
    functions: {
      clockSkewMs: 500,
      skewMsOf: (endpoint) => (endpoint === 'update-lead' ? -450 : 0),
    },
    async run(given) {
      const [leadId = 0] = await captured(given, 1);
      await given.sleep(30_000);
      const query = { pipeline_id: 1, updated_since: since(given), limit: 1 };
      await given.sleep(1000);
      await given.update(leadId, { stageId: 12 });
      await given.sleep(9600);
      for (const number of [10, 11]) await given.create(person(number));
      const late = String(leadId).padStart(10, '0');
      given.steering.stateOf = (request, states, item) =>
        lateIn('UPDATED#1')(request, item.endsWith(late) ? states : 1);
      const listed = await given.walk(query, async () => {
        given.steering.stateOf = lateIn('STAGE#1#12');
        const pipeline = await given.list({ pipeline_id: 1 });
        given.expect(pipeline.includes(leadId), `the list of its pipeline has lead ${leadId}.`);
        await given.sleep(12_000);
      });
      given.expect(listed.includes(leadId), `the walk has lead ${leadId}.`);
    },
  },
  {
    name: 'DynamoDB leaves keys of batches unread',
    simulation: { dynamodb: { unprocessedChance: 0.5 } },
    async run(given) {
      await Promise.all(
        Array.from({ length: 14 }, (_, at) => {
          const { name, phone } = person(at);
          return given.create({ name, phone });
        }),
      );
      await given.sleep(15_000);
      given.steering.leavesKeys = true;
      await given.list({ pipeline_id: 1 });
      given.steering.leavesKeys = false;
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
      for (const key of keys) await given.update(leadId, { fields: { [key]: '"'.repeat(49_000) } });
      await given.ask('list-leads', { query: { limit: 100 } });
      const { answer } = given.service.history.requests.at(-1) ?? {};
      const bytes = Buffer.byteLength(JSON.stringify(answer?.body ?? ''));
      given.expect(bytes <= 6_291_456, `an answer is at most 6 MB, not ${bytes} bytes.`);
      given.expect(bytes > 3_000_000, `it is as full as it may be, not ${bytes} bytes.`);
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
