import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Lead, LeadClient } from '../../../shared/client/client.ts';
import { call } from '../../support/call.ts';
import { type GivenOrganization, givenOrganization } from '../../support/organizations.ts';
import { type OwnService, startOwnService } from '../../support/own-service.ts';
import { node24, type Program, startProgram } from '../../support/service-process.ts';
import { useFolder } from '../given-folder.ts';

let service: OwnService;
let organization: GivenOrganization;
const files = useFolder();
const jobs: Program[] = [];
beforeAll(async () => {
  [service, organization] = await Promise.all([startOwnService(), givenOrganization()]);
});
afterAll(async () => {
  await Promise.all(jobs.map(kill));
  await service.stop();
});

function startJob(): Program {
  const { baseUrl } = service;
  const { reader } = organization;
  const job = startProgram(node24, ['infra/recipes/sync-job.ts'], {
    env: { ...process.env, LEADS_URL: baseUrl, LEADS_API_KEY: reader, FOLDER: files.path() },
  });
  jobs.push(job);
  return job;
}

async function kill({ child, ended }: Program): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

const statusOf = async ({ ended }: Program): Promise<number | null> => (await ended).status;

const people = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: `Person ${from + index}`,
    phone: `+9198${String(10_000_000 + from + index)}`,
  }));

async function captureAll(all: readonly object[]): Promise<void> {
  for (const body of all)
    expect(
      (await call('capture-lead', { apiKey: organization.website, body })).status,
    ).toBeLessThan(300);
}

const lines = async () =>
  (await files.read(files.path('leads.jsonl')))
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

test('the sync job’s file has each state of a lead once, though the job and the service are killed', async () => {
  await captureAll(people(0, 150));

  // Killed after its first page, and once more while the service is away.
  const first = startJob();
  await vi.waitUntil(() => existsSync(files.path('position')), { timeout: 60_000 });
  await kill(first);
  const half = await lines();
  await service.kill();
  const second = startJob();
  await pause(500);
  await kill(second);
  const third = startJob();
  await service.restart();
  const thirdStatus = await statusOf(third);
  const afterThird = await lines();

  // Changed since: 5 new leads, and 5 that are filled.
  await captureAll([
    ...people(150, 5),
    ...people(0, 5).map((one, index) => ({ ...one, email: `p${index}@example.com` })),
  ]);
  const fourth = startJob();
  await service.kill();
  await service.restart();
  const fourthStatus = await statusOf(fourth);
  const fifthStatus = await statusOf(startJob());

  const { baseUrl } = service;
  const leads: Lead[] = [];
  for await (const lead of new LeadClient({ baseUrl, apiKey: organization.reader }).leads())
    leads.push(lead);
  const written = await lines();
  expect([thirdStatus, fourthStatus, fifthStatus]).toEqual([0, 0, 0]);
  expect(half.length).toBeGreaterThanOrEqual(100);
  expect(afterThird.map(({ id }) => id).sort((a, b) => b - a)).toEqual(
    leads.slice(5).map(({ id }) => id),
  );
  expect(written).toHaveLength(160);
  expect(new Set(written.map(({ id, updatedAt }) => `${id} ${updatedAt}`)).size).toBe(160);
  expect(Object.values(Object.fromEntries(written.map((lead) => [lead.id, lead])))).toEqual(
    [...leads].reverse(),
  );
});
