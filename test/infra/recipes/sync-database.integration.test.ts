import { writeFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { expect, test } from 'vitest';
import { postgresDatabase } from '../../../infra/recipes/sync-database/postgres.ts';
import type { SqlDatabase } from '../../../infra/recipes/sync-database/sql-database.ts';
import { openSqlite } from '../../../infra/recipes/sync-database/sqlite.ts';
import { type SyncOptions, sync } from '../../../infra/recipes/sync-database/sync.ts';
import { LeadClient } from '../../../shared/client/client.ts';
import { setArchived } from '../../../shared/store/leads/archive.ts';
import { adminJson, runAdmin } from '../../support/admin.ts';
import { call } from '../../support/call.ts';
import { Random } from '../../support/generated/random.ts';
import { type GivenOrganization, givenOrganization } from '../../support/organizations.ts';
import { useOwnTable } from '../../support/own-table.ts';
import { person } from '../../support/people.ts';
import { service } from '../../support/service.ts';
import { node24, runProgram } from '../../support/service-process.ts';
import { table } from '../../support/table.ts';
import { json } from '../admin/commands.ts';
import { useFolder } from '../given-folder.ts';
import { damage, databaseRows, serviceRows } from './sync-database-rows.ts';

useOwnTable();

// 50 kills: SYNC_KILLS=50 SYNC_SEED=7 npm test -- sync-database.integration
const kills = Number(process.env.SYNC_KILLS ?? 4);
const seed = process.env.SYNC_SEED ?? '1';
const random = new Random(`writes ${seed}`);
const statementsMax = 80; // of one run
const leadCount = 150;
const past = { createdAt: '2026-01-05T09:00:00.000Z', updatedAt: '2026-01-05T09:00:00.000Z' };
const writesPerStep = 3; // of the job or a command: fifty kills stay below the hourly limit of an organization

const { path } = useFolder();

/** Runs the job as cron does. */
const runJob = (apiKey: string, args: readonly string[]) =>
  runProgram(node24, ['infra/recipes/sync-database/main.ts', ...args], {
    env: { ...process.env, LEADS_URL: service().baseUrl, LEADS_API_KEY: apiKey },
  });

function openPostgres() {
  const server = new PGlite();
  return postgresDatabase(server, () => server.close());
}

class ConnectionLostError extends Error {}

/** A database whose sync job is killed: the connection is lost, and what it had not committed is gone. */
class KilledJobs {
  readonly database: SqlDatabase;
  /** Runs that were killed, and those of them that had committed something. */
  readonly counts = { killed: 0, midway: 0 };
  readonly #random: Random;

  constructor(database: SqlDatabase, seed: string) {
    this.database = database;
    this.#random = new Random(seed);
  }

  /** Kills the job at a random statement, before or after the database runs it; a run of fewer statements ends by itself. */
  async runAndKill(client: LeadClient, options: SyncOptions, statementsMax: number): Promise<void> {
    let commits = 0;
    let left = 1 + this.#random.below(statementsMax);
    const isRun = this.#random.fraction() < 0.5;
    const query: SqlDatabase['query'] = async (sql, values) => {
      left -= 1;
      if (left < 0 || (left === 0 && !isRun)) throw new ConnectionLostError();
      const rows = await this.database.query(sql, values);
      if (sql === 'COMMIT') commits += 1;
      if (left === 0) throw new ConnectionLostError();
      return rows;
    };
    try {
      await sync(client, { ...this.database, query }, options);
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) throw error;
      this.counts.killed += 1;
      this.counts.midway += commits > 0 ? 1 : 0;
      // What the database does when it notices that the connection is gone. Outside a transaction, SQLite refuses it.
      await this.database.query('ROLLBACK').catch(() => undefined);
    }
  }
}

/**
 * Writes of every kind, one of each first. They archive, restore and erase leads that the first run has stored.
 * @returns a function that makes the next writes and returns the total so far
 */
function writesOf(
  organization: GivenOrganization,
  keys: readonly string[],
  ids: readonly number[],
): () => Promise<number> {
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
      await json(organization, 'lead erase', '--lead', lead, '--yes');
      erased.push(lead);
    },
  ];
  // Erasures remove these people from items that the databases have.
  const noteFriends = async (apiKey: string) => {
    for (const leadId of toErase) {
      const { body } = await call('get-lead', { apiKey, leadId });
      const text = `A friend of ${body.lead.phone}.`;
      await call('add-note', { apiKey, leadId: random.pick(active), body: { text } });
    }
  };
  let writes = 0;
  return async () => {
    if (writes === 0) await noteFriends(keys[0] as string);
    for (const end = writes + writesPerStep; writes < end; writes += 1)
      await (kinds[writes] ?? random.pick(kinds))(keys[writes % keys.length] as string);
    return writes;
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
  const readers = await keysOf(1 + Math.ceil(kills / 10), ['leads.read']);
  const writers = await keysOf(4, ['leads.write']);
  const clientOf = (apiKey = '') => new LeadClient({ baseUrl: service().baseUrl, apiKey });
  const client = clientOf(readers[0]);
  await writeFile(
    path('people.jsonl'),
    Array.from(
      { length: leadCount },
      () => `${JSON.stringify({ ...person(), ...past, fields: { city: 'Pune' } })}\n`,
    ).join(''),
  );
  await json(organization, 'lead import', path('people.jsonl'));
  const ids: number[] = [];
  for await (const { id } of client.leads()) ids.push(id);
  const show = async () =>
    writeFile(
      path('organization.json'),
      (await runAdmin(['organization', 'show', String(organization.id), '--json'])).stdout,
    );
  const timelines = (file: string, ...more: string[]) =>
    json(organization, 'lead timelines', '--out', path(file), ...more);
  const args = (file: string) => [
    ...['--database', path('leads.sqlite'), '--organization', path('organization.json')],
    ...['--timelines', path(file), '--archived', 'mark', '--erased', 'mark'],
  ];

  // The first run is killed too, and ends as cron runs it.
  await show();
  await timelines('all.jsonl');
  const sqliteOptions = (file: string) =>
    ({
      organization: path('organization.json'),
      timelines: path(file),
      archived: 'mark',
      erased: 'mark',
      reconcile: false,
    }) as const;
  const postgresOptions = (file: string) =>
    ({ ...sqliteOptions(file), archived: 'remove', erased: 'remove' }) as const;
  const sqlite = openSqlite(path('leads.sqlite'));
  const sqliteJobs = new KilledJobs(sqlite, `SQLite ${seed}`);
  const postgres = openPostgres();
  const postgresJobs = new KilledJobs(postgres, `PostgreSQL ${seed}`);
  const runAndKill = async (file: string, write = async () => 0) => {
    const reader = clientOf(readers[1 + Math.floor(sqliteJobs.counts.killed / 10)]);
    await Promise.all([write(), sqliteJobs.runAndKill(reader, sqliteOptions(file), statementsMax)]);
    const job = postgresJobs.runAndKill(reader, postgresOptions(file), statementsMax);
    return (await Promise.all([write(), job]))[0];
  };
  for (let turn = 0; turn < kills / 4; turn += 1) await runAndKill('all.jsonl');
  expect(await runJob(readers[0]!, args('all.jsonl'))).toMatchObject({ status: 0, stderr: '' });

  const exported = { path: path('leads.jsonl'), exportedAt: new Date().toISOString() };
  const write = writesOf(organization, writers, ids);
  const exportLeads = (file: string) =>
    json(organization, 'lead export', '--archived', '--out', path(file));
  let [written] = await Promise.all([write(), exportLeads('leads.jsonl')]);
  let since = new Date(Date.now() - 60_000).toISOString();
  for (let turn = 0; sqliteJobs.counts.killed < kills; turn += 1) {
    const file = turn % 3 === 2 ? `since-${turn}.jsonl` : 'all.jsonl';
    const now = new Date(Date.now() - 60_000).toISOString();
    const more = turn % 3 === 2 ? ['--since', since] : ['--resume'];
    await Promise.all([write(), timelines(file, ...more)]);
    if (turn % 3 === 2) since = now;
    written = await runAndKill(file, write);
  }
  expect(sqliteJobs.counts.midway).toBeGreaterThan(0);
  expect(postgresJobs.counts.midway).toBeGreaterThan(0);

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
  expect(await databaseRows(sqlite)).toEqual(expected);
  expect(expected.items.filter(({ cleanedAt }) => cleanedAt)).not.toEqual([]);
  if (process.env.SYNC_KILLS)
    console.log(
      `${JSON.stringify([sqliteJobs.counts, postgresJobs.counts])} beside ${written} writes: ${expected.active.length} active, ${expected.archived.length} archived, ${expected.erased.length} erased leads, ${expected.items.length} items.`,
    );

  // A first copy from files, the export begun before the writes; the view and the types. In a schema of its own: PostgreSQL takes seconds to start.
  await postgres.query('CREATE SCHEMA copy');
  await postgres.query('SET search_path TO copy');
  await sync(client, postgres, { ...sqliteOptions('expected.jsonl'), leads: exported });
  expect(await databaseRows(postgres)).toEqual(expected);
  const typed = await postgres.query(
    'SELECT pg_typeof(updated_at) AS updated, pg_typeof(field_budget) AS budget, pg_typeof(field_start_on) AS start, field_city FROM leads_by_field WHERE field_city IS NOT NULL LIMIT 1',
  );
  expect(typed[0]).toEqual({
    updated: 'timestamp with time zone',
    budget: 'numeric',
    start: 'date',
    field_city: 'Pune',
  });
  await postgres.query('SET search_path TO public');

  // PostgreSQL, without marks; and all repaired after damage, from the service and from an export.
  await sync(client, postgres, postgresOptions('all.jsonl'));
  const unmarked = { ...expected, archived: [], erased: [] };
  expect(await databaseRows(postgres)).toEqual(unmarked);
  const unchanged = expected.active.filter(({ updatedAt }) => updatedAt === past.updatedAt);
  const victims = [unchanged[3]!.id, unchanged[9]!.id, expected.items[5].id, expected.items[9].id];
  for (const database of [sqlite, postgres]) await damage(database, victims);
  const newExport = { path: path('leads-2.jsonl'), exportedAt: new Date().toISOString() };
  await exportLeads('leads-2.jsonl');
  const result = await sync(client, postgres, {
    ...postgresOptions('all.jsonl'),
    leads: newExport,
    reconcile: true,
  });
  const repaired = await runJob(readers[0]!, [...args('all.jsonl'), '--reconcile']);
  const one = { new: 1, changed: 0, repaired: 1, removed: 1 };
  expect(result).toEqual({ leads: one, items: one, changedLeads: expect.any(Number), newItems: 1 });
  expect(repaired.stdout).toContain(
    'Leads compared: 1 new, 1 repaired, 1 removed. Timeline items compared: 1 new, 1 repaired, 1 removed.',
  );
  expect(await databaseRows(postgres)).toEqual(unmarked);
  const after = await databaseRows(sqlite);
  expect(after.archived.at(-1)?.id).toBe(2_000_000_000);
  expect({ ...after, archived: after.archived.slice(0, -1) }).toEqual(expected);
  await Promise.all([sqlite.close(), postgres.close()]);
});
