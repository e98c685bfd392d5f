import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, type TestContext, test } from 'vitest';
import { type CallAnswer, call } from '../support/call.ts';
import { effectsOn } from '../support/effects.ts';
import type { FaultRule } from '../support/faults.ts';
import { type FaultyService, startFaultyService } from '../support/faulty-service.ts';
import { type GivenOrganization, givenOrganization, person } from '../support/given.ts';
import { type GoodRequest, goodRequests, sendAll } from './requests.ts';

/** DynamoDB slow or away: every answer is the function's own, in time, in the contract's shape; nothing is answered unchecked. */
async function given({ onTestFinished }: Pick<TestContext, 'onTestFinished'>): Promise<{
  faulty: FaultyService;
  organization: GivenOrganization;
  requests: readonly GoodRequest[];
}> {
  const [faulty, organization] = await Promise.all([startFaultyService(), givenOrganization()]);
  onTestFinished(() => faulty.stop());
  return { faulty, organization, requests: await goodRequests(organization) };
}

/** INTERNAL as the function says it: the gateway's own, for a function that hung or died, has no `Cache-Control`. */
function expectInternal(answer: CallAnswer | undefined): void {
  expect(answer?.status).toBe(500);
  expect(answer?.headers.get('cache-control')).toBe('no-store');
  expect(answer?.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(Object.keys(answer?.body)).toEqual(['error']);
  expect(Object.keys(answer?.body.error).sort()).toEqual(['code', 'message']);
  expect(answer?.body.error.code).toBe('INTERNAL');
  expect(answer?.body.error.message).not.toMatch(/DynamoDB|Exception|timeout| at |127\.0\.0\.1/);
}

async function expectAllInternal({ faulty, requests }: Awaited<ReturnType<typeof given>>): Promise<void> {
  const answers = await sendAll(requests, faulty);
  for (const { endpoint } of requests) expectInternal(answers[endpoint]);
  expect(faulty.reports).toEqual([]);
}

// Side by side, as they mostly wait.
describe.concurrent("every endpoint answers INTERNAL by itself, within the function's time-out, while", () => {
  test.for<{ dynamodb: string; rule: FaultRule }>([
    { dynamodb: 'is silent', rule: () => ({ kind: 'silence', applied: false }) },
    { dynamodb: 'breaks every connection', rule: () => ({ kind: 'cut', applied: false }) },
    { dynamodb: 'throttles everything', rule: () => ({ kind: 'error', name: 'ThrottlingException' }) },
    { dynamodb: 'fails at everything', rule: () => ({ kind: 'error', name: 'InternalServerError' }) },
  ])('DynamoDB $dynamodb', async ({ rule }, context) => {
    const all = await given(context);
    all.faulty.proxy.rule = rule;

    await expectAllInternal(all);
  });

  test('DynamoDB is away', async (context) => {
    const all = await given(context);
    await all.faulty.proxy.stop();

    await expectAllInternal(all);
  });
});

describe.concurrent("within the function's time-out,", () => {
  test('a write whose items stay contended gives up by itself: capture says retry, the others INTERNAL', async (context) => {
    const { faulty, requests } = await given(context);
    faulty.proxy.rule = ({ operation }) =>
      operation === 'TransactWriteItems' ? { kind: 'error', name: 'TransactionCanceledException' } : undefined;

    const answers = await sendAll(requests, faulty);

    expect(answers['capture-lead']).toMatchObject({ status: 409, body: { error: { code: 'IDEMPOTENCY_IN_PROGRESS' } } });
    for (const endpoint of ['create-lead', 'update-lead', 'add-note']) expectInternal(answers[endpoint]);
    expect(faulty.reports).toEqual([]);
  });

  test('keys that stay unprocessed are an outage, never an absent item', async (context) => {
    const { faulty, requests } = await given(context);
    faulty.proxy.rule = ({ operation }) =>
      operation === 'BatchGetItem' ? { kind: 'unprocessed', share: 1, random: Math.random } : undefined;

    const answers = await sendAll(requests, faulty);

    for (const endpoint of ['capture-lead', 'create-lead', 'list-leads']) expectInternal(answers[endpoint]);
    expect(faulty.reports).toEqual([]);
  });
});

test.for(['UpdateItem KEY', 'UpdateItem USAGE'])(
  'nothing is answered unchecked while %s alone is silent',
  async (site, context) => {
    const { faulty, organization, requests } = await given(context);
    await sendAll(
      requests.filter(({ status }) => status === 200),
      faulty,
    );
    const reads = (await goodRequests(organization)).filter(
      ({ endpoint }) => endpoint.startsWith('get') || endpoint.startsWith('list'),
    );
    faulty.proxy.rule = (one) => (one.site === site ? { kind: 'silence', applied: false } : undefined);

    const { result, calls } = await faulty.proxy.record(() => sendAll(reads, faulty));

    for (const { endpoint } of reads) expectInternal(result[endpoint]);
    // Read beside admission, and dropped.
    expect(calls.filter(({ site, status }) => site.startsWith('GetItem LEADS') && status === 200)).toHaveLength(1);
    expect(faulty.reports).toEqual([]);
  },
);

test('the slowest DynamoDB that still answers: the last answer arrives in time, and nothing is sent or written after it', async (context) => {
  const { faulty, organization } = await given(context);
  const who = person();
  const attempts = new Map<string, number>();
  // Each call is answered at its third attempt alone: as slow as a call can be that does not fail.
  faulty.proxy.rule = ({ site }) => {
    const attempt = (attempts.get(site) ?? 0) + 1;
    attempts.set(site, attempt);
    return attempt % 3 === 0 ? { kind: 'delay', ms: 900 } : { kind: 'silence', applied: false };
  };

  const answer = await call('capture-lead', { apiKey: organization.website, body: who, baseUrl: faulty.baseUrl });
  const sent = faulty.proxy.calls.length;
  await pause(3500); // longer than a call with all its attempts

  expectInternal(answer);
  expect(faulty.reports).toEqual([]);
  expect(faulty.proxy.calls.map(({ site }) => site)).toContain('UpdateItem TURN');
  expect(faulty.proxy.calls.slice(sent).map(({ site }) => site)).toEqual([]);
  expect((await effectsOn(organization.id, who.phone)).lead).toBeUndefined();
  expect(faulty.logged().match(/"message":"answered"/g)).toHaveLength(1);
});
