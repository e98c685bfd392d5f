import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LeadClient } from '../../shared/client/client.ts';
import { setArchived } from '../../shared/store/leads/archive.ts';
import { Random } from '../simulation/random.ts';
import { adminJson, runAdmin } from '../support/admin.ts';
import { call } from '../support/call.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { useOwnTable } from '../support/own-table.ts';
import { person } from '../support/people.ts';
import { service } from '../support/service.ts';
import { node24, projectFolder } from '../support/service-process.ts';
import { table } from '../support/table.ts';
import { createTables } from './sync-database/sql-database.ts';
import { openSqlite } from './sync-database/sqlite.ts';
import { sync } from './sync-database/sync.ts';
import { PostgresJob } from './sync-database-postgres.ts';
import { damage, databaseRows, serviceRows } from './sync-database-rows.ts';

useOwnTable();

// 50 kills: SYNC_KILLS=50 SYNC_SEED=7 npm test -- sync-database.integration
const kills = Number(process.env.SYNC_KILLS ?? 4);
const seed = process.env.SYNC_SEED ?? '1';
const random = new Random(`writes ${seed}`);
const killTimes = new Random(`kills ${seed}`);
const leadCount = 150;
const writesMax = 1500; // below the hourly limit of an organization

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sync-database-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const path = (name: string): string => join(folder, name);
const ofOrganization = ({ id }: GivenOrganization) => ['--organization', String(id)];

/** Runs the job as cron does. @param killAfterMs SIGKILL then, unless it has ended */
async function runJob(apiKey: string, args: readonly string[], killAfterMs?: number) {
  const job = spawn(node24, [join(projectFolder, 'test/examples/sync-database/main.ts'), ...args], {
    env: { ...process.env, LEADS_URL: service().baseUrl, LEADS_API_KEY: apiKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const timer =
    killAfterMs === undefined ? undefined : setTimeout(() => job.kill('SIGKILL'), killAfterMs);
  const [stdout, stderr] = await Promise.all([
    text(job.stdout),
    text(job.stderr),
    once(job, 'exit'),
  ]);
  clearTimeout(timer);
  return { status: job.exitCode, killed: job.signalCode === 'SIGKILL', stdout, stderr };
}

/** What the job has committed of its way through the file and the lists. */
async function progressOf(file: string): Promise<string> {
  const database = openSqlite(file);
  await createTables(database);
  const state = JSON.stringify(await database.query('SELECT * FROM sync_state ORDER BY id'));
  await database.close();
  return state;
}

/** Writes of every kind, one of each first, until it is stopped. It archives, restores and erases leads that the first run has stored. */
function startWrites(
  organization: GivenOrganization,
  keys: readonly string[],
  ids: readonly number[],
) {
  let isStopped = false;
  const [toErase, archivable, active] = [ids.slice(0, 20), ids.slice(20, 60), ids.slice(60)];
  const erased: number[] = [];
  const kinds = [
    async (apiKey: string) => {
      const client = new LeadClient({ baseUrl: service().baseUrl, apiKey });
      const enquiry = { ...person(), notes: `Wish ${random.below(1000)}` };
      active.push((await client.captureLead(enquiry)).id);
    },
    (apiKey: string) =>
      call('update-lead', {
        apiKey,
        leadId: random.pick(active),
        body: { stageId: random.pick([11, 12, 21]) },
      }),
    (apiKey: string) =>
      call('add-note', { apiKey, leadId: random.pick(active), body: { text: 'Called.' } }),
    () =>
      setArchived(table(), organization.id, random.pick(archivable), {
        archived: random.fraction() < 0.6,
      }),
    async () => {
      const lead = erased.length === 0 || random.fraction() < 0.2 ? toErase.pop() : undefined;
      if (lead === undefined) return;
      await adminJson(
        'lead',
        'erase',
        ...ofOrganization(organization),
        '--lead',
        String(lead),
        '--yes',
      );
      erased.push(lead);
    },
  ];
  const written = (async () => {
    // Erasures remove these people from items that the databases have.
    for (const leadId of toErase) {
      const { body } = await call('get-lead', { apiKey: keys[0] as string, leadId });
      const text = `A friend of ${body.lead.phone}.`;
      await call('add-note', {
        apiKey: keys[0] as string,
        leadId: random.pick(active),
        body: { text },
      });
    }
    let writes = 0;
    for (; writes < (isStopped ? kinds.length : writesMax); writes += 1) {
      await (kinds[writes] ?? random.pick(kinds))(keys[writes % keys.length] as string);
      await pause(20);
    }
    return writes;
  })();
  return {
    erased,
    stop: async () => {
      isStopped = true;
      return written;
    },
  };
}

test('SQLite and PostgreSQL databases equal the service, though their sync jobs are killed during writes', {
  timeout: 900_000,
}, async () => {
  const organization = await givenOrganization();
  const keysOf = (count: number, scopes: readonly ('leads.read' | 'leads.write')[]) =>
    Promise.all(
      Array.from({ length: count }, async () => (await organization.key({ scopes })).key),
    );
  const readers = await keysOf(2 + Math.ceil(kills / 10), ['leads.read']);
  const writers = await keysOf(4, ['leads.write']);
  const client = new LeadClient({ baseUrl: service().baseUrl, apiKey: readers[0] ?? '' });
  await writeFile(
    path('people.jsonl'),
    Array.from({ length: leadCount }, () => `${JSON.stringify(person())}\n`).join(''),
  );
  await adminJson('lead', 'import', ...ofOrganization(organization), path('people.jsonl'));
  const ids: number[] = [];
  for await (const { id } of client.leads()) ids.push(id);
  const show = async () =>
    writeFile(
      path('organization.json'),
      (await runAdmin(['organization', 'show', String(organization.id), '--json'])).stdout,
    );
  const timelines = (file: string, ...more: string[]) =>
    adminJson('lead', 'timelines', ...ofOrganization(organization), '--out', path(file), ...more);
  const args = (file: string) => [
    ...['--database', path('leads.sqlite'), '--organization', path('organization.json')],
    ...['--timelines', path(file), '--archived', 'mark', '--erased', 'mark'],
  ];

  // The kills come at random moments between the start of Node.js and the end of the first run, both measured here.
  await show();
  await timelines('all.jsonl');
  const bootedAt = performance.now();
  expect(await runJob('', ['--help'])).toMatchObject({ status: 0 });
  const startedAt = performance.now();
  let earliestMs = 0.8 * (startedAt - bootedAt);
  const measured = await runJob(readers[0]!, [
    '--database',
    path('measured.sqlite'),
    ...args('all.jsonl').slice(2),
  ]);
  let wholeMs = performance.now() - startedAt;
  expect(measured).toMatchObject({
    status: 0,
    stdout: `${leadCount} changed leads, ${leadCount} new timeline items.\n`,
  });
  let [killed, midway] = [0, 0];
  const runAndKill = async (file: string) => {
    const before = await progressOf(path('leads.sqlite'));
    const reader = readers[1 + Math.floor(killed / 10)] ?? '';
    const begunAt = performance.now();
    const run = await runJob(
      reader,
      args(file),
      earliestMs + killTimes.fraction() * (wholeMs - earliestMs),
    );
    killed += run.killed ? 1 : 0;
    // A machine that was busy when the moments were measured may be fast now: every kill would come too late.
    const faster = run.killed ? 1 : Math.min(1, (performance.now() - begunAt) / wholeMs);
    [earliestMs, wholeMs] = [earliestMs * faster, wholeMs * faster];
    const hasWritten = before !== (await progressOf(path('leads.sqlite')));
    midway += run.killed && hasWritten ? 1 : 0;
    return run;
  };
  for (let turn = 0; turn < kills / 4; turn += 1) await runAndKill('all.jsonl');
  const first = await runJob(readers[0]!, args('all.jsonl'));
  expect(first).toMatchObject({ status: 0, stderr: '' });

  const postgresJob = new PostgresJob(seed);
  const postgresOptions = (file: string) =>
    ({
      organization: path('organization.json'),
      timelines: path(file),
      archived: 'remove',
      erased: 'remove',
      reconcile: false,
    }) as const;
  const writes = startWrites(organization, writers, ids);
  let since = new Date(Date.now() - 60_000).toISOString();
  const runs: string[] = [];
  for (let turn = 0; killed < kills; turn += 1) {
    const file = turn % 3 === 2 ? `since-${turn}.jsonl` : 'all.jsonl';
    const now = new Date(Date.now() - 60_000).toISOString();
    await (turn % 3 === 2 ? timelines(file, '--since', since) : timelines(file, '--resume'));
    if (turn % 3 === 2) since = now;
    const run = await runAndKill(file);
    runs.push(run.killed ? 'killed' : run.stderr);
    if (2 * postgresJob.counts.killed < kills)
      await postgresJob.runAndKill(client, postgresOptions(file), 2 * leadCount);
  }
  const written = await writes.stop();
  expect(runs.filter((run) => run !== 'killed' && run !== '')).toEqual([]);

  // A user and a source that are inactive now are in no list of the API.
  const settings = await adminJson('organization', 'show', String(organization.id));
  const isInactive = ({ id }: { id: number }) => id === 8 || id === 1;
  await writeFile(
    path('settings.json'),
    JSON.stringify({
      ...settings,
      users: settings.users.map((user: { id: number }) => ({ ...user, active: !isInactive(user) })),
      sources: settings.sources.map((source: { id: number }) => ({
        ...source,
        active: !isInactive(source),
      })),
    }),
  );
  await adminJson('organization', 'apply', path('settings.json'));
  await show();
  await timelines('all.jsonl', '--resume');
  expect(await runJob(readers[0]!, args('all.jsonl'))).toMatchObject({ status: 0, stderr: '' });
  await timelines('expected.jsonl');
  const expected = await serviceRows(organization, client, path('expected.jsonl'));
  const sqlite = openSqlite(path('leads.sqlite'));
  expect(await databaseRows(sqlite)).toEqual(expected);
  expect(expected.items.filter(({ cleanedAt }) => cleanedAt)).not.toEqual([]);
  if (process.env.SYNC_KILLS)
    console.log(
      `${killed} kills, ${midway} of them after a commit, of PostgreSQL ${postgresJob.counts.killed} and ${postgresJob.counts.midway}, ${runs.length} runs beside ${written} writes: ${expected.active.length} active, ${expected.archived.length} archived, ${expected.erased.length} erased leads, ${expected.items.length} items.`,
    );

  // PostgreSQL, without marks; and both repaired after damage.
  const postgresOf = postgresJob.database;
  expect(postgresJob.counts.midway).toBeGreaterThan(0);
  await sync(client, postgresOf, postgresOptions('all.jsonl'));
  const unmarked = { ...expected, archived: [], erased: [] };
  expect(await databaseRows(postgresOf)).toEqual(unmarked);
  const victims = [
    expected.active[3]!.id,
    expected.active[40]!.id,
    expected.items[5].id,
    expected.items[9].id,
  ];
  for (const database of [sqlite, postgresOf]) await damage(database, victims);
  const result = await sync(client, postgresOf, {
    ...postgresOptions('all.jsonl'),
    reconcile: true,
  });
  const repaired = await runJob(readers[0]!, [...args('all.jsonl'), '--reconcile']);
  const one = { missing: 1, different: 1, surplus: 1 };
  expect(result).toMatchObject({ leads: one, items: one });
  expect(repaired.stdout).toContain(
    'Leads repaired: 1 missing, 1 different, 1 too many. Timeline items repaired: 1 missing, 1 different, 1 too many.',
  );
  expect(await databaseRows(postgresOf)).toEqual(unmarked);
  const after = await databaseRows(sqlite);
  expect(after.archived.at(-1)?.id).toBe(2_000_000_000);
  expect({ ...after, archived: after.archived.slice(0, -1) }).toEqual(expected);
  await Promise.all([sqlite.close(), postgresOf.close()]);
});
