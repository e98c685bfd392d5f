/** `npm run simulate`: the service's own code under a simulated DynamoDB, in as many histories as are wanted. */
import { InvalidArgumentError, Option } from 'commander';
import { CliCommand } from '../../../infra/cli/command.ts';
import { soak } from '../soak/soak.ts';
import { bundlePublisher } from './events/publish-history.ts';
import { exploreCommandPairs } from './explore/command-pairs.ts';
import { explorePairs } from './explore/pairs.ts';
import { bundleVersions } from './explore/random-histories.ts';
import { noHistory, type Report, type Summary, sumOf } from './explore/report.ts';
import { manyHistories } from './explore/run-seed.ts';
import { readService } from './lambda/modules.ts';
import { findPlantedBugs, runScenarios } from './planted-bugs/run.ts';
import { longScenarios } from './planted-bugs/scenarios/long-time.ts';

interface SimulateOptions {
  readonly seed: number;
  readonly histories?: number;
  readonly minutes?: number;
  readonly pairs?: true;
  readonly long?: true;
  readonly bugs?: true;
  readonly engine?: string;
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(text);
}

const help = `
Without an option: 200 random histories. The last line says how many histories, faults and violations there were.
A history that fails is printed with its seed, as small as it goes, as a story. Status: 1 on a violation, 2 on wrong usage.

Examples:
  npm run simulate -- --seed 83 --histories 1
  npm run simulate -- --minutes 10
  npm run simulate -- --minutes 2 --engine dynoxide
  npm run simulate -- --histories 10000 --pairs --long --bugs`;

const options = new CliCommand('npm run simulate --')
  .description(
    "Runs the service's functions against a simulated DynamoDB in simulated time, and checks what the contract promises.",
  )
  .option('--seed <n>', "the first random history's seed; the next ones count on", wholeNumber, 1)
  .option('--histories <n>', 'how many random histories', wholeNumber)
  .option('--minutes <n>', 'as many random histories as these minutes take', wholeNumber)
  .option('--pairs', 'every pair of operations, in every order of calls, with a fault at each')
  .option('--long', 'histories of days of simulated time')
  .option('--bugs', 'what finds each planted bug, written to planted-bugs/found-by.json')
  .addOption(
    new Option('--engine <name>', 'random histories of the built functions on this engine').choices(
      ['dynoxide', 'dynamodb-local'],
    ),
  )
  .notes(help)
  .parse()
  .opts<SimulateOptions>();

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

const { histories, minutes, pairs, long, bugs, engine } = options;
const summaries: Summary[] = [];
if (pairs) {
  summaries.push(await explorePairs(report.print));
  summaries.push(await exploreCommandPairs(report.print));
}
if (long) summaries.push(await runScenarios(longScenarios, await readService(), report));
if (bugs) summaries.push(await findPlantedBugs(report));
if (minutes !== undefined || histories !== undefined || !(pairs || long || bugs))
  summaries.push(await randomHistories());
const sum = summaries.reduce(sumOf, noHistory);
if (isTerminal) process.stderr.write('\n');
report.print(`histories ${sum.histories}, faults ${sum.faults}, violations ${sum.violations}`);
process.exit(sum.violations > 0 ? 1 : 0);

async function randomHistories(): Promise<Summary> {
  const wanted = {
    seed: options.seed,
    histories: histories ?? (minutes === undefined ? 200 : Number.POSITIVE_INFINITY),
    withinMs: (minutes ?? Number.POSITIVE_INFINITY) * 60_000,
  };
  if (engine !== undefined) return soak(engine, wanted, report);
  const [versions, publisher] = await Promise.all([bundleVersions(), bundlePublisher()]);
  const totals = await manyHistories(wanted, { versions, publisher }, report);
  report.print(
    `${totals.requests} requests, ${totals.commands} commands, ${totals.calls} calls, ${totals.simulatedHours.toFixed(1)} simulated hours`,
  );
  return totals;
}
