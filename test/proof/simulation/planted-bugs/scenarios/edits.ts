import { firstFile, type Given, person, type Scenario } from '../scenario.ts';

/** The first settings with one stage that is not active. */
function withInactiveStage(stageId: number): object {
  const { pipelines, ...others } = firstFile();
  return {
    ...others,
    pipelines: pipelines.map((pipeline) => ({
      ...pipeline,
      stages: pipeline.stages.map((stage) =>
        stage.id === stageId ? { ...stage, active: false } : stage,
      ),
    })),
  };
}

/** Calls that the last request made. */
const callsOf = ({ service }: Given): number => service.history.requests.at(-1)?.calls ?? 0;

/** Changes of leads by the settings: what may stay, what may not be chosen, what may not be emptied. */
export const scenariosOfEdits: readonly Scenario[] = [
  {
    name: 'A lead stays in a stage, and with an owner, that became inactive, and no other goes there',
    async run(given) {
      const { leadId } = await given.capture(person(1));
      const { leadId: other } = await given.capture(person(2));
      await given.update(leadId, { stageId: 12, fields: { assigned_to: 8 } });
      await given.applyFile(withInactiveStage(12));
      await given.sleep(30_000);
      await given.list({ pipeline_id: 1 });
      await given.apply({ hasSecondUser: false, epoch: 1 });
      for (const at of [4, 5, 6]) await given.capture({ ...person(at), fields: { course: 'mba' } });
      await given.update(leadId, { fields: { assigned_to: 8, city: 'Pune' } });
      await given.applyFile(withInactiveStage(12));
      await given.update(leadId, { stageId: 12, fields: { city: 'Goa' } });
      await given.get(leadId);
      await given.update(other, { stageId: 12 });
      await given.create(person(3), { stageId: 12 });
    },
  },
  {
    name: 'Places that do not fit and fields that are never empty are refused, and what is equal changes nothing',
    async run(given) {
      const { leadId } = await given.create(person(1));
      const place = { stageId: 21, pipelineId: 1 };
      await given.update(leadId, place);
      await given.create(person(2), place);
      await given.update(leadId, { fields: { lead_type: null } });
      for (const body of [{ fields: {} }, { fields: { phone: person(1).phone } }, { stageId: 11 }])
        await given.update(leadId, body);
    },
  },
  {
    name: 'One change is sent twice at once',
    seeds: 6,
    async run(given) {
      const { leadId } = await given.capture(person(1));
      await given.capture(person(2));
      await given.note(leadId);
      await given.update(leadId, { fields: { city: 'Pune' } });
      const body = { fields: { phone: person(5).phone, email: person(5).email } };
      await Promise.all([given.update(leadId, body), given.update(leadId, body)]);
    },
  },
  {
    name: 'An organization loses the users who own new leads, and the module that its endpoints are part of',
    means: /found the organization not ready|was refused although its key has the scope/,
    async run(given) {
      await given.capture(person(1));
      const { users, ...others } = firstFile();
      const nobody = users.map((user) => ({ ...user, active: false }));
      await given.applyFile({ ...others, users: nobody });
      await given.capture(person(2));
      const known = await given.capture({ ...person(1), notes: 'Once more.' });
      given.same('a known person', known.status, 200);
      await given.applyFile({ ...firstFile(), modules: [] });
      given.same('a list without the module', (await given.ask('list-leads')).status, 403);
    },
  },
  {
    name: 'A key is revoked by two at once, and keys of each type have their scopes and their lifetimes',
    async run(given) {
      const { service } = given;
      const key = await given.newKey({ scopes: ['leads.write'] });
      given.same('the scopes of a key that writes', key.scopes, ['leads.read', 'leads.write']);
      const form = await given.newKey({ type: 'website-form' });
      const days = Math.round((form.expiresAt - service.now) / 86_400_000);
      given.same("the days of a form's key", days, 730);
      const revoke = (ms: number) =>
        given.sleep(ms).then(() => given.administrate('key revoke', { keyId: key.keyId }));
      await given.ask('list-users', { as: key });
      const revoked = await Promise.all([0, 1, 2, 3, 4, 5, 6].map(revoke));
      given.same('times of a revocation', new Set(revoked.map(({ result }) => result)).size, 1);
      for (const at of [1, 2, 3]) {
        await given.ask('list-users', { as: key });
        if (at > 1) given.same('calls for a revoked key', callsOf(given), 0);
      }
      const short = await given.newKey({
        scopes: ['leads.read'],
        expiresAt: new Date(service.now + 5000).toISOString(),
      });
      await given.ask('list-users', { as: short });
      await given.sleep(6000);
      await given.ask('list-users', { as: short });
      given.same('calls for a key that expired', callsOf(given), 0);
    },
  },
];
