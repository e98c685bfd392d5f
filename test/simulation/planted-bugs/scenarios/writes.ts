import { person, personFields, type Scenario } from '../scenario.ts';

const isFine = ({ status }: { readonly status: number }): boolean =>
  status === 200 || status === 201;

export const scenariosOfWrites: readonly Scenario[] = [
  {
    name: 'Leads are created, also for a person who is known and an owner who is named',
    async run(given) {
      const created = await given.ask('create-lead', { body: personFields(1) });
      given.expect(created.status === 201, `a lead is created, not ${created.status}.`);
      const { name, phone, email } = person(1);
      for (const fields of [
        { ...person(2), phone },
        { ...person(3), email: email.toUpperCase() },
        { ...person(3), email: `\u200b${email}` },
      ]) {
        const { status } = await given.ask('create-lead', { body: { fields } });
        given.expect(status === 409, `a person who is known is refused, not ${status}.`);
      }
      await given.ask('create-lead', {
        body: { fields: { ...person(4), assigned_to: 7, course: 'mba' } },
      });
      for (const number of [5, 6, 7])
        await given.ask('create-lead', { body: { ...personFields(number), pipelineId: 2 } });
      await given.ask('create-lead', {
        in: 12,
        body: { fields: { ...person(1, 12), course: 'mba' } },
      });
      await given.ask('create-lead', { in: 12, body: personFields(2, 12) });
      given.expect(
        (await given.ask('get-lead', { leadId: created.leadId })).status === 200,
        `${name} can be read.`,
      );
    },
  },
  {
    name: 'A lead changes its phone, its email and its stage, and others take what it released',
    async run(given) {
      const { leadId } = await given.ask('create-lead', { body: personFields(1) });
      const changes = [
        { fields: { phone: person(2).phone } },
        { fields: { email: person(1).email.toUpperCase() } },
        { fields: { email: person(2).email } },
        { stageId: 12 },
        { stageId: 21, fields: { city: 'Pune' } },
        { fields: { email: null } },
      ];
      for (const body of changes) {
        const { status } = await given.update(leadId, body);
        given.expect(status === 200, `${JSON.stringify(body)} is taken, not ${status}.`);
      }
      given.expect(
        (await given.update(leadId, { fields: { name: null } })).status === 422,
        'a name cannot be emptied.',
      );
      const { status } = await given.ask('create-lead', { body: personFields(1) });
      given.expect(status === 201, `what a lead released is free, not ${status}.`);
      const taken = await given.update(leadId, { fields: { phone: person(1).phone } });
      given.expect(taken.status === 409, `a phone that is taken is refused, not ${taken.status}.`);
    },
  },
  {
    name: 'Clients update one lead at once',
    seeds: 3,
    functions: { clockSkewMs: 500, coldStartChance: 0.5, clockStepChance: 0.5 },
    async run(given) {
      const { leadId } = await given.capture(person(1));
      const { leadId: other } = await given.capture(person(2));
      const answers = await Promise.all([
        given.update(leadId, { fields: { city: 'Pune' } }),
        given.update(leadId, { fields: { budget: 9 } }),
        given.update(leadId, { stageId: 12 }),
        given.update(leadId, { fields: { email: person(7).email } }),
        given.note(leadId, 'In between.'),
        given.update(other, { fields: { city: 'Goa' } }),
      ]);
      given.expect(
        answers.every(isFine),
        `all are taken, not ${answers.map(({ status }) => status).join(', ')}.`,
      );
      for (const text of ['One.', 'Two.', 'Three.']) await given.note(leadId, text);
    },
  },
  {
    name: 'Several clients take one phone and one email at once',
    seeds: 3,
    async run(given) {
      const { phone, email } = person(9);
      const { leadId } = await given.ask('create-lead', { body: personFields(1) });
      await Promise.all([
        given.ask('create-lead', { body: { fields: { ...person(2), phone } } }),
        given.ask('create-lead', { body: { fields: { ...person(3), email } } }),
        given.ask('create-lead', {
          body: { fields: { ...person(4), email: email.toUpperCase() } },
        }),
        given.capture({ ...person(5), phone }),
        given.update(leadId, { fields: { email } }),
        given.update(leadId, { fields: { phone } }),
      ]);
    },
  },
  {
    name: 'A transaction is applied and no answer comes, three times, before it is repeated',
    async run(given) {
      const { leadId } = await given.capture(person(9));
      const lost = ['reset after', 'lost after', 'internal error after'] as const;
      const asks = [
        () => given.ask('create-lead', { body: personFields(1) }),
        () => given.capture(person(2), 'k'),
        () => given.update(leadId, { fields: { phone: person(3).phone } }),
        () => given.note(leadId),
      ];
      for (const ask of asks) {
        given.steering.next(
          'TransactWriteItems',
          'reset after',
          'reset after',
          ...lost.slice(0, 1),
        );
        const { status } = await ask();
        given.expect(status < 300, `it is taken, not ${status}.`);
      }
      for (const ask of [
        () => given.ask('create-lead', { body: personFields(11) }),
        () => given.capture(person(12), 'l'),
      ]) {
        given.steering.next('TransactWriteItems', ...lost);
        await ask();
      }
    },
  },
  {
    name: 'A transaction is applied, no answer comes, and its repeat meets a conflict',
    async run(given) {
      const { leadId } = await given.capture(person(9));
      const asks = [
        () => given.ask('create-lead', { body: personFields(1) }),
        () => given.update(leadId, { fields: { phone: person(3).phone } }),
        () => given.note(leadId),
      ];
      for (const ask of asks) {
        given.steering.next('TransactWriteItems', 'reset after', 'conflict');
        const { status } = await ask();
        given.expect(status < 300, `it is taken, not ${status}.`);
      }
    },
  },
  {
    name: 'A connection breaks while a transaction is under way, and it is asked for again meanwhile',
    seeds: 3,
    async run(given) {
      const { leadId } = await given.capture(person(9));
      const asks = [
        () => given.ask('create-lead', { body: personFields(1) }),
        () => given.capture(person(2), 'k'),
        () => given.update(leadId, { fields: { phone: person(3).phone } }),
        () => given.note(leadId),
      ];
      for (const ask of asks) {
        given.steering.next('TransactWriteItems', 'reset during');
        const { status } = await ask();
        given.expect(status < 300, `it is taken, not ${status}.`);
      }
    },
  },
  {
    name: 'Transactions meet conflicts and are throttled',
    async run(given) {
      const { leadId } = await given.capture(person(9));
      for (const fault of ['conflict', 'throttled'] as const) {
        const asks = [
          () => given.ask('create-lead', { body: personFields(fault === 'conflict' ? 1 : 2) }),
          () => given.capture(person(fault === 'conflict' ? 3 : 4)),
          () => given.update(leadId, { fields: { city: fault } }),
          () => given.note(leadId, fault),
        ];
        for (const ask of asks) {
          given.steering.next(
            'TransactWriteItems',
            fault,
            ...(fault === 'throttled' ? [fault, fault] : []),
          );
          await ask();
        }
      }
    },
  },
  {
    name: 'A partition is asked for more than it gives',
    simulation: { dynamodb: { hasThroughputLimits: true } },
    async run(given) {
      const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
      const leads = await Promise.all(numbers.map((number) => given.capture(person(number))));
      const remarks = 'x'.repeat(90_000);
      const answers = await Promise.all(
        leads.map(({ leadId }) => given.update(leadId, { fields: { remarks } })),
      );
      given.expect(
        answers.every(isFine),
        `all are taken in the end, not ${answers.map(({ status }) => status).join(', ')}.`,
      );
      const isThrottled = given.service.recorder.faults > 0;
      given.expect(isThrottled, 'some of them were throttled before.');
    },
  },
  {
    name: 'A lead is archived and restored, twice and by two at once',
    seeds: 2,
    async run(given) {
      const { leadId } = await given.capture(person(1));
      const archive = (archived: boolean) =>
        given.administrate(
          archived ? 'archive' : 'restore',
          (administrator) => administrator.setArchived(1, leadId, archived),
          {
            leadId,
          },
        );
      await Promise.all([archive(true), archive(true)]);
      await archive(true);
      given.expect(
        (await given.ask('get-lead', { leadId })).status === 404,
        'an archived lead is not shown.',
      );
      given.expect((await given.list({})).length === 0, 'an archived lead is not listed.');
      await given.note(leadId);
      await given.update(leadId, { fields: { city: 'Pune' } });
      await archive(false);
      given.expect(
        (await given.ask('get-lead', { leadId })).status === 200,
        'a restored lead is shown.',
      );
      await Promise.all([
        archive(true),
        given.update(leadId, { fields: { city: 'Goa' } }),
        archive(false),
      ]);
    },
  },
  {
    name: 'A clock that is behind writes after one that is ahead',
    seeds: 6,
    functions: { clockSkewMs: 500, coldStartChance: 1 },
    async run(given) {
      const { leadId } = await given.capture(person(1));
      for (const at of [1, 2]) {
        await given.update(leadId, { fields: { city: `City ${at}` } });
        await given.note(leadId, `Note ${at}.`);
        await given.capture({ ...person(1), fields: { remarks: `Remark ${at}.` } });
      }
    },
  },
];
