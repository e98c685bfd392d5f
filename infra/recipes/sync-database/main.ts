/**
 * A scheduled job that keeps a database equal to the service. Killed at any moment, the next run goes on where it was.
 *
 *   LEADS_URL=https://leads.example.com LEADS_API_KEY=leads_live_… node main.ts --database leads.sqlite \
 *     --organization organization.json --timelines timelines.jsonl
 *
 * Node 24 runs it as it is.
 */
import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  isLeadServiceError,
  LeadClient,
  NoResponseError,
  UnexpectedResponseError,
} from '../../../shared/client/client.ts'; // in your project: 'lead-service-client'
import type { Export } from './comparison.ts';
import type { Counts } from './leads.ts';
import { openPostgres } from './postgres.ts';
import type { SqlDatabase } from './sql-database.ts';
import { openSqlite } from './sqlite.ts';
import { type SyncOptions, type SyncResult, sync } from './sync.ts';

const { LEADS_URL = 'http://127.0.0.1:4010', LEADS_API_KEY = '' } = process.env;
const help = `node main.ts --database FILE [OPTION]...

  --database FILE       the SQLite database, made if it is not there; or postgres://USER:PASSWORD@HOST/NAME
  --organization FILE   replaces users, sources, pipelines, stages and fields, inactive ones too: organization show ID --json > FILE
  --timelines FILE      timelines, archived and erased leads, what is new in the file, or all of another file:
                        lead timelines --organization ID --out FILE (without it, only --reconcile notices archived and erased leads)
  --leads FILE          compares leads with an export, not with the service: lead export --archived --out FILE.jsonl
  --exported-at TIME    when that export began, such as 2026-11-20T02:00:00Z
  --archived mark       archived leads get archived_at (default), or: remove, which keeps the timeline
  --erased remove       erased leads lose their row (default), or: mark, which leaves the ID and erased_at
  --reconcile           compares everything, and repairs what differs

LEADS_URL and LEADS_API_KEY name the service and a key with the scope leads.read.

Example:
  node main.ts --database leads.sqlite --organization organization.json --timelines timelines.jsonl`;

/** Exits with one line for the scheduler's log. */
function fail(message: string, status = 1): never {
  console.error(message.replaceAll('\n', ' '));
  process.exit(status);
}

function readOptions(): SyncOptions & { readonly database: string } {
  try {
    const { values } = parseArgs({
      options: {
        database: { type: 'string' },
        organization: { type: 'string' },
        timelines: { type: 'string' },
        leads: { type: 'string' },
        'exported-at': { type: 'string' },
        archived: { type: 'string', default: 'mark' },
        erased: { type: 'string', default: 'remove' },
        reconcile: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const { database, archived, erased } = values;
    if (values.help) {
      console.log(help);
      process.exit(0);
    }
    if (database === undefined) throw new TypeError('--database is missing.');
    return {
      ...values,
      database,
      leads: exportOf(values),
      archived: choiceOf('--archived', archived),
      erased: choiceOf('--erased', erased),
    };
  } catch (error) {
    return fail(`${messageOf(error).replace(/\.$/, '')}. See node main.ts --help.`, 2);
  }
}

function exportOf(values: {
  readonly leads?: string;
  readonly organization?: string;
  readonly 'exported-at'?: string;
}): Export | undefined {
  const { leads: path, organization, 'exported-at': exportedAt = '' } = values;
  if (path === undefined) return undefined;
  if (organization === undefined)
    throw new TypeError('--leads needs --organization, which says which fields are active.');
  if (Number.isNaN(Date.parse(exportedAt)))
    throw new TypeError('--leads needs --exported-at, the time when the export began.');
  const writtenAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
  if (Date.parse(exportedAt) > writtenAt)
    throw new TypeError(`--exported-at must be when the export began; ${path} was written before.`);
  return { path, exportedAt: new Date(exportedAt).toISOString() };
}

function choiceOf(option: string, value: string): 'remove' | 'mark' {
  if (value === 'remove' || value === 'mark') return value;
  throw new TypeError(`${option} must be remove or mark, not '${value}'.`);
}

const messageOf = (error: unknown): string =>
  error instanceof AggregateError
    ? error.errors.map(messageOf).join(', ')
    : error instanceof Error
      ? isBusy(error)
        ? 'another run uses it: run the job under flock'
        : error.message
      : String(error);

/** SQLITE_BUSY. */
const isBusy = (error: Error): boolean => 'errcode' in error && error.errcode === 5;

async function openDatabase(name: string): Promise<SqlDatabase> {
  const isPostgres = /^postgres(ql)?:/.test(name);
  try {
    return isPostgres ? await openPostgres(name) : openSqlite(name);
  } catch (error) {
    const shown = isPostgres ? 'in PostgreSQL' : name; // the URL has a password
    return fail(`The database ${shown} cannot be opened: ${messageOf(error)}.`);
  }
}

function explain(error: unknown): string {
  if (isLeadServiceError(error) && (error.status === 401 || error.status === 403))
    return `${LEADS_URL} refuses the API key in LEADS_API_KEY: ${error.message}`;
  if (error instanceof UnexpectedResponseError) return `${LEADS_URL}: ${error.message}`;
  if (error instanceof NoResponseError)
    return `${LEADS_URL} does not answer: ${error.message} The next run goes on from here.`;
  return messageOf(error);
}

const countsText = ({ new: added, repaired, removed }: Counts): string =>
  `${added} new, ${repaired} repaired, ${removed} removed`;

function lineOf({ changedLeads, newItems, leads, items }: SyncResult): string {
  const ofLeads = leads ? ` Leads compared: ${countsText(leads)}.` : '';
  const ofItems = items ? ` Timeline items compared: ${countsText(items)}.` : '';
  return `Read ${changedLeads} leads and ${newItems} new timeline items.${ofLeads}${ofItems}`;
}

const { database: name, ...options } = readOptions();
const database = await openDatabase(name);
let progress = '';
const timer = setInterval(() => progress && console.log(progress), 30_000);
try {
  const client = new LeadClient({
    baseUrl: LEADS_URL,
    apiKey: LEADS_API_KEY,
    maxWaitMs: 3_660_000, // more than 60,000 leads are more pages than a key may read in an hour
  });
  const result = await sync(client, database, {
    ...options,
    progress: (text) => {
      progress = text;
    },
  });
  console.log(lineOf(result));
} catch (error) {
  fail(explain(error));
} finally {
  clearInterval(timer);
  await database.close();
}
