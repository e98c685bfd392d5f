import { type Answered, type Given, person, type Scenario } from '../scenario.ts';

const hourMs = 3_600_000;
const undo = (given: Given) => given.administrate('settings undo', {});
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
      const read = () => given.ask('list-users', { as: 'reader' });
      await given.ask('list-users', { in: 12 });
      const first = await times(8, (at) => given.create(person(at)));
      given.same('requests that are let in first', count(first, 201), 8);
      const more = await times(6, () => given.create(person(90)));
      given.same('requests that the key lets in no more', count(more, 429), 2);
      const others = await times(6, read);
      // Of the requests that the key refused, some took a token of the organization before that was known.
      given.expect(count(others, 200) <= 4, `four more are let in, not ${count(others, 200)}.`);
      await given.answered(429, read(), 'the organization');
      for (const at of [1, 2]) {
        const other = given.ask('list-users', { in: 12, as: 'reader' });
        await given.answered(200, other, `another organization the ${at}. time`);
      }
      await given.sleep(hourMs + 10);
      const later = await times(6, (at) => given.create(person(20 + at)));
      given.same('requests that a new window lets in', count(later, 201), 6);
      await given.sleep(hourMs + 10);
      await given.answered(200, read(), 'the next window');
    },
  },
  {
    name: 'A key has as many tokens left as its organization, whose window ends earlier',
    limits: { perKey: 5, perOrganization: 6 },
    async run(given) {
      await given.ask('list-users', { as: 'reader' });
      await given.sleep(10_000);
      await given.answered(200, given.ask('list-users'));
    },
  },
  {
    name: 'Keys are revoked, expire, and ask for what they may not',
    async run(given) {
      const revoked = await given.newKey();
      const expiresAt = new Date(given.service.now + 60_000).toISOString();
      const short = await given.newKey({ scopes: ['leads.read'], expiresAt });
      for (const as of [revoked, short])
        await given.answered(200, given.ask('list-users', { as }), 'a new key');
      await given.administrate('key revoke', { keyId: revoked.keyId });
      for (const endpoint of ['list-users', 'list-pipelines'] as const)
        await given.answered(401, given.ask(endpoint, { as: revoked }), 'a revoked key');
      await given.sleep(61_000);
      await given.answered(401, given.ask('list-pipelines', { as: short }), 'an expired key');
      for (const endpoint of [
        'list-users',
        'list-lead-stages',
        'list-leads',
        'list-pipelines',
        'list-lead-sources',
      ] as const)
        await given.answered(403, given.ask(endpoint, { as: 'website' }), `${endpoint} by a form`);
      const created = given.create(person(1), {}, { as: 'reader' });
      await given.answered(403, created, 'a reader that writes');
    },
  },
  {
    name: 'Two organizations are served by the same warm processes, and their settings change',
    async run(given) {
      for (const epoch of [0, 1, 2]) {
        if (epoch > 0) await given.apply({ epoch, hasWave: epoch !== 2 });
        if (epoch === 2) await given.apply({ epoch: 5 }, 12);
        for (const id of [1, 12]) {
          const { name, phone } = person(epoch, id);
          const body = { name, phone, fields: { city: 'Pune', course: 'mba' } };
          await given.answered(201, given.capture(body, undefined, { in: id }));
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
      const wave = { field: 'wave', operator: 'equals', value: 'spring' };
      const filter = JSON.stringify([wave]);
      given.same('the list by the field', await given.list({ filter }), [leadId]);
      const two = JSON.stringify([wave, { field: 'city', operator: 'is_not_empty' }]);
      given.same('the list by two fields', await given.list({ filter: two }), []);
      const eleven = { filter: JSON.stringify(Array(11).fill(wave)) };
      await given.answered(400, given.ask('list-leads', { query: eleven }), 'eleven filters');
      await given.apply({ epoch: 1, hasWave: false });
      await given.answered(400, given.ask('list-leads', { query: { filter } }), 'the field');
      await given.get(leadId);
    },
  },
  {
    name: 'Administrators apply and undo settings at once',
    seeds: 4,
    async run(given) {
      const apply = (epoch: number) => given.apply({ epoch });
      await apply(1);
      await apply(2);
      await Promise.all([apply(3), undo(given), apply(4)]);
      await Promise.all([undo(given), given.sleep(6).then(() => apply(5))]);
      const before = given.settings();
      await apply(6);
      await undo(given);
      given.same('the settings after an undo', given.settings(), before);
      const writes = given.service.history.writesOf.get('ORG#1 SETTINGS') ?? [];
      for (const [at, { before: replaced, after, work }] of writes.entries()) {
        if (work?.what !== 'settings undo') continue;
        const earlier = writes.slice(0, at);
        const settings = JSON.stringify(after?.settings);
        const restored = earlier.some((one) => JSON.stringify(one.after?.settings) === settings);
        given.expect(restored, 'an undo brings settings back that were there.');
        const applied = earlier.findLast((write) => write.work?.what === 'settings apply');
        given.expect(
          (applied?.at ?? 0) < work.startedAt || replaced === undefined,
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
        const creating = Array.from({ length: 8 }, (_, at) =>
          given.sleep(at * 2).then(() => given.create(person(epoch * 20 + at))),
        );
        await Promise.all([
          given.apply({ epoch }),
          given.taken(...creating),
          given.sleep(5).then(() => given.capture(person(epoch))),
        ]);
      }
    },
  },
];
