import { beforeAll, describe, expect, test } from 'vitest';
import type { EndpointName } from '../../../../shared/contract/endpoints.ts';
import type { CallInfo, Fault } from '../network.ts';
import { ObservedService } from '../observed-service.ts';
import { type Program, readService } from './modules.ts';

let code: Program;
beforeAll(async () => {
  code = await readService();
}, 60_000);

const person = { name: 'Asha Rao', phone: '+919812345678', email: 'asha@example.com' };
const start = (faultOf: (call: CallInfo) => Fault = () => 'none') =>
  ObservedService.start({ versions: [code], simulation: { seed: 'test', faultOf } });
const ask = (service: ObservedService, endpoint: EndpointName, request: object = {}) =>
  service.request('a client', service.key(1, 'writer'), { endpoint, ...request });

/** One fault at a function's call of an operation, once. */
function once(fault: Fault, operation: string): (call: CallInfo) => Fault {
  let isOver = false;
  return (call) => {
    if (isOver || call.operation !== operation) return 'none';
    isOver = true;
    return fault;
  };
}

describe('an instance', () => {
  test('that dies at a call leaves its caller without a response, and the next request starts another one', async () => {
    const service = await start(once('death after', 'TransactWriteItems'));
    await service.run(() => ask(service, 'capture-lead', { body: person }));
    const again = await service.run(() => ask(service, 'capture-lead', { body: person }));

    expect(service.history.requests[0]?.result).toEqual({ outcome: 'died' });
    expect([again?.status, service.api.coldStarts]).toEqual([200, 2]);
  });

  test('retries when a response stops in the middle, and learns that the write was applied', async () => {
    const service = await start(once('stalled body', 'TransactWriteItems'));
    const captured = await service.run(() => ask(service, 'capture-lead', { body: person }));
    const listed = await service.run(() => ask(service, 'list-leads'));

    expect(captured?.status).toBe(201);
    expect(JSON.parse(listed?.body ?? '').items).toHaveLength(1);
  });

  test('keeps its state between requests, and two instances do not share it', async () => {
    const service = await start();
    const get = () => ask(service, 'get-lead', { leadId: 1 });
    await service.run(get);
    const cold = service.api.coldStarts;
    await service.run(get);
    await service.run(() => Promise.all([get(), get()]));
    const [, warm = 0, third, newInstance] = service.history.requests.map(({ calls }) => calls);

    expect([cold, service.api.coldStarts]).toEqual([1, 2]);
    expect(third).toBe(warm);
    expect(newInstance).toBeGreaterThan(warm);
  });
});
