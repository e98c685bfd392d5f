/**
 * A scheduled job that keeps a file of all leads up to date: each run appends the leads that have changed since the last one. The last
 * line of a lead counts. Killed at any moment, the next run goes on where it was; what it reads twice it writes once.
 *
 *   LEADS_URL=https://leads.example.com LEADS_API_KEY=leads_live_… FOLDER=./leads node sync-job.ts
 *
 * FOLDER receives leads.jsonl, with one lead per line, and the file position. Archived leads leave the service's list, but stay in
 * leads.jsonl as they were. Node 22.18 or later runs this file as it is.
 */
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Lead, LeadClient } from '../../shared/client/client.ts'; // in your project: 'lead-service-client'

const { LEADS_URL = 'http://127.0.0.1:4010', LEADS_API_KEY = '', FOLDER = './leads' } = process.env;
const leadsFile = join(FOLDER, 'leads.jsonl');
const positionFile = join(FOLDER, 'position');
/** While the service is busy, restarting or out of reach. */
const patience = { attempts: 100, maxWaitMs: 3_660_000 };

const textOf = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });

/** What the file has of each lead. A line that was being written when a run was killed is cut off: it is read again. */
async function known(): Promise<Map<number, string>> {
  const text = await textOf(leadsFile); // with very many leads, keep this map in a database instead
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole !== text) await writeFile(leadsFile, whole);
  const lines = whole.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => JSON.parse(line) as Lead).map(({ id, updatedAt }) => [id, updatedAt]),
  );
}

await mkdir(FOLDER, { recursive: true });
const updatedAts = await known();
const file = await open(leadsFile, 'a', 0o600);
let written = 0;
try {
  const client = new LeadClient({ baseUrl: LEADS_URL, apiKey: LEADS_API_KEY, ...patience });
  const since = (await textOf(positionFile)) || undefined;
  for await (const { leads, position } of client.changedLeads(since)) {
    const changed = leads.filter(({ id, updatedAt }) => updatedAts.get(id) !== updatedAt);
    await file.appendFile(changed.map((lead) => `${JSON.stringify(lead)}\n`).join(''));
    await file.sync(); // before the position says that the page is written
    for (const { id, updatedAt } of changed) updatedAts.set(id, updatedAt);
    written += changed.length;
    // Written to another file, then renamed: the position is always whole.
    await writeFile(`${positionFile}.part`, position);
    await rename(`${positionFile}.part`, positionFile);
  }
  console.log(`${written} changed, ${updatedAts.size} leads in ${leadsFile}.`);
} catch (error) {
  console.error(`${LEADS_URL}: ${(error as Error).message}`); // one line for the scheduler's log
  process.exitCode = 1;
} finally {
  await file.close();
}
