import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EndpointName } from '../../shared/contract/endpoints.ts';
import { applySettings } from '../../shared/store/organizations/apply-settings.ts';
import { setOrganizationBucket } from '../support/buckets.ts';
import { type CallOptions, type CallReply, call } from '../support/call.ts';
import { expectRecorded } from '../support/faults/budget.ts';
import {
  longestChain,
  type RecordedCall,
  withoutAbandonedAttempts,
} from '../support/faults/calls.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { type OwnService, startOwnService } from '../support/own-service.ts';
import { person } from '../support/people.ts';
import { goodRequests } from '../support/requests.ts';
import { table } from '../support/table.ts';

/**
 * What each endpoint costs (design, section 7): a warm function that has seen the key and the settings, a lead under 1 KB with an email.
 * The counts are in `test/functions/counts.json`, under the name of the request; `npm run bench -- --record` writes them.
 *
 * Units are DynamoDB's (AWS: "DynamoDB read and write operations"): a write of up to 1 KB takes one; an item of a transaction two, one that
 * is only checked too; a consistent read of up to 4 KB one, of an absent item too; an index entry that is new one, one that moves two. On
 * both engines, the calls cost what DynamoDB documents, and the engine counts no more than that, as it would for an item over 1 KB. No
 * more, because DynamoDB Local counts all plain puts of a transaction as one, and an index entry inside one twice.
 */
let faulty: OwnService;
/** Owners take turns. */
let rotating: GivenOrganization;
/** One person owns all leads, so that nobody's turn is asked for. */
let alone: GivenOrganization;
beforeAll(async () => {
  faulty = await startOwnService();
  [rotating, alone] = await Promise.all([
    givenOrganization(),
    givenOrganization({ users: [{ id: 7, name: 'Asha Rao' }] }),
  ]);
});
afterAll(() => faulty.stop());

const send = (name: EndpointName, options: CallOptions): Promise<CallReply> =>
  call(name, { ...options, baseUrl: faulty.baseUrl });

/** Sends the request that is counted. */
async function record(
  name: EndpointName,
  options: CallOptions,
): Promise<{ calls: readonly RecordedCall[]; status: number }> {
  faulty.proxy.heldUntil = untilFunctionsWait;
  try {
    const { result, calls } = await faulty.proxy.record(() => send(name, options));
    return { calls: withoutAbandonedAttempts(calls), status: result.status };
  } finally {
    faulty.proxy.heldUntil = undefined;
  }
}

interface Counted extends CallOptions {
  /** By default `name`. */
  readonly budget?: string;
  readonly name: EndpointName;
  readonly status: number;
}

/**
 * Expects a request to keep to its budget.
 * @param before the request that makes the function know the key, the settings or the lead; by default the same one
 */
async function expectBudget(
  { budget, name, status, ...options }: Counted,
  before: CallOptions = options,
): Promise<void> {
  await send(name, before);

  const recorded = await record(name, options);

  expect(recorded.status).toBe(status);
  expectRecorded(budget ?? name, recorded.calls);
}

describe('capture', () => {
  const name = 'capture-lead';
  const headers = () => ({ 'Idempotency-Key': randomUUID() });

  test.each([
    { rotation: 'without rotation', given: () => alone, budget: 'capture, new, without rotation' },
    { rotation: 'with rotation', given: () => rotating, budget: 'capture, new' },
  ])('a captured new lead $rotation keeps to its budget', async ({ given, budget }) => {
    const { website: apiKey } = given();
    const body = { ...person(), source: 'Website' };

    await expectBudget(
      { budget, name, apiKey, body, headers: headers(), status: 201 },
      { apiKey, body: person() },
    );
  });

  test.each([
    { fills: 'nothing', fields: {}, budget: 'capture, existing, nothing filled' },
    { fills: 'a field', fields: { city: 'Pune' }, budget: 'capture, existing, a field filled' },
  ])(
    'a capture that matches a lead and fills $fills keeps to its budget',
    async ({ fields, budget }) => {
      const { website: apiKey } = rotating;
      const body = person();

      await expectBudget(
        { budget, name, apiKey, body: { ...body, fields }, headers: headers(), status: 200 },
        { apiKey, body },
      );
    },
  );

  test('a replayed capture keeps to its budget', async () => {
    const { website: apiKey } = rotating;
    const budget = 'capture, replayed';

    await expectBudget({ budget, name, apiKey, body: person(), headers: headers(), status: 201 });
  });
});

async function givenLead({ website }: GivenOrganization): Promise<number> {
  const { body } = await call('capture-lead', { apiKey: website, body: person() });
  return body.lead.id;
}

test.each([
  { rotation: 'without rotation', given: () => alone, budget: 'create, without rotation' },
  { rotation: 'with rotation', given: () => rotating, budget: 'create' },
])('a created lead $rotation keeps to its budget', async ({ given, budget }) => {
  const { writer: apiKey } = given();
  const body = () => ({ fields: { ...person(), source: 1 } });

  await expectBudget(
    { budget, name: 'create-lead', apiKey, body: body(), status: 201 },
    { apiKey, body: body() },
  );
});

describe('a list of 25 of 40 leads', () => {
  let organization: GivenOrganization;
  beforeAll(async () => {
    organization = await givenOrganization();
    // One after the other: in parallel they contend for the organization's counters, longer on a busy engine than a request may take.
    for (let made = 0; made < 40; made += 1) await givenLead(organization);
  });

  test.each([
    { by: 'without an index', query: {}, budget: 'list, 25 leads' },
    { by: 'by stage', query: { stage_id: 11 }, budget: 'list, 25 leads by stage' },
  ])('a list of 25 of 40 leads $by keeps to its budget', ({ query, budget }) =>
    expectBudget({ budget, name: 'list-leads', apiKey: organization.reader, query, status: 200 }),
  );
});

test.each([
  { what: 'a field', body: { fields: { city: 'Pune' } } },
  { what: 'the stage', body: { stageId: 12 } },
  { what: 'nothing', body: {} },
])('an update of $what keeps to its budget', async ({ what, body }) => {
  const about = { leadId: await givenLead(rotating), apiKey: rotating.writer };

  await expectBudget(
    { budget: `update, ${what}`, name: 'update-lead', ...about, body, status: 200 },
    { ...about, body: {} },
  );
});

/** Their cost depends on the request: they have tests of their own above. */
const severalCosts: readonly EndpointName[] = [
  'list-leads',
  'create-lead',
  'capture-lead',
  'update-lead',
];
const shortNames: Readonly<Partial<Record<EndpointName, string>>> = {
  'get-lead': 'get',
  'add-note': 'note',
};

test.each(goodRequests.filter(({ name }) => !severalCosts.includes(name)))(
  'a good request of $name keeps to its budget',
  async ({ name, status, request }) =>
    expectBudget({
      ...{ budget: shortNames[name] ?? name, name, status, apiKey: rotating.writer },
      ...request(await givenLead(rotating)),
    }),
);

describe('a key, settings or a window that a function has not seen cost one more round trip', () => {
  let organization: GivenOrganization;
  let leadId: number;
  beforeEach(async () => {
    organization = await givenOrganization();
    leadId = await givenLead(organization);
    // A key's first request also begins its window, which costs one more call.
    for (const apiKey of [organization.reader, organization.writer])
      await call('get-lead', { apiKey, leadId });
  });
  const expectGet = async (budget: string, apiKey: string): Promise<void> =>
    expectRecorded(budget, (await record('get-lead', { apiKey, leadId })).calls);

  test("the first request of a key, which also reads its organization's settings, costs one more round trip", () =>
    expectGet('get, first request with a key', organization.reader));

  test('a second key of an organization that the function knows costs one more round trip', async () => {
    await send('get-lead', { apiKey: organization.reader, leadId });

    await expectGet('get, second key of an organization', organization.writer);
  });

  test('a new version of the settings costs one more round trip', async () => {
    await send('get-lead', { apiKey: organization.reader, leadId });
    await applySettings(table(), { ...organization.settings, name: 'Renamed' });

    await expectGet('get, new version of the settings', organization.reader);
  });
});

test('an ended window costs one more round trip: a write fails, and another starts the next window', async () => {
  const organization = await givenOrganization();
  const apiKey = organization.reader;
  await send('list-users', { apiKey });
  await setOrganizationBucket(organization.id, { used: 1, windowEndsAt: Date.now() - 1 });

  const { calls } = await record('list-users', { apiKey });

  expect(calls.map(({ site, status }) => `${site} ${status}`).sort()).toEqual([
    'UpdateItem KEY 200',
    'UpdateItem USAGE 200',
    'UpdateItem USAGE 400',
  ]);
  expect(longestChain(calls)).toBe(2);
});

/** The functions that run in this process: each has a thread of its own. */
const functions = new Set<Worker>();
process.on('worker', (worker) => {
  functions.add(worker);
  worker.once('exit', () => functions.delete(worker));
});

const sampleMs = 5;
/** After a sample that took longer, the machine is busy: a function may be ready to run and still be waiting for a core. */
const sampleMaxMs = 10;
/** A waiting thread may count as active for this long. */
const activeMaxMs = 0.5;
/** During the second, this thread receives what functions sent during the first. */
const quietSamples = 2;

/**
 * Waits until every function waits: servers of this process have then received all calls that it makes in parallel. On a busy machine, a
 * function that is held up counts as active, or the sample is discarded.
 */
async function untilFunctionsWait(): Promise<void> {
  for (let quiet = 0; quiet < quietSamples; ) {
    const begunAt = performance.now();
    const before = [...functions].map((worker) => ({
      worker,
      utilization: worker.performance.eventLoopUtilization(),
    }));
    await pause(sampleMs);
    const isQuiet =
      performance.now() - begunAt <= sampleMaxMs &&
      before.every(
        ({ worker, utilization }) =>
          worker.performance.eventLoopUtilization(utilization).active < activeMaxMs,
      );
    quiet = isQuiet ? quiet + 1 : 0;
  }
}
