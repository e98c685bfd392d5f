import { person, type Scenario } from '../scenario.ts';

export const scenariosOfCaptures: readonly Scenario[] = [
  {
    name: 'Clients race to capture one person in two organizations',
    seeds: 3,
    simulation: { dynamodb: { staleChance: 0.5 } },
    async run(given) {
      const { name, phone, email } = person(1);
      const bodies = [
        { name, phone, email },
        { name, phone: `0${phone.slice(3)}`, email: email.toUpperCase(), fields: { city: 'Pune' } },
        { name: 'Asha', phone, notes: 'Call me.' },
        { name, phone: person(2).phone, email: email.toUpperCase(), fields: { course: 'mba' } },
      ];
      await given.taken(
        ...bodies.map((body) => given.capture(body)),
        ...[1, 2].map(() => given.capture(person(1, 12), 'one', { in: 12 })),
      );
    },
  },
  {
    name: 'A key is used again: with the same body, another order of it, other notes or attribution, and a second key',
    async run(given) {
      const { name, phone, email } = person(1);
      const fields = { city: 'Pune', budget: 5 };
      const body = { name, phone, email, notes: 'One.', fields };
      await given.capture(body, 'k');
      const inOtherOrder = { fields: { budget: 5, city: 'Pune' }, notes: 'One.', email };
      await given.capture({ ...inOtherOrder, phone, name }, 'k');
      const attribution = { utmSource: 'fair' };
      for (const other of [{ notes: 'Two.' }, { attribution }])
        await given.capture({ ...body, ...other }, 'k');
      await given.capture({ ...body, externalId: 'e' }, 'k');
      const { isReplay } = await given.capture({ ...body, externalId: 'e' });
      given.same('a body under the key that it added is a replay', isReplay, true);
      await given.capture({ ...person(2), externalId: 'f' }, 'l');
      await given.capture({ ...person(2), externalId: 'f' });
      const { fields: _, ...less } = body;
      await given.capture(less, 'k', { as: 'writer' });
    },
  },
  {
    name: 'Two bodies of two people race under one key',
    seeds: 3,
    async run(given) {
      await Promise.all([1, 2].map((one) => given.capture(person(one), 'k')));
    },
  },
  {
    name: 'An enquiry meets a lead with other values, then an email that another lead has, then an archived lead',
    async run(given) {
      const { name, phone } = person(1);
      const { leadId } = await given.capture({ name, phone });
      await given.capture(person(2));
      await given.capture({ ...person(1), fields: { city: 'Pune' } });
      await given.capture({
        ...person(1),
        fields: { city: 'Goa', course: 'mba', interests: ['hostel', 'loan'] },
        notes: 'Other city.',
      });
      await given.capture({ ...person(1), fields: { interests: ['loan', 'hostel'] } });
      await given.capture({ name, phone: person(3).phone });
      const withTakenEmail = { name, phone: person(3).phone, email: person(2).email };
      given.same('a taken email', (await given.capture(withTakenEmail)).status, 200);
      await given.administrate('archive', { leadId });
      await given.capture({ ...person(1), fields: { budget: 5 } });
    },
  },
  {
    name: 'An enquiry that is known by its email arrives while the lead changes its email',
    seeds: 6,
    async run(given) {
      const { email } = person(1);
      const { leadId } = await given.capture(person(1));
      const { phone } = person(8);
      const ask = (ms: number) =>
        given.sleep(ms).then(() => given.capture({ name: 'Ravi', phone, email, notes: `${ms}` }));
      await given.capture(person(9));
      await Promise.all([
        ...[0, 2, 4, 6].map(ask),
        given.update(leadId, { fields: { email: person(5).email } }),
      ]);
    },
  },
  {
    name: 'Captures of every outcome are repeated, under one key, the other and both',
    async run(given) {
      const { name, phone } = person(1);
      const bodies = [
        { name, phone },
        { ...person(1), fields: { city: 'Pune' } },
        { ...person(1), fields: { city: 'Goa' } },
        { ...person(1), fields: { budget: 7 } },
      ];
      const { leadId } = await given.capture({ ...bodies[0], externalId: 'e0' }, 'k0');
      await given.capture({ ...bodies[1], externalId: 'k1' }, 'k1');
      await given.capture({ ...bodies[2], externalId: 'e2' });
      await given.administrate('archive', { leadId });
      await given.capture({ ...bodies[3], externalId: 'e3' }, 'k3');
      for (const [at, body] of bodies.entries()) {
        const both = { ...body, externalId: `e${at}` };
        for (const again of [both, both, body]) {
          const { isReplay } = await given.capture(again, `k${at}`);
          given.same(`a replay of capture ${at}`, isReplay, true);
        }
      }
      const reused = { ...person(2), externalId: 'e0' };
      await given.capture(reused);
      await given.capture(reused, 'new');
    },
  },
  {
    name: 'Enquiries name a pipeline, a source and no source, under keys with names of their own',
    async run(given) {
      const places = [{ pipelineId: 2 }, { source: 'Facebook Ads' }, { source: 'Nowhere' }, {}];
      for (const [at, more] of places.entries()) {
        await given.capture({ ...person(at), ...more });
        for (const city of ['Pune', 'Goa'])
          await given.capture({ ...person(at), fields: { city }, ...more });
      }
    },
  },
  {
    name: 'Leads of one rule and of another take turns, and maps come back in another order',
    simulation: { dynamodb: { reorderChance: 0.7 } },
    functions: { coldStartChance: 0.6 },
    async run(given) {
      for (const at of [1, 2, 3, 4, 5, 6]) {
        await given.capture({ ...person(at), fields: { course: 'mba' } });
        await given.capture({ ...person(10 + at), fields: { course: 'design' } });
      }
      await given.create(person(30));
    },
  },
];
