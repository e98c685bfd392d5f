import type { APIGatewayProxyResult } from 'aws-lambda';
import { beforeAll, expect, test } from 'vitest';
import { type EndpointName, endpointNamed, takesBody } from '../../shared/endpoints.ts';
import {
  readService,
  type ServicePrograms,
  SimulatedService,
} from '../simulation/lambda/given-service.ts';
import { functionTimeoutMs } from '../simulation/lambda/instance.ts';
import type { CallInfo, Fault } from '../simulation/network.ts';
import { person } from '../support/people.ts';
import { goodRequests } from '../support/requests.ts';

/**
 * DynamoDB slow, silent or refusing for as long as a request lasts, with the SDK's whole client in simulated time: on a real engine, a busy
 * machine would take its share of the function's ten seconds.
 */
let bundles: ServicePrograms;
beforeAll(async () => {
  bundles = await readService();
}, 60_000);

interface Disturbed {
  readonly service: SimulatedService;
  /** The functions' calls since the disturbance began. */
  readonly calls: readonly CallInfo[];
}

/** A service with lead 1 and, if warm, with functions that know their keys. Its DynamoDB is disturbed from then on. */
async function disturbed(
  faultOf: (call: CallInfo) => Fault,
  { seed = 'test', latencyMaxMs = 4.5, isWarm = true } = {},
): Promise<Disturbed> {
  let isDisturbed = false;
  const calls: CallInfo[] = [];
  const service = await SimulatedService.start({
    bundles,
    simulation: {
      seed,
      faultOf: (call) => (isDisturbed ? faultOf(call) : 'none'),
      latencyMaxMs: () => (isDisturbed ? latencyMaxMs : 4.5),
      onSent: (call) => {
        if (isDisturbed) calls.push(call);
      },
    },
  });
  await service.answer('create-lead', { body: { fields: person() } });
  if (isWarm) for (const { name, request } of goodRequests) await service.answer(name, request(1));
  isDisturbed = true;
  return { service, calls };
}

/** Sends a good request. @returns the function's own answer, which came in time */
async function answerOf(service: SimulatedService, name: EndpointName) {
  const good = goodRequests.find((one) => one.name === name)?.request(1) ?? {};
  const startedAt = service.simulation.scheduler.now;
  const answer: APIGatewayProxyResult = await service.answer(name, good);
  expect(service.simulation.scheduler.now - startedAt, name).toBeLessThan(functionTimeoutMs);
  return { status: answer.statusCode, code: JSON.parse(answer.body).error?.code };
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

test('a write whose items stay contended gives up in time: capture answers 409, the others INTERNAL', async () => {
  const { service } = await disturbed(({ operation }) =>
    operation === 'TransactWriteItems' ? 'conflict' : 'none',
  );

  const writes = goodRequests.filter(({ name }) => takesBody(endpointNamed(name)));
  for (const { name } of writes) {
    const expected =
      name === 'capture-lead' ? { status: 409, code: 'IDEMPOTENCY_IN_PROGRESS' } : internal;
    expect([name, await answerOf(service, name)]).toEqual([name, expected]);
  }
});

test('the slowest DynamoDB that still answers: the function answers in time, and sends nothing after it', async () => {
  const outcomes: number[] = [];
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
    await service.simulation.scheduler.run(() => service.simulation.scheduler.sleep(60_000));

    expect(calls.slice(sent).map(placeOf)).toEqual([]);
    expect(calls.map(placeOf)).toContain('UpdateItem TURN');
    outcomes.push(status);
  }
  expect(outcomes).toContain(500);
});
