/** `npm run simulate`: the service's own code under a simulated DynamoDB, in as many histories as are wanted. */
import { parseArgs } from 'node:util';
import { longTime } from './explore/long-time.ts';
import { manyHistories } from './explore/many-histories.ts';
import { explorePairs } from './explore/pairs.ts';
import { bundleVersions } from './explore/random-histories.ts';
import { type Report, type Summary, sumOf } from './explore/report.ts';
import { findPlantedBugs, tableHead } from './planted-bugs/run.ts';

const help = `Usage: npm run simulate -- [options]

Runs the service's functions against a simulated DynamoDB in simulated time, and checks what the contract promises.
Without an option: 200 random histories. The last line says how many histories, faults and violations there were.

  --seed N        the first random history's seed; the next ones count on (default: 1)
  --histories N   how many random histories
  --minutes M     as many random histories as M minutes take
  --pairs         every pair of operations, in every order of their calls that makes a difference, with a fault at each call
  --long          histories of days of simulated time
  --bugs          the planted bugs: a table of what found each; one that nothing finds counts as a violation
  --help          this text

A history that fails is printed with its seed, as small as it goes, as a story. Status: 1 on a violation, 2 on wrong usage.

Examples:
  npm run simulate -- --seed 83 --histories 1
  npm run simulate -- --minutes 10
`;

const fail = (sentence: string): never => {
  process.stderr.write(`${sentence} See npm run simulate -- --help.\n`);
  process.exit(2);
};

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return /^\d{1,9}$/.test(text)
    ? Number(text)
    : fail(`--${name} must be a whole number, not '${text}'.`);
}

function optionsOf(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    const options = {
      seed: text,
      histories: text,
      minutes: text,
      pairs: flag,
      long: flag,
      bugs: flag,
      help: flag,
    };
    const { values } = parseArgs({ args: [...args], options, strict: true });
    return values;
  } catch (error) {
    return fail(`${(error as Error).message}.`.replace(/\.\.$/, '.'));
  }
}

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

const options = optionsOf(process.argv.slice(2));
if (options.help) {
  process.stdout.write(help);
  process.exit(0);
}
const minutes = wholeNumber('minutes', options.minutes);
const histories = wholeNumber('histories', options.histories);
const seed = wholeNumber('seed', options.seed) ?? 1;
const isRandomWanted =
  minutes !== undefined ||
  histories !== undefined ||
  !(options.pairs || options.long || options.bugs);

const versions = await bundleVersions();
const summaries: Summary[] = [];
if (options.pairs) summaries.push(await explorePairs(report.print));
if (options.long) summaries.push(await longTime(versions[0], report));
if (options.bugs) {
  report.print(tableHead.join('\n'));
  summaries.push(await findPlantedBugs(report.print));
}
if (isRandomWanted) {
  const many = {
    seed,
    histories: histories ?? (minutes === undefined ? 200 : Number.POSITIVE_INFINITY),
    ...(minutes !== undefined && { withinMs: minutes * 60_000 }),
  };
  const summary = await manyHistories(versions, many, report);
  report.print(
    `${summary.requests} requests, ${summary.simulatedHours.toFixed(1)} simulated hours`,
  );
  summaries.push(summary);
}
const sum = sumOf(summaries);
if (isTerminal) process.stderr.write('\n');
report.print(`histories ${sum.histories}, faults ${sum.faults}, violations ${sum.violations}`);
process.exit(sum.violations > 0 ? 1 : 0);
