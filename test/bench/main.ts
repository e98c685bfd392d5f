import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { measureAdmin } from './admin.ts';
import { measureColdStarts } from './cold-start/cold-start.ts';
import { measureWarmCpu } from './cold-start/warm-cpu.ts';
import { comparison, type ExactRun, exactRun } from './comparison.ts';
import { measureListing } from './listing/listing.ts';
import { measureLoad } from './load.ts';
import { progress } from './progress.ts';
import { recordCounts } from './record-counts.ts';
import { textReport, writeReport } from './report.ts';
import type { Results } from './results.ts';
import { measureSideBySide } from './side-by-side.ts';

const program = new Command('npm run bench --')
  .description('measure what requests cost, and write RESULTS.md with its drawings')
  .option(
    '--quick',
    'smaller organizations and fewer repetitions, three minutes at the most; written to a temporary folder',
    false,
  )
  .option('--leads <N>', 'leads of the largest organization', parseLeads)
  .option('--out <FOLDER>', 'where RESULTS.md and the drawings go (a full run: test/bench)')
  .option(
    '--compare <FILE>',
    'the results.json of an earlier run: status 1 if this run has more round trips, units or bytes',
    parseRun,
  )
  .option('--record', 'only write test/bench/counts.json, which the tests compare with', false)
  .allowExcessArguments(false);
program.parse();
const options = program.opts<{
  quick: boolean;
  leads?: number;
  out?: string;
  compare?: ExactRun;
  record: boolean;
}>();
if (options.record) {
  await recordCounts();
  process.exit(0);
}

function parseRun(file: string): ExactRun {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new InvalidArgumentError(`It cannot be read: ${(error as Error).message}`);
  }
}

function parseLeads(text: string): number {
  const leads = Number(text);
  if (!/^\d+$/.test(text) || leads < 20_000 || leads > 2_000_000)
    throw new InvalidArgumentError('It must be an integer from 20000 to 2000000.');
  return leads;
}

const extent = options.quick
  ? {
      leads: 20_000,
      middle: 10_000,
      walkPagesMax: 3,
      rounds: 2,
      warmRequests: 50,
      requests: 8,
      load: 200,
      memory: 500,
      commands: 5,
      imported: 1000,
    }
  : {
      leads: 1_000_000,
      middle: 100_000,
      walkPagesMax: 600,
      rounds: 15,
      warmRequests: 600,
      requests: 60,
      load: 5000,
      memory: 50_000,
      commands: 15,
      imported: 20_000,
    };
const largest = options.leads ?? extent.leads;

const begun = new Date();
const loadBefore = loadavg()[0] ?? 0;
const sideBySide = await measureSideBySide({ requests: extent.requests });
const coldStarts = await measureColdStarts({ rounds: extent.rounds });
const warmCpu = await measureWarmCpu({
  requests: extent.warmRequests,
  memoryRequests: extent.memory,
});
const listing = await measureListing({
  sizes: [1000, Math.min(extent.middle, largest / 2), largest],
  walkPagesMax: extent.walkPagesMax,
});
const load = await measureLoad({ requests: extent.load, memoryRequests: extent.memory });
const admin = await measureAdmin({ rounds: extent.commands, rows: extent.imported });
const results: Results = { listing, coldStarts, warmCpu, sideBySide, load, admin };

process.stdout.write(`${textReport(results)}\n`);
const folder = resolve(
  options.out ??
    (options.quick ? await mkdtemp(join(tmpdir(), 'lead-bench-results-')) : import.meta.dirname),
);
const gigabytes = Math.round(totalmem() / 2 ** 30);
const machine = `a shared virtual machine of ${cpus().length} ${process.arch} cores and ${gigabytes} GB under ${process.platform}, Node ${process.versions.node}, other work on it meanwhile (load average ${loadBefore.toFixed(0)} before, ${(loadavg()[0] ?? 0).toFixed(0)} after)`;
const command = ['npm run bench', process.argv.slice(2).join(' ')].filter(Boolean).join(' -- ');
await writeReport(folder, results, {
  command,
  begun,
  minutes: performance.now() / 60_000,
  machine,
});
progress(`written: ${relative(process.cwd(), join(folder, 'RESULTS.md'))}`);
const compared = options.compare && comparison(options.compare, exactRun(results));
if (compared) process.stdout.write(`\n${compared.text}\n`);
process.exit(compared?.hasMore ? 1 : 0);
