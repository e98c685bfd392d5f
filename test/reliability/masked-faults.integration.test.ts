import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkTable } from '../../shared/store/check/check-table.ts';
import { readTimeline } from '../../shared/store/leads/timeline.ts';
import { type CallOptions, call } from '../support/call.ts';
import { type ArrivingCall, type Fault, faultOnce } from '../support/faults/rules.ts';
import { useOrganizationWithLead } from '../support/leads.ts';
import { deployedTimeout, type OwnService, startOwnService } from '../support/own-service.ts';
import { useOwnTable } from '../support/own-table.ts';
import { person } from '../support/people.ts';
import { service } from '../support/service.ts';
import { table } from '../support/table.ts';

useOwnTable();

/**
 * One fault, of every kind that an engine and a connection can have: the caller does not notice, and what was asked for is done once. The
 * simulator tries a fault at every call of every endpoint (`npm run simulate -- --pairs`).
 */
const organization = useOrganizationWithLead();
let own: OwnService;
beforeAll(async () => {
  own = await startOwnService({ ...service().environment, ...deployedTimeout });
});
afterAll(async () => {
  await own.stop();
  expect((await checkTable(table())).violations).toEqual([]);
});

type Endpoint = 'capture-lead' | 'update-lead' | 'list-leads' | 'list-lead-stages';
/** Each reads and writes as many kinds of items as its endpoint can. */
const requests: Readonly<Record<Endpoint, () => CallOptions>> = {
  'capture-lead': () => ({
    apiKey: organization.website,
    body: person(),
    headers: { 'Idempotency-Key': person().email },
  }),
  'update-lead': () => ({
    apiKey: organization.writer,
    leadId: organization.lead.id,
    body: { fields: person() },
  }),
  'list-leads': () => ({ apiKey: organization.reader, query: { stage_id: 11 } }),
  'list-lead-stages': () => ({ apiKey: organization.reader }),
};

/** Sends a request whose first such call fails. @returns its reply, and the sites of the calls that failed */
async function sendThrough(
  endpoint: Endpoint,
  fault: Fault,
  isCall: (call: ArrivingCall) => boolean,
) {
  own.proxy.rule = faultOnce(isCall, fault);
  const { result, calls } = await own.proxy.record(() =>
    call(endpoint, { ...requests[endpoint](), baseUrl: own.baseUrl }),
  );
  return { ...result, faulty: calls.filter((one) => one.fault !== undefined) };
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
    const { status, body, faulty } = await sendThrough(
      'capture-lead',
      fault,
      ({ operation }) => operation === 'TransactWriteItems',
    );

    expect(faulty).toHaveLength(1);
    expect(status).toBe(201);
    expect(await timelineOf(body.lead.id)).toEqual(['captured_new']);
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

test.each<{ endpoint: Endpoint; site: string; fault: Fault }>([
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
  const { status, faulty } = await sendThrough(endpoint, fault, (one) => one.site === site);

  expect(faulty.map((one) => one.site)).toEqual([site]);
  expect(status).toBe(endpoint === 'capture-lead' ? 201 : 200);
});
