import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CallReply, call } from '../support/call.ts';
import { effectsOn } from '../support/effects.ts';
import { type FaultyService, startFaultyService } from '../support/faults/faulty-service.ts';
import type { FaultRule } from '../support/faults/rules.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { person } from '../support/people.ts';
import { type GoodRequest, goodRequests, sendAll } from './requests.ts';

/** DynamoDB slow or away: every answer is the function's own, in time, in the contract's shape; nothing is answered unchecked. */
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
      dynamodb: 'throttles everything',
      rule: () => ({ kind: 'error', name: 'ThrottlingException' }),
    },
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

test.each(['UpdateItem KEY', 'UpdateItem USAGE'])(
  'no request is answered unchecked while only %s gets no response',
  async (site) => {
    const reads = requests.filter(({ status }) => status === 200);
    faulty.proxy.rule = (one) =>
      one.site === site ? { kind: 'silence', applied: false } : undefined;

    const { result, calls } = await faulty.proxy.record(() => sendAll(reads, faulty));

    for (const { endpoint } of reads) expectInternal(result[endpoint]);
    // Read in parallel with admission, by get and by update, and dropped.
    expect(
      calls.filter(({ site, attempt }) => site === 'GetItem LEADS' && attempt === 1),
    ).toHaveLength(2);
    expect(calls.map(({ operation }) => operation)).not.toContain('TransactWriteItems');
  },
);

test('a write whose items stay contended gives up by itself: capture answers 409, the others INTERNAL', async () => {
  faulty.proxy.rule = ({ operation }) =>
    operation === 'TransactWriteItems'
      ? { kind: 'error', name: 'TransactionCanceledException' }
      : undefined;

  const answers = await sendAll(requests, faulty);

  expect(answers['capture-lead']).toMatchObject({
    status: 409,
    body: { error: { code: 'IDEMPOTENCY_IN_PROGRESS' } },
  });
  for (const endpoint of ['create-lead', 'update-lead', 'add-note'])
    expectInternal(answers[endpoint]);
  expect(faulty.reports).toEqual([]);
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

test('a call that DynamoDB throttles to the end tells in the log which table or index is throttled, and why', async () => {
  faulty.proxy.rule = () => ({ kind: 'error', name: 'ThrottlingException' });

  const answer = await call('list-users', { apiKey: organization.reader, baseUrl: faulty.baseUrl });

  expectInternal(answer);
  const requestId = answer.headers.get('x-request-id') ?? '';
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

test('the slowest DynamoDB that still answers: the last answer arrives in time, and nothing is sent or written after it', async () => {
  await faulty.killFunctions(); // a cold one makes one call more in turn
  const reportsBefore = faulty.reports.length;
  const who = person();
  const before = faulty.proxy.calls.length;
  const attempts = new Map<string, number>();
  // Each call is answered at its third attempt alone: as slow as a call can be that does not fail.
  faulty.proxy.rule = ({ site }) => {
    const attempt = (attempts.get(site) ?? 0) + 1;
    attempts.set(site, attempt);
    return attempt % 3 === 0 ? { kind: 'delay', ms: 900 } : { kind: 'silence', applied: false };
  };

  const answer = await call('capture-lead', {
    apiKey: organization.website,
    body: who,
    baseUrl: faulty.baseUrl,
  });
  const sent = faulty.proxy.calls.length;
  await pause(3500); // longer than a call with all its attempts

  expectInternal(answer);
  expect(faulty.reports.slice(reportsBefore)).toEqual([]);
  expect(faulty.proxy.calls.slice(before).map(({ site }) => site)).toContain('UpdateItem TURN');
  expect(faulty.proxy.calls.slice(sent).map(({ site }) => site)).toEqual([]);
  expect((await effectsOn(organization.id, who.phone)).lead).toBeUndefined();
  const requestId = answer.headers.get('x-request-id') ?? '';
  const lines = faulty
    .logged()
    .split('\n')
    .filter((line) => line.includes(requestId));
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(['failed', 'answered']);
});
