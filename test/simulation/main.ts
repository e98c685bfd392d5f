/** `npm run simulate`: the service's own code under a simulated DynamoDB, in as many histories as are wanted. */
import { longTime } from './explore/long-time.ts';
import { manyHistories } from './explore/many-histories.ts';
import { explorePairs } from './explore/pairs.ts';
import { bundleVersions } from './explore/random-histories.ts';
import { type Report, type Summary, sumOf } from './explore/report.ts';
import { readOptions, type SimulateOptions } from './options.ts';
import { findPlantedBugs } from './planted-bugs/run.ts';

const isTerminal = process.stderr.isTTY === true;
let toldAt = 0;
const report: Report = {
  progress: (text) => {
    const now = performance.now();
    if (now - toldAt < (isTerminal ? 200 : 10_000)) return;
    toldAt = now;
    process.stderr.write(isTerminal ? `\r\u001b[K${text}` : `${text}\n`);
  },
  print: (text) => void process.stdout.write(`${text}\n`),
};

const options = readOptions(process.argv.slice(2));
const summaries: Summary[] = [];
if (options.pairs) summaries.push(await explorePairs(report.print));
if (options.long) summaries.push(await longTime((await bundleVersions())[0], report));
if (options.bugs) summaries.push(await findPlantedBugs(report));
if (isRandomWanted(options)) summaries.push(await randomHistories(options));
const sum = sumOf(summaries);
if (isTerminal) process.stderr.write('\n');
report.print(`histories ${sum.histories}, faults ${sum.faults}, violations ${sum.violations}`);
process.exit(sum.violations > 0 ? 1 : 0);

function isRandomWanted({ minutes, histories, pairs, long, bugs }: SimulateOptions): boolean {
  return minutes !== undefined || histories !== undefined || !(pairs || long || bugs);
}

async function randomHistories(wanted: SimulateOptions): Promise<Summary> {
  const { seed, minutes, processes } = wanted;
  const histories = wanted.histories ?? (minutes === undefined ? 200 : Number.POSITIVE_INFINITY);
  const withinMs = (minutes ?? Number.POSITIVE_INFINITY) * 60_000;
  const totals = await manyHistories(
    { seed, histories, withinMs, processes: Math.min(processes, histories) },
    report,
  );
  const perSecond = (totals.histories / totals.processorSeconds).toFixed(1);
  report.print(
    `${totals.requests} requests, ${totals.commands} commands, ${totals.calls} calls, ${totals.simulatedHours.toFixed(1)} simulated hours, ${perSecond} histories a second of processor time`,
  );
  return totals;
}
