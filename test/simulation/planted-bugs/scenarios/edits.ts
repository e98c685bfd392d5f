import { firstVariant, settingsFile } from '../../organizations.ts';
import { type Given, person, personFields, type Scenario } from '../scenario.ts';
import { applyFile } from './apply-file.ts';

interface SettingsFile {
  readonly users: readonly { readonly id: number }[];
  readonly modules: readonly string[];
  readonly pipelines: readonly { readonly stages: readonly { readonly id: number }[] }[];
  readonly sources: readonly { readonly id: number }[];
}
const file = (): SettingsFile => settingsFile(1, firstVariant) as SettingsFile;

/** The sample's settings with one stage that is not active. */
function withInactiveStage(stageId: number): object {
  const { pipelines, ...others } = file();
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

async function expectStatus(
  given: Given,
  what: string,
  asked: Promise<{ status: number }>,
  status: number,
) {
  const answer = await asked;
  given.expect(answer.status === status, `${what} is answered ${status}, not ${answer.status}.`);
}

/** Changes of leads by the settings: what may stay, what may not be chosen, what may not be emptied. */
export const scenariosOfEdits: readonly Scenario[] = [
  {
    name: 'A lead stays in a stage, and with an owner, that became inactive, and no other goes there',
    async run(given) {
      const { leadId } = await given.capture(person(1));
      const { leadId: other } = await given.capture(person(2));
      await given.update(leadId, { stageId: 12, fields: { assigned_to: 8 } });
      await applyFile(given, withInactiveStage(12));
      await given.administrate('settings apply', (administrator) =>
        administrator.applySettings(1, { ...firstVariant, hasSecondUser: false, epoch: 1 }),
      );
      await given.update(leadId, { fields: { assigned_to: 8, city: 'Pune' } });
      await applyFile(given, withInactiveStage(12));
      const stays = given.update(leadId, { stageId: 12, fields: { city: 'Goa' } });
      await expectStatus(given, 'a lead that stays', stays, 200);
      await given.ask('get-lead', { leadId });
      const moves = given.update(other, { stageId: 12 });
      await expectStatus(given, 'a lead that moves there', moves, 422);
      const made = given.ask('create-lead', { body: { ...personFields(3), stageId: 12 } });
      await expectStatus(given, 'a lead that is made there', made, 422);
    },
  },
  {
    name: 'Places that do not fit and fields that are never empty are refused, and what is equal changes nothing',
    async run(given) {
      const { leadId } = await given.ask('create-lead', { body: personFields(1) });
      const place = { stageId: 21, pipelineId: 1 };
      await expectStatus(given, 'a stage of another pipeline', given.update(leadId, place), 422);
      const made = given.ask('create-lead', { body: { ...personFields(2), ...place } });
      await expectStatus(given, 'a lead in a stage of another pipeline', made, 422);
      const emptied = given.update(leadId, { fields: { lead_type: null } });
      await expectStatus(given, 'a lead type that is emptied', emptied, 422);
      for (const body of [{ fields: {} }, { fields: { phone: person(1).phone } }, { stageId: 11 }])
        await expectStatus(given, 'what is equal', given.update(leadId, body), 200);
      const entries = given.service.history.writes.filter(
        ({ pk }) => pk === `TIMELINE#1#${leadId}`,
      );
      given.expect(
        entries.length === 1,
        `only its creation is on the timeline, not ${entries.length} entries.`,
      );
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
      const both = await Promise.all([given.update(leadId, body), given.update(leadId, body)]);
      given.expect(
        both.every(({ status }) => status === 200),
        `both are taken, not ${both.map(({ status }) => status).join(', ')}.`,
      );
    },
  },
  {
    name: 'A transaction fails three times with an error of the server',
    async run(given) {
      const { leadId } = await given.capture(person(9));
      for (const fault of ['internal error after', 'internal error before'] as const) {
        const number = fault.length;
        for (const ask of [
          () => given.ask('create-lead', { body: personFields(number) }),
          () => given.capture(person(100 + number), fault),
          () => given.update(leadId, { fields: { city: fault } }),
        ]) {
          given.steering.next('TransactWriteItems', fault, fault, fault);
          const { status } = await ask();
          given.expect(status < 300, `${fault}: it is taken in the end, not ${status}.`);
        }
      }
    },
  },
  {
    name: 'An account, or a partition, is throttled three times, and then it is not',
    async run(given) {
      for (const [at, fault] of (['account throttled', 'throttled outside'] as const).entries()) {
        const statuses: number[] = [];
        for (let number = 10 * at; number < 10 * at + 6; number += 1) {
          given.steering.next('TransactWriteItems', fault, fault, fault);
          statuses.push((await given.capture(person(number))).status);
        }
        // The SDK waits for up to three seconds between the three, of which a request waits for two.
        given.expect(statuses.includes(201), `some are taken in the end, not ${statuses.join()}.`);
      }
    },
  },
  {
    name: 'A transaction is throttled for longer than a request waits',
    seeds: 8,
    async run(given) {
      await given.capture(person(9));
      for (const fault of ['throttled', 'throttled inside'] as const) {
        given.steering.faultOf = ({ operation }) =>
          operation === 'TransactWriteItems' ? fault : 'none';
        const { status } = await given.capture(person(1));
        given.expect(status === 500, `it is an outage, not ${status}.`);
      }
      given.steering.faultOf = undefined;
    },
  },
  {
    name: 'An organization loses the module that its endpoints are part of',
    means: /was refused although its key has the scope/,
    async run(given) {
      await given.capture(person(1));
      await applyFile(given, { ...file(), modules: [] });
      await expectStatus(given, 'a list', given.ask('list-leads'), 403);
      await expectStatus(given, 'a capture', given.capture(person(2)), 403);
    },
  },
  {
    name: 'A source is removed while an enquiry that names it is under way',
    async run(given) {
      const { sources, ...others } = file();
      await given.ask('list-users', { as: 'reader' });
      await given.capture(person(1));
      const all = [...sources, { id: 6, name: 'Fair' }];
      await applyFile(given, { ...others, sources: all });
      await given.capture(person(2));
      given.steering.next('TransactWriteItems', 'none', 'none');
      let held = 0;
      given.steering.faultOf = ({ operation, caller }) => {
        if (operation !== 'TransactWriteItems' || caller.startsWith('administrator')) return 'none';
        held += 1;
        return held <= 2 ? 'silence' : 'none';
      };
      const enquiry = given.capture({ ...person(3), source: 'Fair' });
      await given.sleep(30);
      await applyFile(given, { ...others, sources });
      await enquiry;
      given.steering.faultOf = undefined;
      const kept = given.service.history.writesOf.get('ORG#1 SETTINGS')?.at(-1)?.after?.settings;
      const isNamed = given.stored().includes('"source":{"N":"6"}');
      const isThere = JSON.stringify(kept).includes('"Fair"');
      given.expect(!isNamed || isThere, 'a source that a lead has is not removed.');
    },
  },
  {
    name: 'A user is removed while a key is made in the name of the user',
    async run(given) {
      const { users, ...others } = file();
      const apply = (all: readonly object[]) => applyFile(given, { ...others, users: all });
      // A removal waits eleven seconds for requests under way: a key is made at each moment around its end.
      const stay: { readonly id: number }[] = [...users];
      for (let at = 0; at < 24; at += 1) {
        const createdBy = 70 + at;
        const leaves = { id: createdBy, name: `User ${createdBy}` };
        await apply([...stay, leaves]);
        const order = { type: 'application', scopes: ['leads.read'], createdBy };
        const making = given
          .sleep(at < 4 ? 4 * at : 11_000 + 2 * at)
          .then(() => given.service.newKey(1, order));
        await Promise.all([apply([...stay]), making]);
        const text = JSON.stringify(
          given.service.history.writesOf.get('ORG#1 SETTINGS')?.at(-1)?.after?.settings,
        );
        const isUsed = given.stored().includes(`"createdBy":{"N":"${createdBy}"}`);
        if (text.includes(`"id":${createdBy}`)) stay.push(leaves);
        given.expect(
          !isUsed || text.includes(`"id":${createdBy}`),
          `who made a key is not removed, as user ${createdBy}.`,
        );
      }
    },
  },
  {
    name: 'A key is revoked by two at once, and keys of each type have their scopes and their lifetimes',
    async run(given) {
      const { service } = given;
      const key = await service.newKey(1, {
        type: 'application',
        scopes: ['leads.write'],
        createdBy: 7,
      });
      if (!key) throw new Error('A key was not made.');
      given.expect(
        key.scopes.join() === 'leads.read,leads.write',
        `it may write and read, not ${key.scopes.join()}.`,
      );
      const form = await service.newKey(1, { type: 'website-form', createdBy: 7 });
      const days = ((form?.expiresAt ?? 0) - service.now) / 86_400_000;
      given.expect(Math.abs(days - 730) < 0.01, `a form's key lasts 730 days, not ${days}.`);
      const revoke = (ms: number) =>
        given
          .sleep(ms)
          .then(() =>
            given.administrate('key revoke', (administrator) =>
              administrator.revokeKey(1, key.keyId),
            ),
          );
      await given.ask('list-users', { as: key });
      const revoked = await Promise.all([0, 1, 2, 3, 4, 5, 6].map(revoke));
      const times = new Set(revoked.map(({ result }) => result));
      given.expect(times.size === 1, `all are told one time, not ${[...times].join(', ')}.`);
      for (const at of [1, 2, 3]) {
        await given.ask('list-users', { as: key });
        const { calls } = service.history.requests.at(-1) ?? { calls: 0 };
        given.expect(
          at === 1 || calls === 0,
          `a refused key costs nothing the ${at}. time, not ${calls} calls.`,
        );
      }
      const short = await service.newKey(1, {
        type: 'application',
        scopes: ['leads.read'],
        createdBy: 7,
        expiresAt: new Date(service.now + 5000).toISOString(),
      });
      if (!short) throw new Error('A key was not made.');
      await given.ask('list-users', { as: short });
      await given.sleep(6000);
      await given.ask('list-users', { as: short });
      const { calls } = service.history.requests.at(-1) ?? { calls: 0 };
      given.expect(calls === 0, `a key that expired costs nothing, not ${calls} calls.`);
    },
  },
];
