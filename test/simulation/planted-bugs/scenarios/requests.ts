import type { Fault } from '../../network.ts';
import { firstVariant, settingsFile } from '../../organizations.ts';
import { type Answered, type Given, person, personFields, type Scenario } from '../scenario.ts';
import { applyFile } from './apply-file.ts';

const hourMs = 3_600_000;
const apply = (
  given: Given,
  epoch: number,
  variant: { readonly hasWave?: boolean; readonly hasSecondUser?: boolean } = {},
  id = 1,
) =>
  given.administrate(
    'settings apply',
    (administrator) => administrator.applySettings(id, { ...firstVariant, ...variant, epoch }),
    {
      in: id,
    },
  );
const undo = (given: Given) =>
  given.administrate('settings undo', (administrator) => administrator.undo(1));
const times = <T>(count: number, ask: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => ask(at)));
const count = (answers: readonly Answered[], status: number): number =>
  answers.filter((one) => one.status === status).length;

export const scenariosOfRequests: readonly Scenario[] = [
  {
    name: 'A key and then its organization are exhausted, and an hour later they are not',
    seeds: 2,
    limits: { perKey: 12, perOrganization: 16 },
    async run(given) {
      await given.ask('list-users', { in: 12 });
      const first = await times(8, (at) => given.ask('create-lead', { body: personFields(at) }));
      given.expect(count(first, 201) === 8, 'the first requests are let in.');
      const more = await times(6, () => given.ask('create-lead', { body: personFields(90) }));
      given.expect(count(more, 429) === 2, `twelve are let in, not ${14 - count(more, 429)}.`);
      const others = await times(6, () => given.ask('list-users', { as: 'reader' }));
      // Of the requests that the key refused, some took a token of the organization before that was known.
      given.expect(
        count(others, 200) <= 4,
        `at most four more are let in, not ${count(others, 200)}.`,
      );
      given.expect(
        (await given.ask('list-users', { as: 'reader' })).status === 429,
        'the organization is exhausted.',
      );
      for (const at of [1, 2]) {
        const { status } = await given.ask('list-users', { in: 12, as: 'reader' });
        given.expect(
          status === 200,
          `another organization is not, and is answered ${status} the ${at}. time.`,
        );
      }
      await given.sleep(hourMs + 10);
      const later = await times(6, (at) =>
        given.ask('create-lead', { body: personFields(20 + at) }),
      );
      given.expect(count(later, 201) === 6, 'a new window lets them in.');
      await given.sleep(hourMs + 10);
      const last = await given.ask('list-users', { as: 'reader' });
      given.expect(last.status === 200, `so does the next, not with ${last.status}.`);
    },
  },
  {
    name: 'A key has as many tokens left as its organization, whose window ends earlier',
    limits: { perKey: 5, perOrganization: 6 },
    async run(given) {
      await given.ask('list-users', { as: 'reader' });
      await given.sleep(10_000);
      const { status } = await given.ask('list-users');
      given.expect(status === 200, `the key is let in, not answered ${status}.`);
    },
  },
  {
    name: 'Keys are revoked, expire, and ask for what they may not',
    async run(given) {
      const { service } = given;
      const order = { type: 'application', scopes: ['leads.read'], createdBy: 7 };
      const revoked = await service.newKey(1, order);
      const expiresAt = new Date(service.now + 60_000).toISOString();
      const short = await service.newKey(1, { ...order, expiresAt });
      if (!revoked || !short) throw new Error('A key was not made.');
      for (const as of [revoked, short])
        given.expect((await given.ask('list-users', { as })).status === 200, 'a new key is good.');
      await given.administrate('key revoke', (administrator) =>
        administrator.revokeKey(1, revoked.keyId),
      );
      given.expect(
        (await given.ask('list-users', { as: revoked })).status === 401,
        'a revoked key is refused.',
      );
      given.expect(
        (await given.ask('list-pipelines', { as: revoked })).status === 401,
        'everywhere.',
      );
      await given.sleep(61_000);
      given.expect(
        (await given.ask('list-pipelines', { as: short })).status === 401,
        'so is one that has expired.',
      );
      for (const endpoint of [
        'list-users',
        'list-lead-stages',
        'list-leads',
        'list-pipelines',
        'list-lead-sources',
      ] as const)
        given.expect(
          (await given.ask(endpoint, { as: 'website' })).status === 403,
          `a form may not call ${endpoint}.`,
        );
      const { status } = await given.ask('create-lead', { as: 'reader', body: personFields(1) });
      given.expect(status === 403, 'a reader may not write.');
    },
  },
  {
    name: 'Two organizations are served by the same warm processes, and their settings change',
    async run(given) {
      for (const epoch of [0, 1, 2]) {
        if (epoch > 0) {
          await apply(given, epoch, { hasWave: epoch !== 2 });
          if (epoch === 2) await apply(given, 5, {}, 12);
        }
        for (const id of [1, 12]) {
          const { name, phone } = person(epoch, id);
          const { status } = await given.capture(
            { name, phone, fields: { city: 'Pune', course: 'mba' } },
            undefined,
            { in: id },
          );
          given.expect(status === 201, `a lead is captured, not ${status}.`);
          await given.ask('get-lead', { in: id, leadId: 1 });
          await given.ask('list-leads', { in: id });
          await given.ask('list-lead-stages', { in: id });
          await given.ask('list-lead-fields', { in: id, as: 'website' });
        }
      }
    },
  },
  {
    name: 'A page is prefetched while the field that it filters by becomes inactive',
    means: /was refused as malformed|was answered 400 with/,
    async run(given) {
      const { leadId } = await given.capture({ ...person(1), fields: { wave: 'spring' } });
      const filter = JSON.stringify([{ field: 'wave', operator: 'equals', value: 'spring' }]);
      given.expect(
        (await given.list({ filter })).includes(leadId),
        'the lead is listed by its field.',
      );
      await apply(given, 1, { hasWave: false });
      const { status } = await given.ask('list-leads', { query: { filter } });
      given.expect(status === 400, `the field is not known any more, not ${status}.`);
      await given.ask('get-lead', { leadId });
    },
  },
  {
    name: 'Administrators apply and undo settings at once',
    seeds: 4,
    async run(given) {
      await apply(given, 1);
      await apply(given, 2);
      await Promise.all([apply(given, 3), undo(given), apply(given, 4)]);
      await Promise.all([undo(given), given.sleep(6).then(() => apply(given, 5))]);
      const before = settingsOf(given);
      await apply(given, 6);
      await undo(given);
      given.expect(settingsOf(given) === before, 'an undo takes back the settings before.');
      const writes = given.service.history.writesOf.get('ORG#1 SETTINGS') ?? [];
      for (const [at, { before, after, work }] of writes.entries()) {
        if (work?.what !== 'settings undo') continue;
        const earlier = writes.slice(0, at).map((write) => write.after);
        const restored = earlier.some(
          (one) => JSON.stringify(one?.settings) === JSON.stringify(after?.settings),
        );
        given.expect(restored, 'an undo brings settings back that were there.');
        const lastApplied = writes
          .slice(0, at)
          .findLast((write) => write.work?.what === 'settings apply');
        given.expect(
          (lastApplied?.at ?? 0) < work.startedAt || before === undefined,
          'an undo replaces what it was asked to undo.',
        );
      }
    },
  },
  {
    name: 'Settings are applied while requests are let in',
    seeds: 4,
    async run(given) {
      await given.ask('list-users');
      for (const epoch of [1, 2]) {
        const asking = times(8, (at) =>
          given
            .sleep(at * 2)
            .then(() => given.ask('create-lead', { body: personFields(epoch * 20 + at) })),
        );
        await Promise.all([
          apply(given, epoch),
          asking,
          given.sleep(5).then(() => given.capture(person(epoch))),
        ]);
        const answers = await asking;
        given.expect(
          count(answers, 201) === 8,
          `all are taken, not ${answers.map(({ status }) => status).join(', ')}.`,
        );
      }
    },
  },
  {
    name: 'A user becomes inactive, and leads go to the others',
    async run(given) {
      await apply(given, 1, { hasSecondUser: false });
      for (const at of [1, 2, 3]) await given.capture({ ...person(at), fields: { course: 'mba' } });
      await given.ask('create-lead', { body: { fields: { ...person(5), course: 'mba' } } });
    },
  },
  {
    name: 'Nobody is left to own new leads, and a known person asks again',
    means: /found the organization not ready/,
    async run(given) {
      await given.capture(person(1));
      const file = settingsFile(1, firstVariant) as { readonly users: readonly object[] };
      await applyFile(given, {
        ...file,
        users: file.users.map((user) => ({ ...user, active: false })),
      });
      given.expect((await given.capture(person(2))).status === 503, 'a new person has no owner.');
      const { status } = await given.capture({ ...person(1), notes: 'Once more.' });
      given.expect(status === 200, `the enquiry of a known person is taken, not ${status}.`);
    },
  },
  {
    name: 'An answer is given at the deadline, and the process serves another request later',
    async run(given) {
      let updates = 0;
      const everyThird = (): Fault => {
        updates += 1;
        return updates % 3 === 0 ? 'none' : 'throttled';
      };
      const faults: Readonly<Record<string, () => Fault>> = {
        UpdateItem: everyThird,
        TransactWriteItems: () => 'lost before',
      };
      given.steering.faultOf = ({ operation }) => faults[operation]?.() ?? 'none';
      const { status } = await given.ask('create-lead', { body: personFields(1) });
      given.expect(status === 500, `the first is not answered in time, but with ${status}.`);
      given.steering.faultOf = undefined;
      await given.sleep(60_000);
      const next = await given.ask('create-lead', { body: personFields(2) });
      given.expect(next.status === 201, `the next is, not with ${next.status}.`);
    },
  },
];

const settingsOf = ({ service }: Given): string =>
  JSON.stringify(service.history.writesOf.get('ORG#1 SETTINGS')?.at(-1)?.after?.settings);
