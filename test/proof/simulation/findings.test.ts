import { expect, test } from 'vitest';
import { checkHistory } from './checker/check-history.ts';
import { readService } from './lambda/modules.ts';
import type { CallInfo, Fault } from './network.ts';
import { ObservedService } from './observed-service.ts';
import { firstVariant, type Removable } from './organizations.ts';

/** What random histories found in the service, each as small as it goes. */

const start = async (
  seed: string,
  faultOf: (call: CallInfo) => Fault = () => 'none',
): Promise<ObservedService> =>
  ObservedService.start({ versions: [await readService()], simulation: { seed, faultOf } });

/** Faults of the transactions, in their order; the last one of all that follow, too. */
function atTransactions(faults: readonly Fault[], isMeant: (sent: string) => boolean = () => true) {
  let at = 0;
  return ({ operation, request }: CallInfo): Fault => {
    if (operation !== 'TransactWriteItems' || !isMeant(JSON.stringify(request))) return 'none';
    at += 1;
    return faults[at - 1] ?? faults.at(-1) ?? 'none';
  };
}

const phones = ['+919800000001', '+919800000002', '+919800000003'] as const;
const rows = phones.map((phone, at) => ({ name: `Asha ${at} [org 1]`, phone }));
const [row] = rows as [(typeof rows)[number]];

test('a function whose settings cannot be read sends nothing for that request once it has answered', async () => {
  let isBroken = true;
  const service = await start('27', ({ caller, operation, request }) => {
    if (!isBroken || caller.startsWith('administrator')) return 'none';
    if (operation === 'GetItem') return 'internal error before';
    return request.Key?.pk?.S === 'USAGE#1' ? 'silence' : 'none';
  });
  const ask = (organizationId: number) =>
    service.run(() =>
      service.request('a client', service.key(organizationId, 'reader'), {
        endpoint: 'list-users',
      }),
    );
  const failed = await ask(1);
  isBroken = false;
  // The instance is as it was frozen until it is asked again: what the first request still meant to send would go out then.
  const next: (number | undefined)[] = [];
  for (let round = 0; round < 4; round += 1) {
    await service.run(() => service.sleep(5000));
    next.push((await ask(12))?.status);
  }

  expect([failed?.status, ...next]).toEqual([500, 200, 200, 200, 200]);
  expect(await checkHistory(service)).toEqual([]);
});

test('one of two simultaneous applies with removals succeeds, and the other reports it', async () => {
  const service = await start('85');
  const apply = (lacks: Removable, ms: number) =>
    service
      .sleep(ms)
      .then(() => service.administrate('settings apply', 1, { ...firstVariant, lacks }));
  const [first, second] = await service.run(() =>
    Promise.all([apply('wave', 0), apply('Facebook Ads', 1700)]),
  );

  expect(first.result).toMatch(
    /^SettingsChangedError: The settings of organization 1 were changed meanwhile/,
  );
  expect([first.outcome, second.outcome]).toEqual(['failed', 'done']);
  expect(await checkHistory(service)).toEqual([]);
});

const unknown = expect.stringMatching(/^UnknownOutcomeError: /);

test.each([
  {
    what: 'that fails has written the last of its rows before it says so',
    seed: '6627',
    file: { rows: rows.slice(0, 2) },
    // The first row meets a table that is out of order; the second one's calls are lost and sent again meanwhile.
    faultOf: () => {
      const lost = atTransactions(['lost before', 'lost before', 'none']);
      return (call: CallInfo): Fault =>
        JSON.stringify(call.request).includes(phones[0]) ? 'internal error before' : lost(call);
    },
    ends: ['failed', expect.anything()],
  },
  {
    what: 'imports rows that were written together without an answer, although others are in the way of each for a while',
    seed: '21055',
    file: { rows, leadsPerSecond: Number.POSITIVE_INFINITY },
    faultOf: (service: () => ObservedService) => {
      let contendedUntil = 0;
      return ({ operation, request }: CallInfo): Fault => {
        if (operation !== 'TransactWriteItems') return 'none';
        const isOfMany = (request.TransactItems as unknown[]).length > 6;
        if (isOfMany) contendedUntil = service().now + 5000;
        if (isOfMany) return 'lost after';
        return service().now < contendedUntil ? 'conflict' : 'none';
      };
    },
    ends: ['done', { imported: 3, refused: 0 }],
  },
])('an import $what', async ({ seed, file, faultOf, ends }) => {
  const service: ObservedService = await start(
    seed,
    faultOf(() => service),
  );
  const { outcome, result } = await service.run(() => service.administrate('import', 1, file));

  expect([outcome, result]).toMatchObject(ends);
  expect(await checkHistory(service)).toEqual([]);
});

test('a row that was written without a response before settings forbade it is never reported as refused', async () => {
  let isOver = false;
  const faultOf = atTransactions(['lost after', 'throttled inside'], (sent) =>
    sent.includes(phones[0]),
  );
  const service = await start('1', (call) => (isOver ? 'none' : faultOf(call)));
  const withoutWave = { ...firstVariant, hasWave: false };
  const importRow = () => service.administrate('import', 1, { rows: [{ ...row, wave: 'first' }] });
  const [imported] = await service.run(() =>
    Promise.all([
      importRow(),
      service.sleep(500).then(() => service.administrate('settings apply', 1, withoutWave)),
    ]),
  );
  isOver = true;
  const repeated = await service.run(importRow);

  expect([imported.outcome, imported.result]).toEqual(['failed', unknown]);
  expect(repeated.result).toMatchObject({ alreadyThere: 1, refused: 0 });
  expect(await checkHistory(service)).toEqual([]);
});

test('an erasure whose delete of a record got no response keeps the record of a later capture', async () => {
  let lost = 0;
  const service = await start('75731', ({ caller, operation }) => {
    if (operation !== 'DeleteItem' || !caller.startsWith('administrator')) return 'none';
    lost += 1;
    return lost === 1 ? 'lost after' : 'none';
  });
  const capture = () =>
    service.request('a client', service.key(1, 'website'), {
      endpoint: 'capture-lead',
      headers: { 'Idempotency-Key': 'one enquiry' },
      body: { ...row, notes: 'Once.' },
    });
  const captureAgain = async () => {
    while (lost === 0) await service.sleep(10);
    await service.sleep(100);
    return capture();
  };
  await service.run(capture);
  const [again] = await service.run(() =>
    Promise.all([captureAgain(), service.administrate('erase', 1, { leadId: 1 })]),
  );
  const replayed = await service.run(capture);

  expect(lost).toBeGreaterThan(1);
  expect([again?.status, replayed?.body]).toEqual([201, again?.body]);
  expect(await checkHistory(service)).toEqual([]);
});
