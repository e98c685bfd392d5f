import { beforeAll, describe, expect, test } from 'vitest';
import type { CallInfo, Fault } from '../network.ts';
import type { SimulationOptions } from '../simulation.ts';
import { readService, type ServicePrograms, SimulatedService } from './given-service.ts';
import type { SimulatedFunctionsOptions } from './simulated-functions.ts';

let bundles: ServicePrograms;
beforeAll(async () => {
  bundles = await readService();
}, 60_000);

const person = { name: 'Asha Rao', phone: '+919812345678', email: 'asha@example.com' };
const start = (
  simulation: Partial<SimulationOptions> = {},
  functions: Omit<SimulatedFunctionsOptions, 'network' | 'versions'> = {},
) => SimulatedService.start({ bundles, simulation: { seed: 'test', ...simulation }, functions });

/** One fault at a function's call of an operation, once. */
function once(fault: Fault, operation: string): (call: CallInfo) => Fault {
  let isOver = false;
  return (call) => {
    if (isOver || call.caller === 'administrator' || call.operation !== operation) return 'none';
    isOver = true;
    return fault;
  };
}

describe('the real functions against the simulated DynamoDB', () => {
  test('capture, create, read, change and list a lead', async () => {
    const service = await start();
    const captured = await service.answer('capture-lead', { body: person });
    expect([captured.statusCode, JSON.parse(captured.body)]).toMatchObject([
      201,
      { lead: { id: 1, created: true } },
    ]);

    const updated = await service.answer('update-lead', {
      leadId: 1,
      body: { fields: { city: 'Pune' } },
    });
    expect(updated.statusCode).toBe(200);
    const read = await service.answer('get-lead', { leadId: 1 });
    expect(JSON.parse(read.body)).toMatchObject({ lead: { fields: { city: 'Pune' } } });
    const list = await service.answer('list-leads');
    expect(JSON.parse(list.body).items).toHaveLength(1);
  });

  test('a run replays call by call from its seed, faults and clocks included', async () => {
    const run = async (seed: string) => {
      const service = await start(
        {
          seed,
          keepTrace: true,
          faultOf: ({ number }) => (number % 7 === 5 ? 'reset after' : 'none'),
        },
        { clockSkewMs: 500, coldStartChance: 0.3, clockStepChance: 0.3 },
      );
      const bodies = [person, { ...person, phone: '+919800000001', email: '' }, person];
      const results = await service.simulation.scheduler.run(() =>
        Promise.all(bodies.map((body) => service.invoke('capture-lead', { body }))),
      );
      return JSON.stringify([results, service.simulation.scheduler.trace]);
    };

    expect(await run('one')).toBe(await run('one'));
    expect(await run('one')).not.toBe(await run('two'));
  });
});

describe('an instance', () => {
  test('whose transaction is answered by nothing asks again and is told that it was written', async () => {
    const service = await start({ faultOf: once('lost after', 'TransactWriteItems') });
    const captured = await service.answer('capture-lead', { body: person });

    expect(captured.statusCode).toBe(201);
    expect(service.simulation.dynamodb.counts.get('TransactWriteItems')).toBeGreaterThan(2);
    expect(JSON.parse((await service.answer('list-leads')).body).items).toHaveLength(1);
  });

  test('that dies at a call leaves its caller without an answer, and the next request starts another', async () => {
    const service = await start({ faultOf: once('death after', 'TransactWriteItems') });
    const died = await service.simulation.scheduler.run(() =>
      service.invoke('capture-lead', { body: person }),
    );
    expect(died.outcome).toBe('died');

    const again = await service.answer('capture-lead', { body: person });
    expect([again.statusCode, service.functions.coldStarts]).toEqual([200, 2]);
  });

  test('answers INTERNAL before its time is up when DynamoDB stalls in the middle of an answer', async () => {
    const faultOf = ({ operation }: CallInfo): Fault =>
      operation === 'TransactWriteItems' ? 'stalled body' : 'none';
    let isStalling = false;
    const service = await start({ faultOf: (call) => (isStalling ? faultOf(call) : 'none') });
    isStalling = true;
    const from = service.simulation.scheduler.now;
    const answer = await service.answer('capture-lead', { body: person });

    expect(answer.statusCode).toBe(500);
    expect(service.simulation.scheduler.now - from).toBeLessThan(10_000);
  });

  test('asks again when an answer stops in the middle, and is told that it was written', async () => {
    const service = await start({ faultOf: once('stalled body', 'TransactWriteItems') });
    const captured = await service.answer('capture-lead', { body: person });

    expect(captured.statusCode).toBe(201);
    expect(JSON.parse((await service.answer('list-leads')).body).items).toHaveLength(1);
  });

  test('keeps its state between requests, and two instances do not share it', async () => {
    const service = await start();
    await service.answer('get-lead', { leadId: 1 });
    const calls = () =>
      [...service.simulation.dynamodb.counts.values()].reduce((sum, count) => sum + count, 0);
    const [cold, before] = [service.functions.coldStarts, calls()];
    await service.answer('get-lead', { leadId: 1 });
    const warmCalls = calls() - before;
    await service.simulation.scheduler.run(() =>
      Promise.all([
        service.invoke('get-lead', { leadId: 1 }),
        service.invoke('get-lead', { leadId: 1 }),
      ]),
    );

    expect([cold, service.functions.coldStarts]).toEqual([1, 2]);
    expect(calls() - before - warmCalls).toBeGreaterThan(2 * warmCalls);
  });
});
