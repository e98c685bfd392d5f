import { expect, test } from 'vitest';
import { checkHistory } from './checker/check-history.ts';
import { readService } from './lambda/given-service.ts';
import type { CallInfo, Fault } from './network.ts';
import { ObservedService } from './observed-service.ts';
import { firstVariant, type Removable } from './organizations.ts';

/** What random histories found in the service, each as small as it goes. */

test('a function whose settings cannot be read sends nothing for that request once it has answered', {
  timeout: 60_000,
}, async () => {
  let isBroken = true;
  const faultOf = ({ caller, operation, request }: CallInfo): Fault => {
    if (!isBroken || caller.startsWith('administrator')) return 'none';
    if (operation === 'GetItem') return 'internal error before';
    return request.Key?.pk?.S === 'USAGE#1' ? 'silence' : 'none';
  };
  const service = await ObservedService.start({
    versions: [await readService()],
    simulation: { seed: '27', faultOf },
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
    await service.run(() => service.simulation.scheduler.sleep(5000));
    next.push((await ask(12))?.status);
  }

  expect([failed?.status, ...next]).toEqual([500, 200, 200, 200, 200]);
  expect(await checkHistory(service)).toEqual([]);
});

test('of two applies at once that both remove something one is done, and the other is told of it', {
  timeout: 60_000,
}, async () => {
  const service = await ObservedService.start({
    versions: [await readService()],
    simulation: { seed: '85' },
  });
  const apply = (lacks: Removable, ms: number) =>
    service.simulation.scheduler
      .sleep(ms)
      .then(() =>
        service.administrate('settings apply', 1, { lacks }, (administrator) =>
          administrator.applySettings(1, { ...firstVariant, lacks }),
        ),
      );
  const [first, second] = await service.run(() =>
    Promise.all([apply('wave', 0), apply('Facebook Ads', 1700)]),
  );

  expect(first.result).toMatch(/^SettingsMovedError: Other settings of organization 1/);
  expect([first.outcome, second.outcome]).toEqual(['failed', 'done']);
  expect(await checkHistory(service)).toEqual([]);
});

test('an import that fails has written the last of its rows before it says so', {
  timeout: 60_000,
}, async () => {
  const phones = ['+919800000001', '+919800000002'];
  const rows = phones.map((phone, at) => ({ name: `Asha ${at} [org 1]`, phone }));
  /** The first row meets a table that is out of order; the second one's calls are lost and sent again meanwhile. */
  const faultOf = ({ operation, request }: CallInfo): Fault => {
    if (operation !== 'TransactWriteItems') return 'none';
    const sent = JSON.stringify(request);
    if (sent.includes(phones[0] ?? '')) return 'internal error before';
    lost += 1;
    return lost < 3 ? 'lost before' : 'none';
  };
  let lost = 0;
  const service = await ObservedService.start({
    versions: [await readService()],
    simulation: { seed: '6627', faultOf },
  });
  const { outcome } = await service.run(() =>
    service.administrate('import', 1, { rows }, (administrator) =>
      administrator.importRows(1, rows),
    ),
  );

  expect(outcome).toBe('failed');
  expect(await checkHistory(service)).toEqual([]);
});

test('an import does not call a row refused whose write may have been carried out before it was throttled', {
  timeout: 60_000,
}, async () => {
  const rows = [{ name: 'Asha [org 1]', phone: '+919800000001' }];
  let writes = 0;
  const faultOf = ({ operation }: CallInfo): Fault => {
    if (operation !== 'TransactWriteItems') return 'none';
    writes += 1;
    return writes === 1 ? 'lost after' : 'throttled inside';
  };
  const service = await ObservedService.start({
    versions: [await readService()],
    simulation: { seed: '11470', faultOf },
  });
  const { outcome, result } = await service.run(() =>
    service.administrate('import', 1, { rows }, (administrator) =>
      administrator.importRows(1, rows),
    ),
  );

  expect([outcome, result]).toEqual(['failed', expect.stringMatching(/^UnknownOutcomeError: /)]);
  expect(await checkHistory(service)).toEqual([]);
});

test('an import does not call a row refused whose write may have been carried out before it was throttled', {
  timeout: 60_000,
}, async () => {
  const rows = [{ name: 'Asha [org 1]', phone: '+919800000001' }];
  let writes = 0;
  const faultOf = ({ operation }: CallInfo): Fault => {
    if (operation !== 'TransactWriteItems') return 'none';
    writes += 1;
    return writes === 1 ? 'lost after' : 'throttled inside';
  };
  const service = await ObservedService.start({
    versions: [await readService()],
    simulation: { seed: '11470', faultOf },
  });
  const { outcome, result } = await service.run(() =>
    service.administrate('import', 1, { rows }, (administrator) =>
      administrator.importRows(1, rows),
    ),
  );

  expect([outcome, result]).toEqual(['failed', expect.stringMatching(/^UnknownOutcomeError: /)]);
  expect(await checkHistory(service)).toEqual([]);
});

test('an import imports rows that were written together without an answer, although others are in the way of each for a while', {
  timeout: 60_000,
}, async () => {
  const rows = [1, 2, 3].map((at) => ({ name: `Asha ${at} [org 1]`, phone: `+91980000000${at}` }));
  let contendedUntil = 0;
  const faultOf = ({ operation, request }: CallInfo): Fault => {
    if (operation !== 'TransactWriteItems') return 'none';
    const isOfMany = (request.TransactItems as unknown[]).length > 6;
    if (isOfMany) contendedUntil = service.now + 5000;
    if (isOfMany) return 'lost after';
    return service.now < contendedUntil ? 'conflict' : 'none';
  };
  const service = await ObservedService.start({
    versions: [await readService()],
    simulation: { seed: '21055', faultOf },
  });
  const { outcome, result } = await service.run(() =>
    service.administrate('import', 1, { rows }, (administrator) =>
      administrator.importRows(1, rows, { leadsPerSecond: Number.POSITIVE_INFINITY }),
    ),
  );

  expect([outcome, result]).toMatchObject(['done', { imported: 3, refused: 0 }]);
  expect(await checkHistory(service)).toEqual([]);
});

test('an import does not call a row refused that was written without an answer before settings forbade it', {
  timeout: 60_000,
}, async () => {
  const rows = [{ name: 'Asha [org 1]', phone: '+919800000001', wave: 'first' }];
  let writes = 0;
  const faultOf = ({ operation, request }: CallInfo): Fault => {
    if (operation !== 'TransactWriteItems') return 'none';
    if (!JSON.stringify(request).includes('+919800000001')) return 'none';
    writes += 1;
    return writes === 1 ? 'lost after' : 'throttled inside';
  };
  const service = await ObservedService.start({
    versions: [await readService()],
    simulation: { seed: '1', faultOf },
  });
  const [imported] = await service.run(() =>
    Promise.all([
      service.administrate('import', 1, { rows }, (administrator) =>
        administrator.importRows(1, rows),
      ),
      service.simulation.scheduler
        .sleep(500)
        .then(() =>
          service.administrate('settings apply', 1, { hasWave: false }, (administrator) =>
            administrator.applySettings(1, { ...firstVariant, hasWave: false }),
          ),
        ),
    ]),
  );

  expect([imported.outcome, imported.result]).toMatchObject(['done', { imported: 1, refused: 0 }]);
  expect(await checkHistory(service)).toEqual([]);
});

test('an erasure whose removal of an idempotency record has no answer leaves the record of a capture that came after it', {
  timeout: 60_000,
}, async () => {
  let lost = 0;
  const faultOf = ({ caller, operation }: CallInfo): Fault => {
    if (operation !== 'DeleteItem' || !caller.startsWith('administrator')) return 'none';
    lost += 1;
    return lost === 1 ? 'lost after' : 'none';
  };
  const service = await ObservedService.start({
    versions: [await readService()],
    simulation: { seed: '75731', faultOf },
  });
  const { scheduler } = service.simulation;
  const capture = () =>
    service.request('a client', service.key(1, 'website'), {
      endpoint: 'capture-lead',
      headers: { 'Idempotency-Key': 'one enquiry' },
      body: { name: 'Asha [org 1]', phone: '+919800000001', notes: 'Once.' },
    });
  const captureAgain = async () => {
    while (lost === 0) await scheduler.sleep(10);
    await scheduler.sleep(100);
    return capture();
  };
  await service.run(capture);
  const again = await service.run(async () => {
    const erased = service.administrate('erase', 1, { leadId: 1 }, (one) => one.erase(1, 1));
    const [answer] = await Promise.all([captureAgain(), erased]);
    return answer;
  });
  const replayed = await service.run(capture);

  expect(lost).toBeGreaterThan(1);
  expect([again?.status, replayed?.body]).toEqual([201, again?.body]);
  expect(await checkHistory(service)).toEqual([]);
});
