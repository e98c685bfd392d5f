import { person, personFields, type Scenario } from '../scenario.ts';

const isReplay = ({ headers }: { readonly headers: Readonly<Record<string, string>> }): boolean =>
  headers['idempotent-replayed'] === 'true';

/** Captures once more: how their repeats are answered, and what stays of an enquiry. */
export const scenariosOfEnquiries: readonly Scenario[] = [
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
      ];
      const { leadId } = await given.capture({ ...bodies[0], externalId: 'e0' }, 'k0');
      await given.capture({ ...bodies[1], externalId: 'k1' }, 'k1');
      await given.capture({ ...bodies[2], externalId: 'e2' });
      await given.administrate(
        'archive',
        (administrator) => administrator.setArchived(1, leadId, true),
        { leadId },
      );
      const archived = { ...person(1), fields: { budget: 7 } };
      await given.capture({ ...archived, externalId: 'e3' }, 'k3');
      for (const [at, body] of [...bodies, archived].entries()) {
        const both = await given.capture({ ...body, externalId: `e${at}` }, `k${at}`);
        given.expect(isReplay(both), `capture ${at} is replayed under both keys.`);
        const again = await given.capture({ ...body, externalId: `e${at}` }, `k${at}`);
        given.expect(isReplay(again), `capture ${at} is replayed once more.`);
        const byHeader = await given.capture(body, `k${at}`);
        given.expect(isReplay(byHeader), `capture ${at} is replayed under its header.`);
      }
      const reused = await given.capture({ ...person(2), externalId: 'e0' });
      given.expect(reused.status === 422, `a used externalId is refused, not ${reused.status}.`);
      const second = await given.capture({ ...person(2), externalId: 'e0' }, 'new');
      given.expect(second.status === 422, `also beside a new key, not ${second.status}.`);
    },
  },
  {
    name: 'A replay is to be remembered under a second key, and its transaction meets conflicts',
    async run(given) {
      await given.capture(person(1), 'k');
      given.steering.next('TransactWriteItems', 'conflict', 'conflict');
      const answer = await given.capture({ ...person(1), externalId: 'e' }, 'k');
      given.expect(isReplay(answer), 'it is a replay.');
      given.steering.faultOf = undefined;
      const other = await given.capture({ ...person(1), externalId: 'e' });
      given.expect(isReplay(other), 'the second key is known.');
    },
  },
  {
    name: 'Enquiries name a pipeline, a source and no source, under keys with names of their own',
    async run(given) {
      for (const [at, more] of [
        { pipelineId: 2 },
        { source: 'Facebook Ads' },
        { source: 'Nowhere' },
        {},
      ].entries()) {
        const { status } = await given.capture({ ...person(at), ...more });
        given.expect(status === 201, `a lead is captured, not ${status}.`);
        const again = await given.capture({ ...person(at), fields: { city: 'Pune' }, ...more });
        given.expect(again.status === 200, `a known person is captured, not ${again.status}.`);
        await given.capture({ ...person(at), fields: { city: 'Goa' }, ...more });
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
      await given.ask('create-lead', { body: personFields(30) });
    },
  },
];
