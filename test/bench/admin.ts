import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clientConfig, createTable } from '../../infra/local/table.ts';
import { parseSettingsFile } from '../../shared/organization/settings.ts';
import { applySettings } from '../../shared/store/organizations/apply-settings.ts';
import { openTable } from '../../shared/store/table/client.ts';
import { sampleSettings } from '../support/settings.ts';
import { withEngine } from './bench-engine.ts';
import { progress } from './progress.ts';
import { median } from './statistics.ts';

const run = promisify(execFile);
const launcher = ['infra/launch/run.mjs', 'infra/admin/main.ts'];

export interface AdminResult {
  /** From the start of the launcher to the first line of a command; the least and the median. */
  readonly firstLineMs: { readonly least: number; readonly median: number };
  readonly importedRows: number;
  readonly importSeconds: number;
}

/** How long an administrator waits for a command's first line, and for an import. */
export async function measureAdmin({
  rounds,
  rows,
}: {
  rounds: number;
  rows: number;
}): Promise<AdminResult> {
  progress('admin commands and an import');
  return withEngine(async (engine) => {
    const environment = { ...process.env, ...engine.environment };
    await createTable(engine.environment);
    const table = openTable(engine.environment.LEADS_TABLE, clientConfig(engine.environment));
    const file = JSON.stringify({ ...sampleSettings, id: 1 });
    await applySettings(table, parseSettingsFile(file).settings);
    table.client.destroy();
    // The first run after a change builds the command's bundle.
    await run('node', [...launcher, 'organization', 'list'], { env: environment });
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) times.push(await firstLine(environment));
    const importSeconds = await secondsOfImport(rows, environment);
    return {
      firstLineMs: { least: Math.min(...times), median: median(times) },
      importedRows: rows,
      importSeconds,
    };
  });
}

async function firstLine(environment: NodeJS.ProcessEnv): Promise<number> {
  const begun = performance.now();
  const child = spawn('node', [...launcher, 'organization', 'list'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const ms = performance.now() - begun;
  await once(child, 'close');
  return ms;
}

async function secondsOfImport(rows: number, environment: NodeJS.ProcessEnv): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'lead-bench-import-'));
  try {
    const file = join(folder, 'leads.csv');
    const lines = Array.from(
      { length: rows },
      (_, at) =>
        `Person ${at},+9197${String(at).padStart(8, '0')},person${at}@example.com,student,Pune`,
    );
    await writeFile(file, `name,phone,email,lead_type,city\n${lines.join('\n')}\n`);
    const begun = performance.now();
    const args = ['--json', 'lead', 'import', file, '--organization', '1'];
    const { stdout } = await run('node', [...launcher, ...args], { env: environment });
    const { imported } = JSON.parse(stdout) as { imported: number };
    if (imported !== rows) throw new Error(`Of ${rows} rows, ${imported} were imported.`);
    return (performance.now() - begun) / 1000;
  } finally {
    await rm(folder, { recursive: true });
  }
}
