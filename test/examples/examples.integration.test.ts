import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, type TestContext, test } from 'vitest';
import {
  node24,
  projectFolder,
  type ServiceProcess,
  startServiceProcess,
} from '../support/service-process.ts';

const timeout = 180_000;

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/**
 * A folder of a test's own, and the processes that it starts, which end with the test. The service of each test is a process of its own,
 * with a database in that folder, that the test kills and starts again.
 */
class Place {
  readonly folder: string;
  readonly #engine: string;
  readonly #running: (ServiceProcess | ChildProcess)[] = [];

  private constructor(folder: string, engine: string) {
    this.folder = folder;
    this.#engine = engine;
  }

  static async of({ task, onTestFinished }: TestContext): Promise<Place> {
    const folder = await mkdtemp(join(tmpdir(), 'examples-test-'));
    const place = new Place(folder, task.file.projectName ?? ''); // the project's name is its engine's
    onTestFinished(() => place.#end());
    return place;
  }

  /** The service on a port, to be started again on the same one. */
  async startService(port: string): Promise<ServiceProcess> {
    const database = ['--engine', this.#engine, '--db', join(this.folder, 'db')];
    const service = await startServiceProcess(['--port', port, ...database]);
    this.#running.push(service);
    return service;
  }

  startExample(name: string, environment: Record<string, string>): ChildProcess {
    const child = spawn(node24, [join(projectFolder, 'test', 'examples', name)], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#running.push(child);
    return child;
  }

  async #end(): Promise<void> {
    for (const one of this.#running) await ('end' in one ? one.end('SIGKILL') : kill(one));
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 600; turn += 1) {
    if (await isSo()) return;
    await pause(100);
  }
  throw new Error(`It did not come about that ${what}.`);
}

const people = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: `Person ${from + index}`,
    phone: `+9198${String(10_000_000 + from + index)}`,
  }));

interface ListedLead {
  readonly id: number;
  readonly phone: string;
}

async function allLeads(baseUrl: string, apiKey: string): Promise<ListedLead[]> {
  const leads: ListedLead[] = [];
  for (let cursor: number | null | undefined; cursor !== null; ) {
    const response = await fetch(
      `${baseUrl}/api/v1/leads?limit=100${cursor ? `&cursor=${cursor}` : ''}`,
      {
        headers: { Authorization: `Bearer ${apiKey}` },
      },
    );
    const page = (await response.json()) as { items: ListedLead[]; nextCursor: number | null };
    leads.push(...page.items);
    cursor = page.nextCursor;
  }
  return leads;
}

async function captureAll(baseUrl: string, apiKey: string, all: readonly object[]): Promise<void> {
  for (const body of all) {
    const response = await fetch(`${baseUrl}/api/v1/leads/capture`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok)
      throw new Error(`capture answered ${response.status}: ${await response.text()}`);
  }
}

test.concurrent('the sync job’s file has each state of a lead once, though the job and the service are killed', {
  timeout,
}, async (context) => {
  const place = await Place.of(context);
  let service = await place.startService('0');
  const { baseUrl, organizations } = service.ready;
  const { port } = new URL(baseUrl);
  const { website = '', reader = '' } = organizations[0]?.keys ?? {};
  const environment = {
    LEADS_URL: baseUrl,
    LEADS_API_KEY: reader,
    FOLDER: join(place.folder, 'leads'),
  };
  const [leadsFile, stateFile] = [
    join(place.folder, 'leads', 'leads.jsonl'),
    join(place.folder, 'leads', 'state.json'),
  ];
  const lines = async () =>
    (await readFile(leadsFile, 'utf8'))
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const ended = async (job: ChildProcess) =>
    (job.exitCode ?? (await once(job, 'exit'))[0]) as number;
  await captureAll(baseUrl, website, people(0, 150));

  // Killed after its first page, and once more while the service is away.
  const first = place.startExample('sync-job.ts', environment);
  await until('the first page is written', async () => existsSync(stateFile));
  await kill(first);
  const half = await lines();
  await service.end('SIGKILL');
  const second = place.startExample('sync-job.ts', environment);
  await pause(1000);
  await kill(second);
  const third = place.startExample('sync-job.ts', environment);
  service = await place.startService(port);
  const thirdStatus = await ended(third);
  const afterThird = await lines();

  // Changed since: 5 new leads, and 5 that are filled.
  await captureAll(baseUrl, website, [
    ...people(150, 5),
    ...people(0, 5).map((one, index) => ({ ...one, email: `p${index}@example.com` })),
  ]);
  const fourth = place.startExample('sync-job.ts', environment);
  await service.end('SIGTERM');
  service = await place.startService(port);
  const fourthStatus = await ended(fourth);
  const fifthStatus = await ended(place.startExample('sync-job.ts', environment));

  const leads = await allLeads(baseUrl, reader);
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
