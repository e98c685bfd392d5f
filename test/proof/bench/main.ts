import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { bundleFunctions } from '../../../infra/bundle/bundle.ts';
import { CliCommand } from '../../../infra/cli/command.ts';
import { bundleKbOf, countsFile, type RecordedCounts } from '../../functions/counts.ts';
import { measureColdStarts } from './cold-start/cold-start.ts';
import { measureWarmCpu } from './cold-start/warm-cpu.ts';
import { measureListing } from './listing/listing.ts';
import { measureLoad } from './load.ts';
import { progress, withFolder } from './measuring.ts';
import { asMarkdown, budgetTable, comparison, type ExactFigures, exactFigures } from './results.ts';

const program = new CliCommand('npm run bench --')
  .description('measure cold starts, warm requests, lists and load, and write RESULTS.md')
  .option(
    '--quick',
    'smaller organizations and fewer repetitions, three minutes at the most; written to a temporary folder',
  )
  .option('--out <FOLDER>', 'where RESULTS.md and results.json go (a full run: test/proof/bench)')
  .option(
    '--compare <FILE>',
    'the results.json of an earlier run: status 1 if this run has more round trips, units or bytes, or nothing to compare',
    parseRun,
  )
  .option('--record', 'only write test/functions/counts.json, which the tests compare with');
program.parse();
const options = program.opts<{
  quick?: boolean;
  out?: string;
  compare?: ExactFigures;
  record?: boolean;
}>();
if (options.record) {
  await recordCounts();
  process.exit(0);
}

function parseRun(file: string): ExactFigures {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new InvalidArgumentError(`It cannot be read: ${(error as Error).message}`);
  }
}

const extent = options.quick
  ? { sizes: [1000, 10_000], walkPagesMax: 3, rounds: 1, warmRequests: 20, load: 100 }
  : {
      sizes: [100_000, 1_000_000],
      walkPagesMax: 600,
      rounds: 15,
      warmRequests: 600,
      load: 5000,
    };

// The bench's own calls to an engine wait on a busy machine; the measured functions have their own time-outs.
process.env.DYNAMODB_TIMEOUT_MS ??= '20000';
const begun = new Date().toISOString().slice(0, 16).replace('T', ' ');
const loadBefore = loadavg()[0] ?? 0;
const results = [
  await measureListing(extent),
  await measureColdStarts(extent.rounds),
  await measureWarmCpu(extent.warmRequests),
  await measureLoad(extent.load),
];
const tables = results.flatMap((one) => one.tables);
const budgets = budgetTable(results.flatMap((one) => one.budgets));

const command = ['npm run bench', process.argv.slice(2).join(' ')].filter(Boolean).join(' -- ');
const machine = `${cpus().length} ${process.arch} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}, Node ${process.versions.node}`;
const page = [
  '# Results of the benchmark',
  `Written by \`${command}\`, started ${begun} UTC, ${(performance.now() / 60_000).toFixed(0)} minutes long, on ${machine}; load average ${loadBefore.toFixed(0)} before, ${(loadavg()[0] ?? 0).toFixed(0)} after.`,
  'Calls, units and bytes are exact and the same on every machine. Times are not: read them as ratios within this run. Units are those that the engine, dynoxide, reports. The tests assert the calls and units of each endpoint ([`counts.json`](../../functions/counts.json)).',
  ...[budgets, ...tables].map(asMarkdown),
].join('\n\n');
process.stdout.write(`${page}\n`);
const folder = resolve(
  options.out ??
    (options.quick ? await mkdtemp(join(tmpdir(), 'lead-bench-results-')) : import.meta.dirname),
);
await mkdir(folder, { recursive: true });
await writeFile(join(folder, 'RESULTS.md'), `${page}\n`);
const figures = exactFigures(tables);
await writeFile(join(folder, 'results.json'), `${JSON.stringify(figures, undefined, 1)}\n`);
progress(`written: ${relative(process.cwd(), join(folder, 'RESULTS.md'))}`);
const compared = options.compare && comparison(options.compare, figures);
if (compared) process.stdout.write(`\n${compared.text}\n`);
process.exit(compared?.fails ? 1 : 0);

/** Writes `counts.json`: what the budgets' tests measure on dynoxide, and the size of each bundle. @throws Error if a test fails */
async function recordCounts(): Promise<void> {
  await withFolder(async (folder) => {
    const file = join(folder, 'requests.json');
    const vitest = spawn('vitest', ['run', '--project', 'service', 'test/functions/budgets'], {
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
  });
}
