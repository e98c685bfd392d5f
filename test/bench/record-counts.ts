import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunctions } from '../../infra/bundle/bundle.ts';
import { bundleKbOf, countsFile, type RecordedCounts } from './counts.ts';

/** Writes `counts.json`: what the budgets' tests measure on dynoxide, and the size of each bundle. @throws Error if a test fails */
export async function recordCounts(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lead-bench-counts-'));
  try {
    const file = join(folder, 'requests.json');
    const vitest = spawn('vitest', ['run', '--project', 'dynoxide', 'test/budgets'], {
      stdio: 'inherit',
      env: { ...process.env, RECORD_COUNTS: file },
    });
    const [status] = await once(vitest, 'exit');
    if (status !== 0) throw new Error('The counts were not recorded: a test failed.');
    const bundles = [...(await bundleFunctions())].sort(([a], [b]) => (a < b ? -1 : 1));
    const counts: RecordedCounts = {
      requests: JSON.parse(await readFile(file, 'utf8')),
      bundleKb: Object.fromEntries(bundles.map(([name, { code }]) => [name, bundleKbOf(code)])),
    };
    await writeFile(countsFile, `${JSON.stringify(counts, null, 2)}\n`);
  } finally {
    await rm(folder, { recursive: true });
  }
}
