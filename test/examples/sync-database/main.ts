/**
 * A scheduled job that keeps a SQLite database equal to the service. Killed at any moment, the next run goes on where it was.
 *
 *   LEADS_URL=https://leads.example.com LEADS_API_KEY=leads_live_… node main.ts --database leads.sqlite \
 *     --organization organization.json --timelines timelines.jsonl
 *
 * Node 24 runs it as it is. For PostgreSQL, replace `openSqlite(file)` by `postgresDatabase(client, () => client.end())`.
 */
import { parseArgs } from 'node:util';
import {
  isLeadServiceError,
  LeadClient,
  NoResponseError,
  UnexpectedResponseError,
} from '../../../shared/client/client.ts'; // in your project: 'lead-service-client'
import type { Repairs } from './leads.ts';
import type { SqlDatabase } from './sql-database.ts';
import { openSqlite } from './sqlite.ts';
import { type SyncOptions, type SyncResult, sync } from './sync.ts';

const { LEADS_URL = 'http://127.0.0.1:4010', LEADS_API_KEY = '' } = process.env;
const help = `node main.ts --database FILE [OPTION]...

  --database FILE       the SQLite database, made if it is not there
  --organization FILE   users, sources, pipelines, stages and fields: organization show ID --json > FILE
  --timelines FILE      timelines, archived and erased leads: lead timelines --organization ID --out FILE
  --archived mark       archived leads get archived_at (default), or: remove
  --erased remove       erased leads lose their row (default), or: mark
  --reconcile           compares everything, and repairs what differs

LEADS_URL and LEADS_API_KEY name the service and a key with the scope leads.read.

Example:
  node main.ts --database leads.sqlite --organization organization.json --timelines timelines.jsonl`;

/** Ends with one line for the log of whoever schedules the job. */
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
      archived: choiceOf('--archived', archived),
      erased: choiceOf('--erased', erased),
    };
  } catch (error) {
    return fail(`${messageOf(error).replace(/\.$/, '')}. See node main.ts --help.`, 2);
  }
}

function choiceOf(option: string, value: string): 'remove' | 'mark' {
  if (value === 'remove' || value === 'mark') return value;
  throw new TypeError(`${option} must be remove or mark, not '${value}'.`);
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

function openDatabase(file: string): SqlDatabase {
  try {
    return openSqlite(file);
  } catch (error) {
    return fail(`The database ${file} cannot be opened: ${messageOf(error)}.`);
  }
}

function explain(error: unknown): string {
  if (isLeadServiceError(error) && (error.status === 401 || error.status === 403))
    return `${LEADS_URL} refuses the API key in LEADS_API_KEY (${error.status}): ${error.message}`;
  if (error instanceof UnexpectedResponseError) return `${LEADS_URL}: ${error.message}`;
  if (error instanceof NoResponseError)
    return `${LEADS_URL} does not answer: ${error.message} The next run goes on from here.`;
  return messageOf(error);
}

const repairsText = ({ missing, different, surplus }: Repairs): string =>
  `${missing} missing, ${different} different, ${surplus} too many`;

function lineOf({ changedLeads, newItems, leads, items }: SyncResult): string {
  const changes = `${changedLeads} changed leads, ${newItems} new timeline items.`;
  if (!leads) return changes;
  const ofItems = items ? ` Timeline items repaired: ${repairsText(items)}.` : '';
  return `${changes} Leads repaired: ${repairsText(leads)}.${ofItems}`;
}

const { database: file, ...options } = readOptions();
const database = openDatabase(file);
try {
  const client = new LeadClient({ baseUrl: LEADS_URL, apiKey: LEADS_API_KEY });
  console.log(lineOf(await sync(client, database, options)));
} catch (error) {
  fail(explain(error));
} finally {
  await database.close();
}
