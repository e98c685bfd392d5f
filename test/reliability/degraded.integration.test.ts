import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CallReply, call } from '../support/call.ts';
import { requestIdForm } from '../support/described.ts';
import { isCallOf, RulesByOrganization } from '../support/faults/organization-rules.ts';
import type { FaultRule } from '../support/faults/rules.ts';
import { givenOrganization } from '../support/organizations.ts';
import { deployedTimeout, type OwnService, startOwnService } from '../support/own-service.ts';
import { service } from '../support/service.ts';
import { type GoodRequest, goodRequests, sendAll } from './requests.ts';

/**
 * DynamoDB slow or away, through real connections: every answer is the function's own, in time, in the contract's shape. What takes
 * longer, every endpoint under every fault, and whether nothing is answered unchecked, is in slow-dynamodb.test.ts, in simulated time. The
 * tests wait for the time-outs of deployed functions, all at the same time: each has an organization of its own.
 */
let faulty: OwnService;
const rules = new RulesByOrganization();
beforeAll(async () => {
  faulty = await startOwnService({ ...service().environment, ...deployedTimeout });
  faulty.proxy.rule = rules.rule;
  // Warm functions, one after the other, so that a busy machine is not made busier by cold ones.
  const requests = await goodRequests(await givenOrganization());
  for (const request of requests) {
    const answers = await sendAll([request], faulty);
    expect(answers[request.endpoint]?.status).toBe(request.status);
  }
});
afterAll(() => faulty.stop());

/** Good requests of an organization that meets the rule from its first request on. */
async function requestsUnder(rule: FaultRule): Promise<readonly GoodRequest[]> {
  const organization = await givenOrganization();
  const requests = await goodRequests(organization);
  rules.set(organization, rule);
  return requests;
}

/** INTERNAL as the function says it: the gateway's own, for a function that hung or died, has no `Cache-Control`. */
function expectInternal(answer: CallReply | undefined): void {
  expect(answer?.status).toBe(500);
  expect(answer?.headers.get('cache-control')).toBe('no-store');
  expect(answer?.headers.get('x-request-id')).toMatch(requestIdForm);
  expect(Object.keys(answer?.body)).toEqual(['error']);
  expect(Object.keys(answer?.body.error).sort()).toEqual(['code', 'message']);
  expect(answer?.body.error.code).toBe('INTERNAL');
  expect(answer?.body.error.message).not.toMatch(/DynamoDB|Exception|timeout| at |127\.0\.0\.1/);
}

async function expectAllInternal(requests: readonly GoodRequest[]): Promise<void> {
  const answers = await sendAll(requests, faulty);
  for (const { endpoint } of requests) expectInternal(answers[endpoint]);
  expect(faulty.reports).toEqual([]);
}

/** One that writes, and one that reads an index. */
const isWriteOrList = ({ endpoint }: GoodRequest): boolean =>
  endpoint === 'capture-lead' || endpoint === 'list-leads';

describe.concurrent("within the function's time-out,", () => {
  test('every endpoint answers INTERNAL by itself while DynamoDB is silent', async () => {
    const requests = await requestsUnder(() => ({ kind: 'silence', applied: false }));

    await expectAllInternal(requests);
  });

  test('an endpoint answers INTERNAL by itself while DynamoDB is not reachable', async () => {
    const { reader } = await givenOrganization();
    const other = await startOwnService({ ...service().environment, ...deployedTimeout });
    await other.proxy.stop();

    const answer = await call('list-users', { apiKey: reader, baseUrl: other.baseUrl });

    expectInternal(answer);
    expect(other.reports).toEqual([]);
    await other.stop();
  });

  test('a write whose items stay throttled is tried for two seconds, then INTERNAL and counted as a failure', async () => {
    const writes: readonly string[] = ['capture-lead', 'create-lead', 'update-lead', 'add-note'];
    const organization = await givenOrganization();
    const requests = await goodRequests(organization);
    rules.set(organization, ({ operation }) =>
      operation === 'TransactWriteItems'
        ? { kind: 'error', name: 'TransactionCanceledException', code: 'ThrottlingError' }
        : undefined,
    );

    const { result, calls } = await faulty.proxy.record(() =>
      sendAll(
        requests.filter(({ endpoint }) => writes.includes(endpoint)),
        faulty,
      ),
    );

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
      calls
        .filter(isCallOf(organization))
        .filter(({ operation }) => operation === 'TransactWriteItems').length,
    ).toBeGreaterThan(4 * writes.length);
    expect(faulty.reports).toEqual([]);
  });

  test('requests answer INTERNAL while DynamoDB throttles everything, and the log names what, and why', async () => {
    const requests = await requestsUnder(() => ({ kind: 'error', name: 'ThrottlingException' }));
    const some = requests.filter(
      (one) => isWriteOrList(one) || one.endpoint === 'list-lead-stages',
    );

    const answers = await sendAll(some, faulty);

    for (const { endpoint } of some) expectInternal(answers[endpoint]);
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
});
