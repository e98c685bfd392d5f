import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CallReply, call } from '../support/call.ts';
import { type FaultyService, startFaultyService } from '../support/faults/faulty-service.ts';
import type { FaultRule } from '../support/faults/rules.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { type GoodRequest, goodRequests, sendAll } from './requests.ts';

/**
 * DynamoDB slow or away, through real connections: every answer is the function's own, in time, in the contract's shape. What takes
 * longer, and whether nothing is answered unchecked, is in slow-dynamodb.test.ts, in simulated time.
 */
let faulty: FaultyService;
let organization: GivenOrganization;
let requests: readonly GoodRequest[];
beforeAll(async () => {
  [faulty, organization] = await Promise.all([startFaultyService(), givenOrganization()]);
  // Warm functions that know their keys, so that a busy machine is not made busier by cold ones.
  for (const request of await goodRequests(organization)) {
    expect((await sendAll([request], faulty))[request.endpoint]?.status).toBe(request.status);
  }
});
beforeEach(async () => {
  faulty.proxy.rule = undefined;
  requests = await goodRequests(organization);
});
afterAll(() => faulty.stop());

/** INTERNAL as the function says it: the gateway's own, for a function that hung or died, has no `Cache-Control`. */
function expectInternal(answer: CallReply | undefined): void {
  expect(answer?.status).toBe(500);
  expect(answer?.headers.get('cache-control')).toBe('no-store');
  expect(answer?.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(Object.keys(answer?.body)).toEqual(['error']);
  expect(Object.keys(answer?.body.error).sort()).toEqual(['code', 'message']);
  expect(answer?.body.error.code).toBe('INTERNAL');
  expect(answer?.body.error.message).not.toMatch(/DynamoDB|Exception|timeout| at |127\.0\.0\.1/);
}

async function expectAllInternal(): Promise<void> {
  const answers = await sendAll(requests, faulty);
  for (const { endpoint } of requests) expectInternal(answers[endpoint]);
  expect(faulty.reports).toEqual([]);
}

describe("every endpoint answers INTERNAL by itself, within the function's time-out, while", () => {
  test.each<{ dynamodb: string; rule: FaultRule }>([
    { dynamodb: 'is silent', rule: () => ({ kind: 'silence', applied: false }) },
    {
      dynamodb: 'stops in the middle of every answer',
      rule: () => ({ kind: 'stall', applied: true }),
    },
    { dynamodb: 'breaks every connection', rule: () => ({ kind: 'cut', applied: false }) },
    {
      dynamodb: 'fails at everything',
      rule: () => ({ kind: 'error', name: 'InternalServerError' }),
    },
  ])('every endpoint answers INTERNAL by itself while DynamoDB $dynamodb', async ({ rule }) => {
    faulty.proxy.rule = rule;

    await expectAllInternal();
  });

  test('an endpoint answers INTERNAL by itself while DynamoDB is not reachable', async () => {
    const other = await startFaultyService();
    await other.proxy.stop();

    const answer = await call('list-users', {
      apiKey: organization.reader,
      baseUrl: other.baseUrl,
    });

    expectInternal(answer);
    expect(other.reports).toEqual([]);
    await other.stop();
  });
});

test('a write whose items stay throttled is tried for two seconds and then INTERNAL, capture too, counted as a failure', async () => {
  const writes = ['capture-lead', 'create-lead', 'update-lead', 'add-note'];
  faulty.proxy.rule = ({ operation }) =>
    operation === 'TransactWriteItems'
      ? { kind: 'error', name: 'TransactionCanceledException', code: 'ThrottlingError' }
      : undefined;

  const { result, calls } = await faulty.proxy.record(() => sendAll(requests, faulty));

  const lines = faulty.logged().split('\n');
  for (const endpoint of writes) {
    expectInternal(result[endpoint]);
    const requestId = result[endpoint]?.headers.get('x-request-id') ?? '';
    const [failed, answered] = lines
      .filter((line) => line.includes(requestId))
      .map((line) => JSON.parse(line));
    expect(failed.error).toMatchObject({
      name: 'ThrottledError',
      cause: { name: 'TransactionCanceledException' },
    });
    expect(answered).toMatchObject({ code: 'INTERNAL', failed: 1 });
    expect(answered.contended).toBeUndefined();
    expect(answered.ms).toBeGreaterThanOrEqual(2000);
  }
  expect(
    calls.filter(({ operation }) => operation === 'TransactWriteItems').length,
  ).toBeGreaterThan(4 * writes.length);
  expect(faulty.reports).toEqual([]);
});

test('every endpoint answers INTERNAL by itself while DynamoDB throttles everything, and its log tells which table or index is throttled, and why', async () => {
  faulty.proxy.rule = () => ({ kind: 'error', name: 'ThrottlingException' });

  const answers = await sendAll(requests, faulty);

  for (const { endpoint } of requests) expectInternal(answers[endpoint]);
  expect(faulty.reports).toEqual([]);
  const requestId = answers['list-lead-stages']?.headers.get('x-request-id') ?? '';
  const line = faulty
    .logged()
    .split('\n')
    .find((one) => one.includes(requestId));
  expect(JSON.parse(line ?? '').error).toMatchObject({
    name: 'ThrottlingException',
    throttling: [
      {
        reason: 'IndexWriteKeyRangeThroughputExceeded',
        resource: expect.stringMatching(/:table\/leads\/index\//),
      },
    ],
  });
});

test('keys that stay unprocessed are an outage, never an absent item', async () => {
  faulty.proxy.rule = ({ operation }) =>
    operation === 'BatchGetItem'
      ? { kind: 'unprocessed', share: 1, random: Math.random }
      : undefined;

  const answers = await sendAll(requests, faulty);

  for (const endpoint of ['capture-lead', 'create-lead', 'list-leads'])
    expectInternal(answers[endpoint]);
  expect(faulty.reports).toEqual([]);
});
