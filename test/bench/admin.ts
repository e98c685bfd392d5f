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
import { processorTimeOf } from './process-usage.ts';
import { progress } from './progress.ts';
import { median } from './statistics.ts';

const run = promisify(execFile);
const admin = 'infra/admin/main.ts';

export interface AdminResult {
  /** From its start to the first line of a command; the least and the median. */
  readonly firstLineMs: { readonly least: number; readonly median: number };
  /** Processor time of a whole command and Node.js itself, the least: other work on the machine hardly changes it. */
  readonly commandCpuMs: number;
  /** What npm takes to run a script that does nothing, at the least: `npm run admin` waits for it, and for the check of what is installed. */
  readonly npmMs: number;
  readonly importedRows: number;
  readonly importSeconds: number;
  /** Processor time of the engine for one row: it works on one core at a time, so this alone bounds the rows per second. */
  readonly engineMsPerRow: number;
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
    // The first run after a change compiles what changed.
    await run('node', [admin, 'organization', 'list'], { env: environment });
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) times.push(await firstLine(environment));
    const cpuTimes: number[] = [];
    for (let round = 0; round < rounds; round += 1) cpuTimes.push(await cpuOfCommand(environment));
    const npmMs = await emptyScript(Math.min(rounds, 5));
    const engineMs = (): number => processorTimeOf(process.pid, 'dynoxide').matchingMs;
    const engineBefore = engineMs();
    const importSeconds = await secondsOfImport(rows, environment);
    return {
      firstLineMs: { least: Math.min(...times), median: median(times) },
      commandCpuMs: Math.min(...cpuTimes),
      npmMs,
      importedRows: rows,
      importSeconds,
      engineMsPerRow: (engineMs() - engineBefore) / rows,
    };
  });
}

async function firstLine(environment: NodeJS.ProcessEnv): Promise<number> {
  const begun = performance.now();
  const child = spawn('node', [admin, 'organization', 'list'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const ms = performance.now() - begun;
  await once(child, 'close');
  return ms;
}

/** As the shell's `times` tells it: its second line has user and system time of what it ran, as `0m0.123s`. */
async function cpuOfCommand(environment: NodeJS.ProcessEnv): Promise<number> {
  const args = ['-c', '"$@" >/dev/null; times', 'sh', 'node', admin, 'organization', 'list'];
  const { stdout } = await run('sh', args, { env: environment });
  const times = (stdout.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g);
  return [...times].reduce(
    (sum, [, minutes, seconds]) => sum + 60_000 * Number(minutes) + 1000 * Number(seconds),
    0,
  );
}

/** @returns the least of so many runs, in milliseconds */
async function emptyScript(rounds: number): Promise<number> {
  const cwd = await mkdtemp(join(tmpdir(), 'lead-bench-npm-'));
  try {
    await writeFile(join(cwd, 'package.json'), JSON.stringify({ scripts: { empty: 'true' } }));
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round += 1) {
      const begun = performance.now();
      await run('npm', ['run', '--silent', 'empty'], { cwd });
      least = Math.min(least, performance.now() - begun);
    }
    return least;
  } finally {
    await rm(cwd, { recursive: true });
  }
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
    const { stdout } = await run('node', [admin, ...args], { env: environment });
    const { imported } = JSON.parse(stdout) as { imported: number };
    if (imported !== rows) throw new Error(`Of ${rows} rows, ${imported} were imported.`);
    return (performance.now() - begun) / 1000;
  } finally {
    await rm(folder, { recursive: true });
  }
}
