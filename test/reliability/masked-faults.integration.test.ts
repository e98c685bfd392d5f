import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EndpointName } from '../../shared/endpoints.ts';
import { checkTable } from '../../shared/store/check/check-table.ts';
import { readTimeline } from '../../shared/store/leads/timeline.ts';
import { call } from '../support/call.ts';
import { isCallOf, RulesByOrganization } from '../support/faults/organization-rules.ts';
import { type Fault, faultOnce } from '../support/faults/rules.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { type OwnService, startOwnService } from '../support/own-service.ts';
import { useOwnTable } from '../support/own-table.ts';
import { person } from '../support/people.ts';
import { table } from '../support/table.ts';
import { goodRequests } from './requests.ts';

useOwnTable();

/**
 * One fault, of every kind that an engine and a connection can have, at a call of every kind: the caller does not notice, and what was asked
 * for is done once. The simulator tries a fault at every call of every endpoint (`npm run simulate -- --pairs`).
 */
let faulty: OwnService;
const rules = new RulesByOrganization();
beforeAll(async () => {
  faulty = await startOwnService();
  faulty.proxy.rule = rules.rule;
});
afterAll(async () => {
  await faulty.stop();
  expect((await checkTable(table())).violations).toEqual([]);
});

const anywhere: readonly Fault[] = [
  { kind: 'cut', applied: false },
  { kind: 'cut', applied: true },
  { kind: 'error', name: 'InternalServerError', applied: true },
  { kind: 'error', name: 'ProvisionedThroughputExceededException' },
];
const atTransactions: readonly Fault[] = [
  ...anywhere,
  { kind: 'silence', applied: true },
  { kind: 'cut', applied: true, inBody: true },
  { kind: 'error', name: 'TransactionCanceledException' },
  { kind: 'error', name: 'TransactionCanceledException', code: 'ThrottlingError' },
];
const atOtherTransactions: readonly Fault[] = [
  { kind: 'stall', applied: true },
  { kind: 'error', name: 'TransactionCanceledException', code: 'ProvisionedThroughputExceeded' },
  { kind: 'error', name: 'RequestLimitExceeded' },
  { kind: 'error', name: 'TransactionInProgressException' },
  { kind: 'error', name: 'TransactionInProgressException', applied: true },
];
const atBuckets: readonly Fault[] = [
  ...anywhere,
  { kind: 'error', name: 'TransactionConflictException' },
];
const atBatches: readonly Fault[] = [
  ...anywhere,
  { kind: 'unprocessed', share: 0.5, random: Math.random },
];

interface Case {
  readonly endpoint: EndpointName;
  readonly site: string;
  readonly faults: readonly Fault[];
  /** Of the lead that the request is about, after it; left out where nothing is written. */
  readonly timeline?: readonly string[];
}

const cases: readonly Case[] = [
  { endpoint: 'list-lead-stages', site: 'UpdateItem KEY', faults: atBuckets },
  {
    endpoint: 'capture-lead',
    site: 'BatchGetItem IDEMPOTENCY',
    faults: atBatches,
    timeline: ['captured_new'],
  },
  {
    endpoint: 'capture-lead',
    site: 'TransactWriteItems LEADS',
    faults: atTransactions,
    timeline: ['captured_new'],
  },
  {
    endpoint: 'capture-lead',
    site: 'TransactWriteItems LEADS',
    faults: atOtherTransactions,
    timeline: ['captured_new'],
  },
  {
    endpoint: 'update-lead',
    site: 'GetItem LEADS',
    faults: anywhere,
    timeline: ['captured_new', 'lead_updated'],
  },
  { endpoint: 'list-leads', site: 'Query STAGE', faults: anywhere },
];

const nameOf = (fault: Fault): string =>
  [
    'name' in fault ? fault.name : fault.kind,
    ...('code' in fault ? [fault.code] : []),
    ...('applied' in fault && fault.applied ? ['applied'] : []),
    ...('inBody' in fault && fault.inBody ? ['its answer half sent'] : []),
  ].join(', ');

/** Three at once, which wait for different time-outs. More would make cold functions, not less waiting. */
const lanes = [
  cases.filter(({ faults }) => faults === atTransactions),
  cases.filter(({ faults }) => faults === atOtherTransactions),
  cases.filter(({ faults }) => faults !== atTransactions && faults !== atOtherTransactions),
];

describe.concurrent.each(lanes.map((inTurn, lane) => ({ lane, inTurn })))(
  'in lane $lane',
  ({ inTurn }) => {
    let organization: GivenOrganization;
    beforeAll(async () => {
      organization = await givenOrganization();
    });

    test.each(
      inTurn.flatMap(({ faults, ...one }) =>
        faults.map((fault) => ({ ...one, fault, name: nameOf(fault) })),
      ),
    )(
      '$endpoint succeeds through $name at $site',
      { concurrent: false },
      async ({ endpoint, site, fault, timeline }) => {
        const request = (await goodRequests(organization)).find((one) => one.endpoint === endpoint);
        if (!request) throw new Error(`There is no request for ${endpoint}.`);
        rules.set(
          organization,
          faultOnce((one) => one.site === site, fault),
        );

        const { result, calls } = await faulty.proxy.record(() =>
          call(endpoint, { ...request.options, baseUrl: faulty.baseUrl }),
        );

        const faulted = calls
          .filter(isCallOf(organization))
          .filter((one) => one.fault !== undefined);
        expect(faulted.map((one) => one.site)).toEqual([site]);
        expect(result.status).toBe(request.status);
        if (!timeline) return;
        const leadId = Number(request.options.leadId ?? result.body.lead.id);
        const entries = await readTimeline(table(), organization.id, leadId);
        expect(entries.map(({ type }) => type)).toEqual(timeline);
      },
    );
  },
);

test('a list by stage shows leads that its index has, and no other, while the index lags', async () => {
  const { website, reader, writer } = await givenOrganization();
  const capture = async (baseUrl?: string): Promise<number> => {
    const { body } = await call('capture-lead', {
      apiKey: website,
      body: person(),
      ...(baseUrl && { baseUrl }),
    });
    return body.lead.id;
  };
  const leadsIn = async (stageId: number): Promise<number[]> => {
    const { body } = await call('list-leads', {
      apiKey: reader,
      query: { stage_id: stageId, limit: 2 },
      baseUrl: faulty.baseUrl,
    });
    return body.items.map(({ id }: { id: number }) => id);
  };
  // The proxy knows what was written through it alone: the rest is in the indexes.
  const [older, moved] = [await capture(), await capture()];
  await call('update-lead', {
    apiKey: writer,
    leadId: moved,
    body: { stageId: 12 },
    baseUrl: faulty.baseUrl,
  });
  const newer = await capture(faulty.baseUrl);

  faulty.proxy.indexLagMs = 60_000;
  const whileLagging = { new: await leadsIn(11), enrolled: await leadsIn(12) };
  faulty.proxy.indexLagMs = 0;

  expect(whileLagging).toEqual({ new: [older], enrolled: [] });
  expect({ new: await leadsIn(11), enrolled: await leadsIn(12) }).toEqual({
    new: [newer, older],
    enrolled: [moved],
  });
});
