import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EndpointName } from '../../shared/endpoints.ts';
import { checkTable } from '../../shared/store/check/check-table.ts';
import { readTimeline } from '../../shared/store/leads/timeline.ts';
import { call } from '../support/call.ts';
import { type Fault, faultOnce } from '../support/faults/rules.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { deployedTimeout, type OwnService, startOwnService } from '../support/own-service.ts';
import { useOwnTable } from '../support/own-table.ts';
import { service } from '../support/service.ts';
import { table } from '../support/table.ts';
import { type GoodRequest, goodRequests } from './requests.ts';

useOwnTable();

/**
 * One fault, of every kind that an engine and a connection can have: the caller does not notice, and what was asked for is done once. The
 * simulator tries a fault at every call of every endpoint (`npm run simulate -- --pairs`).
 */
let own: OwnService;
let organization: GivenOrganization;
beforeAll(async () => {
  [own, organization] = await Promise.all([
    startOwnService({ ...service().environment, ...deployedTimeout }),
    givenOrganization(),
  ]);
});
afterAll(async () => {
  await own.stop();
  expect((await checkTable(table())).violations).toEqual([]);
});

async function goodRequest(endpoint: EndpointName): Promise<GoodRequest> {
  const request = (await goodRequests(organization)).find((one) => one.endpoint === endpoint);
  if (!request) throw new Error(`There is no request for ${endpoint}.`);
  return request;
}

const timelineOf = async (leadId: number): Promise<string[]> =>
  (await readTimeline(table(), organization.id, leadId)).map(({ type }) => type);

/** Faults of the call that writes a captured lead. */
const atTransactions: readonly Fault[] = [
  { kind: 'cut', applied: false },
  { kind: 'cut', applied: true },
  { kind: 'cut', applied: true, inBody: true },
  { kind: 'silence', applied: true },
  { kind: 'stall', applied: true },
  { kind: 'error', name: 'InternalServerError', applied: true },
  { kind: 'error', name: 'ProvisionedThroughputExceededException' },
  { kind: 'error', name: 'RequestLimitExceeded' },
  { kind: 'error', name: 'TransactionCanceledException' },
  { kind: 'error', name: 'TransactionCanceledException', code: 'ThrottlingError' },
  { kind: 'error', name: 'TransactionCanceledException', code: 'ProvisionedThroughputExceeded' },
  { kind: 'error', name: 'TransactionInProgressException' },
  { kind: 'error', name: 'TransactionInProgressException', applied: true },
];

test.each(atTransactions.map((fault) => ({ fault, shown: JSON.stringify(fault) })))(
  'a captured lead is written once through $shown',
  async ({ fault }) => {
    const { options, status } = await goodRequest('capture-lead');
    own.proxy.rule = faultOnce(({ operation }) => operation === 'TransactWriteItems', fault);

    const { result, calls } = await own.proxy.record(() =>
      call('capture-lead', { ...options, baseUrl: own.baseUrl }),
    );

    expect(calls.filter((one) => one.fault !== undefined)).toHaveLength(1);
    expect(result.status).toBe(status);
    expect(await timelineOf(result.body.lead.id)).toEqual(['captured_new']);
  },
);

test('an endpoint answers INTERNAL by itself while DynamoDB is not reachable', async () => {
  const other = await startOwnService({ ...service().environment, ...deployedTimeout });
  await other.proxy.stop();

  const answer = await call('list-users', {
    apiKey: organization.reader,
    baseUrl: other.baseUrl,
  });

  expect([answer.status, answer.body.error.code]).toEqual([500, 'INTERNAL']);
  // The gateway's own answer, for a function that hung or died, has no `Cache-Control`.
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.body.error.message).not.toMatch(/DynamoDB|Exception|timeout| at |127\.0\.0\.1/);
  expect(other.reports).toEqual([]);
  await other.stop();
});

test.each<{ endpoint: EndpointName; site: string; fault: Fault }>([
  {
    endpoint: 'list-lead-stages',
    site: 'UpdateItem KEY',
    fault: { kind: 'error', name: 'TransactionConflictException' },
  },
  { endpoint: 'list-lead-stages', site: 'UpdateItem KEY', fault: { kind: 'cut', applied: true } },
  {
    endpoint: 'capture-lead',
    site: 'BatchGetItem IDEMPOTENCY',
    fault: { kind: 'unprocessed', share: 0.5, random: Math.random },
  },
  { endpoint: 'update-lead', site: 'GetItem LEADS', fault: { kind: 'cut', applied: false } },
  { endpoint: 'list-leads', site: 'Query STAGE', fault: { kind: 'cut', applied: false } },
])('$endpoint succeeds through $fault.kind at $site', async ({ endpoint, site, fault }) => {
  const { options, status } = await goodRequest(endpoint);
  own.proxy.rule = faultOnce((one) => one.site === site, fault);

  const { result, calls } = await own.proxy.record(() =>
    call(endpoint, { ...options, baseUrl: own.baseUrl }),
  );

  expect(calls.filter((one) => one.fault !== undefined).map((one) => one.site)).toEqual([site]);
  expect(result.status).toBe(status);
});
