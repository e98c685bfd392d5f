/**
 * A scheduled job that keeps a file of all leads up to date: each run appends the leads that have changed since the last one. The last
 * line of a lead counts. Killed at any moment, the next run goes on where it was; what it reads twice it writes once.
 *
 *   LEADS_URL=https://leads.example.com LEADS_API_KEY=leads_live_… FOLDER=./leads node sync-job.ts
 *
 * FOLDER gets leads.jsonl, a lead a line, and state.json. Archived leads leave the service's list: they stay in the file as they were.
 * Node 22.18 or later runs it as it is.
 */
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const { LEADS_URL = 'http://127.0.0.1:4010', LEADS_API_KEY = '', FOLDER = './leads' } = process.env;
const overlapMs = 60_000; // a change is listed a moment after its updatedAt
const attemptsMax = 100;

interface Lead {
  readonly id: number;
  readonly updatedAt: string;
}
interface State {
  /** Everything that changed before has been written, by the service's clock. Undefined: nothing has. */
  readonly syncedUntil?: string;
  /** A walk under way: when it began, and the page it has come to. */
  readonly walk?: { readonly startedAt: string; readonly cursor?: number };
}

await mkdir(FOLDER, { recursive: true });
const leadsFile = join(FOLDER, 'leads.jsonl');
const stateFile = join(FOLDER, 'state.json');

/** What the file has of each lead. A line that was being written when a run was killed is cut off: it is read again. */
async function known(): Promise<Map<number, string>> {
  const text = await readFile(leadsFile, 'utf8').catch(absent('')); // of very many leads, keep this map in a database instead
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole !== text) await writeFile(leadsFile, whole);
  const lines = whole.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => JSON.parse(line) as Lead).map(({ id, updatedAt }) => [id, updatedAt]),
  );
}

const absent =
  <T>(instead: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return instead;
    throw error;
  };

/** Written to another file, then renamed: the state is always whole. */
async function save(state: State): Promise<void> {
  await writeFile(`${stateFile}.part`, JSON.stringify(state));
  await rename(`${stateFile}.part`, stateFile);
}

/** One page, asked for again while the service is busy, restarting or out of reach. */
async function readPage(
  query: URLSearchParams,
): Promise<{ items: Lead[]; nextCursor: number | null; at: string }> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    let waitMs = Math.random() * Math.min(30_000, 250 * 2 ** attempt);
    try {
      const headers = { Authorization: `Bearer ${LEADS_API_KEY}` };
      const response = await fetch(`${LEADS_URL}/api/v1/leads?${query}`, {
        headers,
        signal: AbortSignal.timeout(15_000),
      });
      if (response.ok) {
        const page = (await response.json()) as { items: Lead[]; nextCursor: number | null };
        return { ...page, at: new Date(response.headers.get('Date') ?? Date.now()).toISOString() };
      }
      const answer = await response.text();
      if (response.status !== 429 && response.status < 500)
        fail(`${LEADS_URL} answers ${response.status}: ${answer}`);
      waitMs = Math.max(waitMs, 1000 * Number(response.headers.get('Retry-After') ?? 0));
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof DOMException)) throw error; // fetch's own: no connection, or too slow
    }
    await sleep(waitMs);
  }
  return fail(`The service did not answer ${attemptsMax} times: the next run goes on from here.`);
}

/** Ends with one line for the log of whoever schedules the job. */
function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

const updatedAts = await known();
const { syncedUntil, walk } = JSON.parse(
  await readFile(stateFile, 'utf8').catch(absent('{}')),
) as State;
const file = await open(leadsFile, 'a', 0o600);
let { startedAt, cursor } = walk ?? {};
let written = 0;

for (;;) {
  const query = new URLSearchParams({ limit: '100' });
  if (syncedUntil)
    query.set('updated_since', new Date(Date.parse(syncedUntil) - overlapMs).toISOString());
  if (cursor) query.set('cursor', String(cursor));
  const { items, nextCursor, at } = await readPage(query);
  startedAt ??= at;

  const changed = items.filter(({ id, updatedAt }) => updatedAts.get(id) !== updatedAt);
  await file.appendFile(changed.map((lead) => `${JSON.stringify(lead)}\n`).join(''));
  await file.sync(); // before the state says that the page is written
  for (const { id, updatedAt } of changed) updatedAts.set(id, updatedAt);
  written += changed.length;
  if (nextCursor === null) break;
  cursor = nextCursor;
  await save({ ...(syncedUntil && { syncedUntil }), walk: { startedAt, cursor } });
}
// What changed while this walk was on the way is the next one's.
await save({ syncedUntil: startedAt });
await file.close();
console.log(`${written} changed, ${updatedAts.size} leads in ${leadsFile}.`);
