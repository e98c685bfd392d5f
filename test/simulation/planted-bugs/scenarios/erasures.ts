import { type Given, person, personFields, type Scenario } from '../scenario.ts';

/** Nothing that is stored of organization 1 tells of the person or the lead. */
function expectForgotten(given: Given, leadId: number, number: number): void {
  const lines = given
    .stored()
    .split('\n')
    .filter((line) => !/#12#|LEADS#12|"organizationId":\{"N":"12"\}/.test(line));
  for (const text of [person(number).phone, person(number).email]) {
    const left = lines.filter((line) => line.includes(text));
    given.expect(
      left.length === 0,
      `nothing tells of ${text}, not ${left.join(' ').slice(0, 300)}.`,
    );
  }
  const rows = lines.filter(
    (line) => line.includes('"pk":{"S":"IMPORTED#1') && line.includes(`"leadId":{"N":"${leadId}"}`),
  );
  given.expect(rows.length === 0, `no row of lead ${leadId} is left.`);
}

const leads = (given: Given): number =>
  [...given.service.simulation.dynamodb.table('leads').all()].filter(
    ({ key }) => key.partition === 'LEADS#1',
  ).length;

export const scenariosOfErasures: readonly Scenario[] = [
  {
    name: 'A person is erased and asks again',
    seeds: 3,
    simulation: { dynamodb: { staleChance: 0.6 } },
    async run(given) {
      const { leadId } = await given.capture(person(1), 'k');
      await given.capture(person(1, 12), 'k', { in: 12 });
      const { leadId: other } = await given.capture(person(2));
      const { phone } = person(2);
      await given.capture(
        { name: person(2).name, phone, email: person(1).email, notes: person(1).phone },
        'm',
      );
      await given.update(leadId, { fields: { city: 'Pune' } });
      await given.note(leadId);
      const key = await given.service.newKey(1, { type: 'website-form', createdBy: 7 });
      if (!key) throw new Error('A key was not made.');
      await given.capture({ ...person(1), externalId: 'e' }, 'n', { as: key });
      const { outcome, result } = await given.erase(leadId);
      given.expect(outcome === 'done', `the lead is erased: ${String(result)}.`);
      expectForgotten(given, leadId, 1);
      given.expect((await given.note(leadId)).status === 404, 'an erased lead gets no note.');
      given.expect(
        (await given.ask('get-lead', { leadId: other })).status === 200,
        'the other lead is there.',
      );
      const again = await given.capture(person(1), 'k');
      given.expect(
        again.status === 201 && again.leadId !== leadId,
        `the person makes another lead, not ${again.status}.`,
      );
      const elsewhere = await given.capture(person(1, 12), 'k', { in: 12 });
      given.expect(
        elsewhere.headers['idempotent-replayed'] === 'true',
        'what another organization remembers stays.',
      );
    },
  },
  {
    name: 'A lead is erased while others write it',
    seeds: 8,
    async run(given) {
      const { name, phone } = person(1);
      const { leadId } = await given.capture({ name, phone }, 'k');
      await given.capture(person(3));
      await given.update(leadId, { fields: { city: 'Pune' } });
      await given.note(leadId);
      const erasing = given.erase(leadId);
      const others = [6, 9, 12, 15, 18, 21, 24].map((ms) =>
        given.sleep(ms).then(() => given.capture({ name, phone, externalId: `e${ms}` }, 'k')),
      );
      const more = [
        given.update(leadId, { fields: { email: person(1).email } }),
        given.note(leadId, 'At once.'),
        given.erase(leadId),
        given.update(leadId, { fields: { email: null } }),
      ];
      await Promise.all([erasing, ...others, ...more]);
    },
  },
  {
    name: 'DynamoDB leaves some of the deletes undone',
    seeds: 2,
    simulation: { dynamodb: { unprocessedChance: 0.6 } },
    async run(given) {
      const { leadId } = await given.ask('create-lead', { body: personFields(1) });
      for (const text of ['One.', 'Two.', 'Three.', 'Four.']) await given.note(leadId, text);
      await given.erase(leadId);
      given.expect(!given.stored().includes(`TIMELINE#1#${leadId}"`), 'no timeline is left.');
    },
  },
  {
    name: 'A file is imported twice, after a capture of one of its people, and once more after an erasure',
    async run(given) {
      await given.capture(person(2));
      const rows = [1, 2, 3].map((number) => person(number));
      await given.importRows(rows);
      given.expect(leads(given) === 3, `there are three leads, not ${leads(given)}.`);
      await given.importRows(rows);
      given.expect(leads(given) === 3, `there are still three leads, not ${leads(given)}.`);
      const leadId = Number(
        /"sk":\{"S":"(\d{10})"\}(?=.*\+9198\d*3")/.exec(leadLine(given, 3))?.[1],
      );
      await given.erase(leadId);
      expectForgotten(given, leadId, 3);
      const { result } = await given.importRows(rows);
      given.expect(
        leads(given) === 3,
        `the erased person is imported again: ${JSON.stringify(result)}.`,
      );
    },
  },
];

const leadLine = (given: Given, number: number): string =>
  given
    .stored()
    .split('\n')
    .find((line) => line.includes('"pk":{"S":"LEADS#1"}') && line.includes(person(number).phone)) ??
  '';
