/**
 * `npx node test/bench/delays.ts`: how late each way out of the service is on this machine, with each engine: an event after the response to
 * its capture, `lead timelines`, and a run of the sync job. Takes two minutes.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { clientConfig } from '../../infra/local/table.ts';
import type { Lead } from '../../shared/leads/lead.ts';
import { openTable } from '../../shared/store/table/client.ts';
import {
  node24,
  projectFolder,
  type ReadyLine,
  startServiceProcess,
} from '../support/service-process.ts';
import { storeLeads } from '../support/stored-leads.ts';
import { median } from './statistics.ts';

const captures = 200;
/** Captures come at random, as enquiries do: the publisher waits for some of them, and is at work when others come. */
const pauseMaxMs = 150;
const leadCounts = [1000, 10_000];
const firstStoredId = 1_000_000;
const at = '2026-11-20T10:00:00.000Z';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const secondsText = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** Captures new people, and watches the file. @returns milliseconds from each response to the event's line */
async function eventDelays({ baseUrl, organizations }: ReadyLine, file: string): Promise<number[]> {
  const respondedAt = new Map<number, number>();
  const delays: number[] = [];
  const isSeen = new Set<number>();
  let isWatching = true;
  const watching = (async () => {
    for (let read = 0; isWatching; await pause(1)) {
      const text = await readFile(file, 'utf8');
      const now = performance.now();
      const end = text.lastIndexOf('\n') + 1;
      for (const line of text.slice(read, end).split('\n').filter(Boolean)) {
        const { leadId } = (JSON.parse(line) as { detail: { leadId: number } }).detail;
        const responded = respondedAt.get(leadId);
        // An event may be written before its response has arrived.
        if (!isSeen.has(leadId)) delays.push(responded === undefined ? 0 : now - responded);
        isSeen.add(leadId);
      }
      read = end;
    }
  })();
  for (let sent = 0; sent < captures; sent += 1) {
    const phone = `+9197${String(10_000_000 + sent)}`;
    const response = await fetch(`${baseUrl}/api/v1/leads/capture`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${organizations[0]?.keys.website}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': randomUUID(),
      },
      body: JSON.stringify({ name: `Person ${sent}`, phone }),
    });
    const { lead } = (await response.json()) as { lead: { id: number } };
    respondedAt.set(lead.id, performance.now());
    await pause(Math.random() * pauseMaxMs);
  }
  while (isSeen.size < captures) await pause(10);
  isWatching = false;
  await watching;
  return delays;
}

const storedLead = (id: number): Lead => ({
  id,
  organizationId: 1,
  version: 1,
  fields: {
    name: `Person ${id}`,
    phone: `+9198${String(id).padStart(8, '0')}`,
    email: `person${id}@example.com`,
    lead_type: 'student',
    city: 'Pune',
  },
  stageId: 11,
  pipelineId: 1,
  createdAt: at,
  updatedAt: at,
});

/** Runs a program as cron does. @returns how long it took, its start included */
async function measure(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const startedAt = performance.now();
  await promisify(execFile)(node24, args, {
    cwd: projectFolder,
    env: { ...process.env, ...environment },
  });
  return performance.now() - startedAt;
}

/** Prints how long `lead timelines` and the sync job take with so many leads. */
async function measureJobs({ baseUrl, organizations, environment }: ReadyLine, folder: string) {
  // Thousands of leads are stored at once: an engine on a busy machine takes its time.
  const table = openTable(environment.LEADS_TABLE, {
    ...clientConfig(environment as Parameters<typeof clientConfig>[0]),
    requestHandler: { requestTimeout: 60_000 },
  });
  let stored = 0;
  for (const count of leadCounts) {
    const missing = Array.from({ length: count - stored }, (_, index) =>
      storedLead(firstStoredId + stored + index),
    );
    await storeLeads(table, missing);
    stored = count;
    const file = (name: string): string => join(folder, `${name}-${count}`);
    const admin = (...args: string[]) =>
      measure(
        ['infra/admin/main.ts', 'lead', 'timelines', '--organization', '1', ...args],
        environment,
      );
    const all = await admin('--out', file('all'));
    const since = await admin('--out', file('since'), '--since', '2027-01-01T00:00:00Z');
    say(
      `  lead timelines, ${count} leads: ${secondsText(all)}; with --since, finding nothing: ${secondsText(since)}`,
    );
    const job = () =>
      measure(
        [
          'test/examples/sync-database/main.ts',
          ...['--database', file('database'), '--timelines', file('all')],
        ],
        { LEADS_URL: baseUrl, LEADS_API_KEY: String(organizations[0]?.keys.reader) },
      );
    const first = await job();
    say(
      `  sync job, ${count} leads: first run ${secondsText(first)}; next run, finding nothing new: ${secondsText(await job())}`,
    );
  }
  table.client.destroy();
}

/** Runs a measurement on a service of its own, in memory. */
async function withService(
  args: readonly string[],
  measureOn: (ready: ReadyLine) => Promise<unknown>,
): Promise<void> {
  const service = await startServiceProcess(['--port', '0', '--db', ':memory:', ...args]);
  try {
    await measureOn(service.ready);
  } finally {
    await service.end();
  }
}

for (const engine of ['dynoxide', 'dynamodb-local']) {
  const folder = await mkdtemp(join(tmpdir(), 'bench-delays-'));
  const events = join(folder, 'events.jsonl');
  await writeFile(events, '');
  say(`${engine}:`);
  try {
    await withService(['--engine', engine, '--events', events], async (ready) => {
      const delays = await eventDelays(ready, events);
      say(
        `  event after the response to its capture, ${delays.length} captures: median ${median(delays).toFixed(0)} ms, at most ${Math.max(...delays).toFixed(0)} ms`,
      );
    });
    // Without a stream: an engine needs minutes to publish 10,000 leads that are stored at once.
    await withService(['--engine', engine], (ready) => measureJobs(ready, folder));
  } finally {
    await rm(folder, { recursive: true });
  }
}
process.exit(0);
