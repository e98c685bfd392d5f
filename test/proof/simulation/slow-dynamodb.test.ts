import { beforeAll, expect, test } from 'vitest';
import { type EndpointName, endpointNamed, takesBody } from '../../../shared/contract/endpoints.ts';
import type { ReadJson } from '../../support/call.ts';
import { person } from '../../support/people.ts';
import { goodRequests } from '../../support/requests.ts';
import { functionTimeoutMs } from './lambda/instance.ts';
import { type Program, readService } from './lambda/modules.ts';
import type { CallInfo, Fault } from './network.ts';
import { ObservedService } from './observed-service.ts';

/**
 * DynamoDB is slow, silent or refusing for as long as a request lasts. Uses the SDK's whole client in simulated time, because a busy
 * machine would use up part of the function's ten seconds.
 */
let code: Program;
beforeAll(async () => {
  code = await readService();
}, 60_000);

/**
 * A service with lead 1 and, if warm, with functions that know their keys. Its DynamoDB is disturbed from then on.
 * @returns the functions' calls and log lines since the disturbance began, too
 */
async function disturbed(
  faultOf: (call: CallInfo) => Fault,
  { seed = 'test', latencyMaxMs = 4.5, isWarm = true } = {},
) {
  let isDisturbed = false;
  const calls: CallInfo[] = [];
  const logged: ReadJson[] = [];
  const service = await ObservedService.start({
    versions: [code],
    latencyMaxMs,
    functions: {
      write(_instance, line) {
        if (isDisturbed) logged.push(JSON.parse(line));
      },
    },
    simulation: {
      seed,
      faultOf(call) {
        if (!isDisturbed) return 'none';
        calls.push(call);
        return faultOf(call);
      },
    },
  });
  await ask(service, 'create-lead', { body: { fields: person() } });
  if (isWarm) for (const { name, request } of goodRequests) await ask(service, name, request(1));
  isDisturbed = true;
  return { service, calls, logged };
}

/** @returns the observed request, when its function has ended */
async function ask(service: ObservedService, endpoint: EndpointName, request: object) {
  await service.run(() =>
    service.request('a client', service.key(1, 'writer'), { endpoint, ...request }),
  );
  const observed = service.history.requests.at(-1);
  expect(observed?.result?.outcome, endpoint).toBe('answered');
  return observed;
}

/** Sends a good request, and expects the function's own answer in time. */
async function answerOf(service: ObservedService, name: EndpointName) {
  const good = goodRequests.find((one) => one.name === name)?.request(1) ?? {};
  const startedAt = service.now;
  const { answer } = (await ask(service, name, good)) ?? {};
  expect(service.now - startedAt, name).toBeLessThan(functionTimeoutMs);
  return { status: answer?.status, code: JSON.parse(answer?.body ?? '{}').error?.code };
}

const internal = { status: 500, code: 'INTERNAL' };
const placeOf = ({ operation, request }: CallInfo): string =>
  `${operation} ${request.Key?.pk?.S?.split('#')[0] ?? ''}`;

test.each<Fault>(['silence', 'stalled body', 'reset before', 'throttled', 'internal error before'])(
  'every endpoint answers INTERNAL by itself in time when every call meets: %s',
  async (fault) => {
    const { service } = await disturbed(() => fault);

    for (const { name } of goodRequests)
      expect([name, await answerOf(service, name)]).toEqual([name, internal]);
  },
);

test.each(['UpdateItem KEY', 'UpdateItem USAGE'])(
  'no request is answered unchecked while only %s gets no response',
  async (place) => {
    const { service, calls } = await disturbed((call) =>
      placeOf(call) === place ? 'silence' : 'none',
    );

    for (const { name } of goodRequests)
      expect([name, await answerOf(service, name)]).toEqual([name, internal]);

    expect(calls.map(({ operation }) => operation)).not.toContain('TransactWriteItems');
    // Read in parallel with admission, and dropped.
    expect(calls.map(placeOf)).toContain('GetItem LEADS');
  },
);

const writes = goodRequests.filter(({ name }) => takesBody(endpointNamed(name)));

test('a write whose items stay throttled is tried for two seconds, then fails and logs its cause', async () => {
  const { service, calls, logged } = await disturbed(({ operation }) =>
    operation === 'TransactWriteItems' ? 'throttled inside' : 'none',
  );

  for (const { name } of writes) {
    const from = logged.length;
    expect([name, await answerOf(service, name)]).toEqual([name, internal]);
    const [failed, answered] = logged.slice(from);
    expect(failed.error).toMatchObject({
      name: 'ThrottledError',
      cause: { name: 'TransactionCanceledException' },
    });
    expect(answered).toMatchObject({ code: 'INTERNAL', failed: 1 });
    expect(answered.contended).toBeUndefined();
    expect(answered.ms).toBeGreaterThanOrEqual(2000);
  }
  const attempts = calls.filter(({ operation }) => operation === 'TransactWriteItems');
  expect(attempts.length).toBeGreaterThan(4 * writes.length);
});

test('the log line of a throttled call names the throttled table or index, and the reason', async () => {
  const { service, logged } = await disturbed(() => 'throttled');

  expect(await answerOf(service, 'list-lead-stages')).toEqual(internal);

  expect(logged[0].error).toMatchObject({
    name: 'ThrottlingException',
    throttling: [
      {
        reason: 'TableWriteKeyRangeThroughputExceeded',
        resource: expect.stringMatching(/:table\/leads$/),
      },
    ],
  });
});

test('a write to contended items gives up in time: capture returns 409, the other endpoints INTERNAL', async () => {
  const { service } = await disturbed(({ operation }) =>
    operation === 'TransactWriteItems' ? 'conflict' : 'none',
  );

  for (const { name } of writes) {
    const expected =
      name === 'capture-lead' ? { status: 409, code: 'IDEMPOTENCY_IN_PROGRESS' } : internal;
    expect([name, await answerOf(service, name)]).toEqual([name, expected]);
  }
});

test('with the slowest DynamoDB that still answers, a function responds in time and then sends nothing', async () => {
  const outcomes: (number | undefined)[] = [];
  for (let seed = 1; seed <= 10; seed += 1) {
    const attempts = new Map<string, number>();
    // Each call is answered at its third attempt only, after up to 900 ms: as slow as a call can be that does not fail.
    const { service, calls } = await disturbed(
      (call) => {
        const attempt = (attempts.get(placeOf(call)) ?? 0) + 1;
        attempts.set(placeOf(call), attempt);
        return attempt % 3 === 0 ? 'none' : 'silence';
      },
      { seed: String(seed), latencyMaxMs: 450, isWarm: false },
    );

    const { status } = await answerOf(service, 'capture-lead');
    const sent = calls.length;
    await service.run(() => service.sleep(60_000));

    expect(calls.slice(sent).map(placeOf)).toEqual([]);
    expect(calls.map(placeOf)).toContain('UpdateItem TURN');
    outcomes.push(status);
  }
  expect(outcomes).toContain(500);
});
