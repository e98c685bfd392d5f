import { beforeAll, describe, expect, test } from 'vitest';
import type { CallInfo, Fault } from '../network.ts';
import type { SimulationOptions } from '../simulation.ts';
import { readService, type ServicePrograms, SimulatedService } from './given-service.ts';

let bundles: ServicePrograms;
beforeAll(async () => {
  bundles = await readService();
}, 60_000);

const person = { name: 'Asha Rao', phone: '+919812345678', email: 'asha@example.com' };
const start = (simulation: Partial<SimulationOptions> = {}) =>
  SimulatedService.start({ bundles, simulation: { seed: 'test', ...simulation } });

/** One fault at a function's call of an operation, once. */
function once(fault: Fault, operation: string): (call: CallInfo) => Fault {
  let isOver = false;
  return (call) => {
    if (isOver || call.caller === 'administrator' || call.operation !== operation) return 'none';
    isOver = true;
    return fault;
  };
}

describe('an instance', () => {
  test('that dies at a call leaves its caller without an answer, and the next request starts another', async () => {
    const service = await start({ faultOf: once('death after', 'TransactWriteItems') });
    const died = await service.simulation.scheduler.run(() =>
      service.invoke('capture-lead', { body: person }),
    );
    expect(died.outcome).toBe('died');

    const again = await service.answer('capture-lead', { body: person });
    expect([again.statusCode, service.functions.coldStarts]).toEqual([200, 2]);
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
