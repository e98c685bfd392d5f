import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listen } from '../../infra/cli/listen.ts';
import { LeadClient } from '../../shared/client/client.ts';
import { freePort, node24, projectFolder } from '../support/service-process.ts';
import { createTables, writeState } from './sync-database/sql-database.ts';
import { openSqlite } from './sync-database/sqlite.ts';
import { sync } from './sync-database/sync.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sync-database-'));
});
afterAll(() => rm(folder, { recursive: true }));

const startJob = (url: string, args: readonly string[], program = 'sync-database/main.ts') =>
  spawn(node24, [join(projectFolder, 'test/examples', program), ...args], {
    env: {
      ...process.env,
      LEADS_URL: url,
      LEADS_API_KEY: 'leads_live_wrong',
      FOLDER: join(folder, 'leads'),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });

async function runJob(...started: Parameters<typeof startJob>) {
  const job = startJob(...started);
  const [stderr] = await Promise.all([text(job.stderr), once(job, 'exit')]);
  return { status: job.exitCode, stderr };
}

test('a first copy drops inactive fields, and then reads what changed since the export began', async () => {
  const [settings, leads] = [join(folder, 'fields.json'), join(folder, 'leads.jsonl')];
  const fields = [
    { key: 'city', label: 'City', type: 'text' },
    { key: 'old', label: 'Old', type: 'text', active: false },
  ];
  await writeFile(
    settings,
    JSON.stringify({ id: 1, users: [], sources: [], pipelines: [], fields }),
  );
  const times = { createdAt: '2026-01-05T09:00:00.000Z', updatedAt: '2026-01-05T09:00:00.000Z' };
  const values = {
    name: 'Asha',
    phone: '+919822012345',
    lead_type: 'student',
    city: 'Pune',
    old: 'x',
  };
  const lead = { leadId: 5, leadServiceExport: 'organization 1', pipelineId: 1, stageId: 11 };
  await writeFile(leads, `${JSON.stringify({ ...lead, ...times, fields: values })}\n`);
  const asked: string[] = [];
  const fetch = async (url: string | URL | Request) => {
    const { pathname, searchParams } = new URL(String(url));
    if (!pathname.endsWith('lead-stages')) asked.push(searchParams.get('updated_since') ?? '');
    return Response.json({ items: [], nextCursor: null });
  };
  const database = openSqlite(':memory:');

  const result = await sync(
    new LeadClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'leads_live_x', fetch }),
    database,
    {
      ...{ archived: 'mark', erased: 'mark', reconcile: false, organization: settings },
      leads: { path: leads, exportedAt: '2026-11-20T02:00:00.000Z' },
    },
  );

  expect(result).toMatchObject({ changedLeads: 0, leads: { new: 1, repaired: 0, removed: 0 } });
  expect(asked).toEqual(['2026-11-20T01:59:00.000Z']);
  expect(await database.query('SELECT fields, field_city FROM leads_by_field')).toEqual([
    { fields: '{"city":"Pune"}', field_city: 'Pune' },
  ]);
});

// Each waits for programs of its own: all at once.
test.concurrent.each([
  [401, 'UNAUTHORIZED'],
  [403, 'FORBIDDEN'],
])(
  'a sync job whose key is refused with %d ends with status 1 and one line',
  async (status, code) => {
    const body = JSON.stringify({ error: { code, message: 'The key is wrong.' } });
    const service = createServer((_, response) => response.writeHead(status).end(body));
    const url = `http://127.0.0.1:${await listen(service, 0)}`;

    const [reply, ofFileJob] = await Promise.all([
      runJob(url, ['--database', join(folder, `${status}.sqlite`)]),
      runJob(url, [], 'sync-job.ts'),
    ]);

    service.close();
    expect(ofFileJob).toEqual({ status: 1, stderr: `${url} answers ${status}: ${body}\n` });
    expect(reply).toEqual({
      status: 1,
      stderr: `${url} refuses the API key in LEADS_API_KEY: ${status} ${code}: The key is wrong.\n`,
    });
  },
);

test.concurrent('a sync job that has used up the requests of its key waits for the next hour', async () => {
  const error = { code: 'RATE_LIMITED', message: 'Too many requests.' };
  const service = createServer((_, response) =>
    response.writeHead(429, { 'Retry-After': '3600' }).end(JSON.stringify({ error })),
  );
  const url = `http://127.0.0.1:${await listen(service, 0)}`;
  const job = startJob(url, ['--database', join(folder, 'limited.sqlite')]);
  const ended = once(job, 'exit');

  await once(service, 'request');
  const outcome = await Promise.race([ended, sleep(1000, 'waiting')]);

  job.kill();
  await ended;
  service.close();
  expect(outcome).toBe('waiting');
});

test.concurrent('a sync job ends with status 1 and one line if no service answers', {
  timeout: 60_000,
}, async () => {
  const url = `http://127.0.0.1:${await freePort()}`;

  expect(await runJob(url, ['--database', join(folder, 'away.sqlite')])).toEqual({
    status: 1,
    stderr: `${url} does not answer: The connection failed. The next run goes on from here.\n`,
  });
});

test.concurrent('a sync job names the file that it cannot use, and the option that is wrong', {
  timeout: 60_000,
}, async () => {
  const stages = { items: [{ id: 1, name: 'New', meaning: 'open' }], nextCursor: null };
  const service = createServer((_, response) => response.end(JSON.stringify(stages)));
  const url = `http://127.0.0.1:${await listen(service, 0)}`;
  const [nowhere, wrong, database, settings, other] = [
    join(folder, 'nowhere', 'leads.sqlite'),
    join(folder, 'text'),
    join(folder, 'leads.sqlite'),
    join(folder, 'settings.json'),
    join(folder, 'other.json'),
  ];
  await writeFile(wrong, 'This is a text, and neither a database nor JSON lines.\n'.repeat(30));

  const lists = { users: [], sources: [], pipelines: [], fields: [] };
  const pipelines = [{ id: 1, name: 'Sales', stages: stages.items }];
  await writeFile(settings, JSON.stringify({ id: 1, ...lists, pipelines }));
  await writeFile(other, JSON.stringify({ id: 2, ...lists }));
  const ofLeads = ['--database', `${database}4`, '--organization', settings];
  const known = openSqlite(`${database}5`);
  await createTables(known);
  await writeState(known, 'organization', '1');
  await known.close();

  const replies = await Promise.all([
    runJob(url, ['--database', nowhere]),
    runJob(url, ['--database', wrong]),
    runJob(url, ['--database', database, '--timelines', wrong]),
    runJob(url, ['--database', `${database}2`, '--organization', wrong]),
    runJob(url, ['--database', `${database}3`, '--timelines', nowhere]),
    runJob(url, ['--database', database, '--archived', 'keep']),
    runJob(url, ['--database', database, '--leads', wrong, '--organization', settings]),
    runJob(url, [...ofLeads, '--leads', wrong, '--exported-at', '2020-01-01']),
    runJob(url, [...ofLeads, '--leads', wrong, '--exported-at', '2999-01-01']),
    runJob(url, ['--database', `${database}6`, '--organization', other]),
    runJob(url, ['--database', `${database}5`, '--organization', other]),
    runJob(url, ['--database', 'postgres://user:secret@127.0.0.1:9/leads']),
  ]);

  service.close();
  expect(replies).toEqual([
    {
      status: 1,
      stderr: `The database ${nowhere} cannot be opened: unable to open database file.\n`,
    },
    { status: 1, stderr: `The database ${wrong} cannot be opened: file is not a database.\n` },
    {
      status: 1,
      stderr: `${wrong} is not a file of lead timelines: it has a line that is not an item.\n`,
    },
    { status: 1, stderr: `${wrong} is not what organization show --json prints.\n` },
    {
      status: 1,
      stderr: `${nowhere} cannot be read: run lead timelines --out ${nowhere} first.\n`,
    },
    {
      status: 2,
      stderr: "--archived must be remove or mark, not 'keep'. See node main.ts --help.\n",
    },
    {
      status: 2,
      stderr:
        '--leads needs --exported-at, the time when the export began. See node main.ts --help.\n',
    },
    {
      status: 1,
      stderr: `${wrong} is not a whole JSONL file of lead export: it has a line that is not a lead.\n`,
    },
    {
      status: 2,
      stderr: `--exported-at must be when the export began; ${wrong} was written before. See node main.ts --help.\n`,
    },
    {
      status: 1,
      stderr: `${other} is not of the key's organization, or its stages have changed: write it again with organization show.\n`,
    },
    {
      status: 1,
      stderr: `${other} is of organization 2, the database of organization 1.\n`,
    },
    {
      status: 1,
      stderr:
        'The database in PostgreSQL cannot be opened: PostgreSQL needs the package pg: run npm install pg.\n',
    },
  ]);
});
