import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkTable } from '../../../shared/store/check/check-table.ts';
import { readTimeline } from '../../../shared/store/leads/timeline.ts';
import { call } from '../../support/call.ts';
import { type Fault, faultOnce } from '../../support/faults/rules.ts';
import { useOrganization } from '../../support/organizations.ts';
import { deployedTimeout, type OwnService, startOwnService } from '../../support/own-service.ts';
import { useOwnTable } from '../../support/own-table.ts';
import { person } from '../../support/people.ts';
import { service } from '../../support/service.ts';
import { table } from '../../support/table.ts';

useOwnTable();

/** What only a real connection has: the caller does not notice, and what was asked for is done once. The simulator answers with every error. */
const organization = useOrganization();
let own: OwnService;
beforeAll(async () => {
  // Three times the deployed time-out: the retries must get their answers on a machine that stalls for more than a second.
  own = await startOwnService({ ...service().environment, DYNAMODB_TIMEOUT_MS: '3000' });
});
afterAll(async () => {
  await own.stop();
  expect((await checkTable(table())).violations).toEqual([]);
});

const timelineOf = async (leadId: number): Promise<string[]> =>
  (await readTimeline(table(), organization.id, leadId)).map(({ type }) => type);

/** Of the call that writes a captured lead. */
const brokenConnections: readonly Fault[] = [
  { kind: 'cut', applied: false },
  { kind: 'cut', applied: true },
  { kind: 'cut', applied: true, inBody: true },
  { kind: 'silence', applied: true },
  { kind: 'stall', applied: true },
];

test.each(brokenConnections.map((fault) => ({ fault, shown: JSON.stringify(fault) })))(
  'a captured lead is written once through $shown',
  async ({ fault }) => {
    const apiKey = organization.website;
    own.proxy.rule = faultOnce(({ operation }) => operation === 'TransactWriteItems', fault);

    const { result, calls } = await own.proxy.record(() =>
      call('capture-lead', { apiKey, body: person(), baseUrl: own.baseUrl }),
    );

    expect(calls.filter((one) => one.fault !== undefined)).toHaveLength(1);
    expect(result.status).toBe(201);
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
