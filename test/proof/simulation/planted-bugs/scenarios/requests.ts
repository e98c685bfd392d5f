import { type Given, person, type Scenario } from '../scenario.ts';

const hourMs = 3_600_000;
const undo = (given: Given) => given.administrate('settings undo', {});
const times = <T>(count: number, ask: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => ask(at)));

export const scenariosOfRequests: readonly Scenario[] = [
  {
    name: 'A key and then its organization are exhausted, and an hour later they are not',
    seeds: 2,
    limits: { perKey: 12, perOrganization: 16 },
    async run(given) {
      const read = () => given.ask('list-users', { as: 'reader' });
      await given.ask('list-users', { in: 12 });
      await times(8, (at) => given.create(person(at)));
      await times(6, () => given.create(person(90)));
      await times(6, read);
      await read();
      for (const _ of [1, 2]) await given.ask('list-users', { in: 12, as: 'reader' });
      await given.sleep(hourMs - 3000);
      await read(); // a function remembers for ten seconds that the key is exhausted
      await given.sleep(3010);
      await times(6, (at) => given.create(person(20 + at)));
      await read();
      await given.sleep(hourMs + 10);
      await read();
    },
  },
  {
    name: 'Keys are revoked, expire, and ask for what they may not',
    async run(given) {
      const revoked = await given.newKey();
      const expiresAt = new Date(given.service.now + 60_000).toISOString();
      const short = await given.newKey({ scopes: ['leads.read'], expiresAt });
      for (const as of [revoked, short]) await given.ask('list-users', { as });
      await given.administrate('key revoke', { keyId: revoked.keyId });
      for (const endpoint of ['list-users', 'list-pipelines'] as const)
        await given.ask(endpoint, { as: revoked });
      await given.sleep(61_000);
      await given.ask('list-pipelines', { as: short });
      for (const endpoint of [
        'list-users',
        'list-lead-stages',
        'list-leads',
        'list-pipelines',
        'list-lead-sources',
      ] as const)
        await given.ask(endpoint, { as: 'website' });
      await given.create(person(1), {}, { as: 'reader' });
    },
  },
  {
    name: 'A key is revoked after it was exhausted',
    limits: { perKey: 2, perOrganization: 60 },
    async run(given) {
      const as = await given.newKey();
      for (const _ of [1, 2, 3]) await given.ask('list-users', { as });
      await given.administrate('key revoke', { keyId: as.keyId });
      await given.sleep(11_000);
      await given.ask('list-users', { as });
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
          await given.capture(body, undefined, { in: id });
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
      await given.list({ filter });
      const two = JSON.stringify([wave, { field: 'city', operator: 'is_not_empty' }]);
      await given.list({ filter: two });
      const eleven = { filter: JSON.stringify(Array(11).fill(wave)) };
      given.same('eleven filters', (await given.ask('list-leads', { query: eleven })).status, 400);
      await given.apply({ epoch: 1, hasWave: false });
      await given.ask('list-leads', { query: { filter } });
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
        const isRestored = earlier.some((one) => JSON.stringify(one.after?.settings) === settings);
        given.expect(isRestored, 'an undo brings settings back that were there.');
        const applied = earlier.findLast((write) => write.work?.what === 'settings apply');
        given.expect(
          (applied?.at ?? 0) < work.startedAt || replaced === undefined,
          'an undo replaces what it was asked to undo.',
        );
      }
    },
  },
];
