import { type Given, person, type Scenario } from '../scenario.ts';

/** Nothing that is stored of organization 1 tells of the person or the lead. */
function expectForgotten(given: Given, leadId: number, number: number): void {
  const lines = given
    .stored()
    .split('\n')
    .filter((line) => !/#12#|LEADS#12|"organizationId":\{"N":"12"\}/.test(line));
  for (const text of [person(number).phone, person(number).email])
    given.same(
      `what tells of ${text}`,
      lines.filter((line) => line.includes(text)),
      [],
    );
  const isRow = (line: string): boolean =>
    line.includes('"pk":{"S":"IMPORTED#1') && line.includes(`"leadId":{"N":"${leadId}"}`);
  given.same(`the rows of lead ${leadId}`, lines.filter(isRow), []);
}

const leadLines = (given: Given): readonly string[] =>
  given
    .stored()
    .split('\n')
    .filter((line) => line.includes('"pk":{"S":"LEADS#1"}'));

export const scenariosOfErasures: readonly Scenario[] = [
  {
    name: 'A person is erased and asks again',
    seeds: 3,
    simulation: { dynamodb: { staleChance: 0.6 } },
    async run(given) {
      const { leadId } = await given.capture(person(1), 'k');
      await given.capture(person(1, 12), 'k', { in: 12 });
      const { leadId: other } = await given.capture(person(2));
      const withEmail = { ...person(2), email: person(1).email, notes: person(1).phone };
      await given.capture(withEmail, 'm');
      await given.update(leadId, { fields: { city: 'Pune' } });
      await given.note(leadId);
      const key = await given.newKey({ type: 'website-form' });
      await given.capture({ ...person(1), externalId: 'e' }, 'n', { as: key });
      given.same('the erasure', (await given.erase(leadId)).outcome, 'done');
      expectForgotten(given, leadId, 1);
      await given.answered(404, given.note(leadId), 'a note of an erased lead');
      await given.answered(200, given.get(other), 'the other lead');
      const again = await given.answered(201, given.capture(person(1), 'k'), 'who asks again');
      given.expect(again.leadId !== leadId, 'the person makes another lead.');
      const elsewhere = await given.capture(person(1, 12), 'k', { in: 12 });
      given.same('what another organization remembers', elsewhere.isReplay, true);
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
      await Promise.all([
        erasing,
        ...others,
        given.update(leadId, { fields: { email: person(1).email } }),
        given.note(leadId, 'At once.'),
        given.erase(leadId),
        given.update(leadId, { fields: { email: null } }),
      ]);
    },
  },
  {
    name: 'A file is imported twice, after a capture of one of its people, and once more after an erasure',
    async run(given) {
      await given.capture(person(2));
      const rows = [1, 2, 3].map((number) => person(number));
      const expectThree = async (): Promise<void> => {
        const { result } = await given.administrate('import', { rows });
        given.same(`leads after ${JSON.stringify(result)}`, leadLines(given).length, 3);
      };
      await expectThree();
      await expectThree();
      const line = leadLines(given).find((one) => one.includes(person(3).phone)) ?? '';
      const leadId = Number(/"sk":\{"S":"(\d{10})"\}/.exec(line)?.[1]);
      await given.erase(leadId);
      expectForgotten(given, leadId, 3);
      await expectThree();
    },
  },
];
