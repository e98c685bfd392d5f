import { person, type Scenario } from '../scenario.ts';

export const scenariosOfWrites: readonly Scenario[] = [
  {
    name: 'Leads are created, also for a person who is known and an owner who is named',
    async run(given) {
      const { leadId } = await given.create(person(1));
      const { phone, email } = person(1);
      for (const known of [{ phone }, { email: email.toUpperCase() }, { email: `\u200b${email}` }])
        await given.create({ ...person(2), ...known });
      await given.create({ ...person(4), assigned_to: 7, course: 'mba' });
      for (const number of [5, 6, 7]) await given.create(person(number), { pipelineId: 2 });
      await given.create({ ...person(1, 12), course: 'mba' }, {}, { in: 12 });
      await given.create(person(2, 12), {}, { in: 12 });
      await given.get(leadId);
    },
  },
  {
    name: 'A lead changes its phone, its email and its stage, and others take what it released',
    async run(given) {
      const { leadId } = await given.create(person(1));
      for (const body of [
        { fields: { phone: person(2).phone } },
        { fields: { email: person(1).email.toUpperCase() } },
        { fields: { email: person(2).email } },
        { stageId: 12 },
        { stageId: 21, fields: { city: 'Pune' } },
        { fields: { email: null } },
        { fields: { name: null } },
      ])
        await given.update(leadId, body);
      await given.create(person(1));
      await given.update(leadId, { fields: { phone: person(1).phone } });
    },
  },
  {
    name: 'Clients update one lead at once',
    seeds: 3,
    functions: { clockSkewMs: 500, coldStartChance: 0.5, clockStepChance: 0.5 },
    async run(given) {
      const { leadId } = await given.capture(person(1));
      const { leadId: other } = await given.capture(person(2));
      await Promise.all([
        given.update(leadId, { fields: { city: 'Pune' } }),
        given.update(leadId, { fields: { budget: 9 } }),
        given.update(leadId, { stageId: 12 }),
        given.update(leadId, { fields: { email: person(7).email } }),
        given.note(leadId, 'In between.'),
        given.update(other, { fields: { city: 'Goa' } }),
      ]);
      for (const text of ['One.', 'Two.', 'Three.']) await given.note(leadId, text);
    },
  },
  {
    name: 'A lead is archived and restored, twice and by two at once',
    seeds: 2,
    async run(given) {
      const { leadId } = await given.capture(person(1));
      const archive = () => given.administrate('archive', { leadId });
      const restore = () => given.administrate('restore', { leadId });
      await Promise.all([archive(), archive()]);
      await archive();
      await given.get(leadId);
      await given.list({});
      await given.note(leadId);
      await given.update(leadId, { fields: { city: 'Pune' } });
      await restore();
      await given.get(leadId);
      const update = () => given.update(leadId, { fields: { city: 'Goa' } });
      await Promise.all([archive(), update(), restore()]);
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
      for (const what of ['archive', 'restore'] as const) {
        await given.administrate(what, { leadId });
        await given.update(leadId, { fields: { city: `City of ${what}` } });
      }
    },
  },
];
