import { person, type Scenario } from '../scenario.ts';

export const scenariosOfErasures: readonly Scenario[] = [
  {
    name: 'A person is erased and asks again',
    seeds: 3,
    simulation: { dynamodb: { staleChance: 0.6 } },
    async run(given) {
      const { leadId } = await given.capture(person(1), 'k');
      await given.capture(person(5, 12), 'k', { in: 12 });
      const { leadId: other } = await given.capture(person(2));
      const withEmail = { ...person(2), email: person(1).email, notes: person(1).phone };
      await given.capture(withEmail, 'm');
      await given.update(leadId, { fields: { city: 'Pune' } });
      await given.note(leadId);
      const key = await given.newKey({ type: 'website-form' });
      await given.capture({ ...person(1), externalId: 'e' }, 'n', { as: key });
      await given.erase(leadId);
      given.expectGone(person(1).phone, person(1).email);
      await given.note(leadId);
      await given.get(other);
      await given.capture(person(1), 'k');
      await given.capture(person(5, 12), 'k', { in: 12 });
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
        await given.administrate('import', { rows });
        given.same('leads after the import', (await given.list({})).length, 3);
      };
      await expectThree();
      await expectThree();
      const [newest = 0] = await given.list({});
      await given.erase(newest);
      await expectThree();
    },
  },
];
