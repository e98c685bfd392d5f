import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { listen } from '../../../infra/cli/listen.ts';
import { createTables, writeState } from '../../../infra/recipes/sync-database/sql-database.ts';
import { openSqlite } from '../../../infra/recipes/sync-database/sqlite.ts';
import { type SyncOptions, sync } from '../../../infra/recipes/sync-database/sync.ts';
import { LeadClient } from '../../../shared/client/client.ts';
import { freePort, node24, startProgram } from '../../support/service-process.ts';
import { useFolder } from '../given-folder.ts';

const { path } = useFolder();

const startJob = (url: string, args: readonly string[], program = 'sync-database/main.ts') =>
  startProgram(node24, [`infra/recipes/${program}`, ...args], {
    env: {
      ...process.env,
      LEADS_URL: url,
      LEADS_API_KEY: 'leads_live_wrong',
      FOLDER: path('leads'),
    },
  });

async function runJob(...started: Parameters<typeof startJob>) {
  const { status, stderr } = await startJob(...started).ended;
  return { status, stderr };
}

test('a first copy drops inactive fields, and then reads what changed since the export began', async () => {
  const [settings, leads] = [path('fields.json'), path('leads.jsonl')];
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
      runJob(url, ['--database', path(`${status}.sqlite`)]),
      runJob(url, [], 'sync-job.ts'),
    ]);

    service.close();
    expect(ofFileJob).toEqual({
      status: 1,
      stderr: `${url}: ${status} ${code}: The key is wrong.\n`,
    });
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
  const job = startJob(url, ['--database', path('limited.sqlite')]);

  await once(service, 'request');
  const outcome = await Promise.race([job.ended, sleep(1000, 'waiting')]);

  job.child.kill();
  await job.ended;
  service.close();
  expect(outcome).toBe('waiting');
});

test.concurrent('a sync job ends with status 1 and one line if no service answers', {
  timeout: 60_000,
}, async () => {
  const url = `http://127.0.0.1:${await freePort()}`;

  expect(await runJob(url, ['--database', path('away.sqlite')])).toEqual({
    status: 1,
    stderr: `${url} does not answer: The connection failed. The next run goes on from here.\n`,
  });
});

test('a sync job names the option that is wrong, and the database that cannot be opened', {
  timeout: 60_000,
}, async () => {
  const [nowhere, wrong] = [path('nowhere', 'leads.sqlite'), path('text')];
  await writeFile(wrong, 'This is a text, and no database.\n'.repeat(30));
  const database = ['--database', path('never.sqlite')];
  const ofLeads = [...database, '--leads', wrong, '--organization', wrong];

  const replies = await Promise.all(
    [
      ['--database', nowhere],
      ['--database', wrong],
      ['--database', 'postgres://user:secret@127.0.0.1:9/leads'],
      [...database, '--archived', 'keep'],
      ofLeads,
      [...ofLeads, '--exported-at', '2999-01-01'],
    ].map((args) => runJob('http://127.0.0.1:9', args)),
  );

  expect(replies.map(({ status, stderr }) => `${status} ${stderr}`)).toEqual([
    `1 The database ${nowhere} cannot be opened: unable to open database file.\n`,
    `1 The database ${wrong} cannot be opened: file is not a database.\n`,
    '1 The database in PostgreSQL cannot be opened: PostgreSQL needs the package pg: run npm install pg.\n',
    "2 --archived must be remove or mark, not 'keep'. See node main.ts --help.\n",
    '2 --leads needs --exported-at, the time when the export began. See node main.ts --help.\n',
    `2 --exported-at must be when the export began; ${wrong} was written before. See node main.ts --help.\n`,
  ]);
});

test.concurrent('a sync job that meets another run says so, and names flock', {
  timeout: 90_000,
}, async () => {
  const file = path('busy.sqlite');
  const other = openSqlite(file);
  await createTables(other);
  await other.query('BEGIN IMMEDIATE');

  const { status, stderr } = await runJob('http://127.0.0.1:9', ['--database', file]);

  expect(status).toBe(1);
  expect(stderr).toMatch(/another run uses it: run the job under flock\.?\n$/i);
  await other.close();
});

test('a sync job names the file that it cannot use', async () => {
  const stages = [{ id: 1, name: 'New', meaning: 'open' }];
  const lists = { users: [], sources: [], pipelines: [], fields: [] };
  const [wrong, settings, other] = [path('wrong.jsonl'), path('own.json'), path('other.json')];
  await writeFile(wrong, 'This is neither JSON nor JSON lines.\n');
  const pipelines = [{ id: 1, name: 'Sales', stages }];
  await writeFile(settings, JSON.stringify({ id: 1, ...lists, pipelines }));
  await writeFile(other, JSON.stringify({ id: 2, ...lists }));
  const fetch = async () => Response.json({ items: stages, nextCursor: null });
  const client = new LeadClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'leads_live_x', fetch });
  const known = openSqlite(':memory:');
  await createTables(known);
  await writeState(known, 'organization', '1');
  const failureOf = (files: Partial<SyncOptions>, database = openSqlite(':memory:')) =>
    sync(client, database, { archived: 'mark', erased: 'mark', reconcile: false, ...files }).then(
      () => undefined,
      ({ message }: Error) => message,
    );

  expect([
    await failureOf({ timelines: wrong }),
    await failureOf({ timelines: path('nowhere') }),
    await failureOf({ organization: wrong }),
    await failureOf({ organization: other }),
    await failureOf({ organization: other }, known),
    await failureOf({
      organization: settings,
      leads: { path: wrong, exportedAt: '2020-01-01T00:00:00.000Z' },
    }),
  ]).toEqual([
    `${wrong} is not a file of lead timelines: it has a line that is not an item.`,
    `${path('nowhere')} cannot be read: run lead timelines --out ${path('nowhere')} first.`,
    `${wrong} is not what organization show --json prints.`,
    `${other} is not of the key's organization, or its stages have changed: write it again with organization show.`,
    `${other} is of organization 2, the database of organization 1.`,
    `${wrong} is not a whole JSONL file of lead export: it has a line that is not a lead.`,
  ]);
});
