import { Command, InvalidArgumentError, Option } from 'commander';
import { ProgressLine } from '../../../infra/cli/progress-line.ts';
import { startServiceProcess } from '../../support/service-process.ts';
import type { TableEnvironment } from '../../support/table.ts';
import { type EngineHistory, runEngineHistory } from './engine-history.ts';

/** `npm run soak`: random histories on a real engine, for minutes or hours. Exit status 1 when one of them shows a violation. */
interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly histories: number;
  readonly repeat: number;
  readonly clients: number;
  readonly engine: 'dynoxide' | 'dynamodb-local';
}

/** An engine keeps the tables of all histories: a fresh one now and then keeps it small. */
const historiesPerEngine = 30;
/** Histories side by side: they mostly wait. */
const lanes = 2;

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It takes a number above 0.');
  return value;
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('It takes a whole number of at least 1.');
  return value;
}

const program = new Command('npm run soak --')
  .description("Lets the simulator's clients ask a real engine, under faults and deaths.")
  .option('--minutes <n>', 'no history begins after so many minutes', positive, 1)
  .option('--seed <s>', 'seed of the first history; each next one has the next', wholeNumber, 1)
  .option('--histories <n>', 'at most so many seeds', wholeNumber, Number.MAX_SAFE_INTEGER)
  .option('--repeat <n>', 'run each seed so many times', wholeNumber, 1)
  .option('--clients <n>', 'clients at once, at the most', wholeNumber, 12)
  .addOption(
    new Option('--engine <name>', 'the DynamoDB engine')
      .choices(['dynoxide', 'dynamodb-local'])
      .default('dynoxide'),
  );

const options = program.parse().opts<SoakOptions>();
const counts = new Map<string, number>();
const violations: { readonly seed: number; readonly sentence: string }[] = [];
const progress = new ProgressLine(
  process.stderr.isTTY ? (text) => process.stderr.write(text) : undefined,
);
const startedAt = performance.now();
const seconds = (): number => Math.round((performance.now() - startedAt) / 1000);
let begun = 0;
const isOver = (): boolean =>
  begun >= options.histories * options.repeat || (begun > 0 && seconds() >= options.minutes * 60);

while (!isOver()) await runOnFreshEngine();
progress.clear();
report();

async function runOnFreshEngine(): Promise<void> {
  const { engine } = options;
  const service = await startServiceProcess(['--engine', engine]);
  const end = begun + historiesPerEngine;
  const lane = async (): Promise<void> => {
    while (begun < end && !isOver()) {
      const seed = options.seed + Math.floor(begun++ / options.repeat);
      await runSeed(seed, service.ready.environment);
    }
  };
  try {
    await Promise.all(Array.from({ length: lanes }, lane));
  } finally {
    await service.end();
  }
}

async function runSeed(seed: number, environment: TableEnvironment): Promise<void> {
  try {
    const history = await runEngineHistory({ seed, environment, clients: options.clients });
    addUp(history);
    violations.push(...history.violations.map((sentence) => ({ seed, sentence })));
  } catch (error) {
    // What nobody expects ends its history, not the soak: it is a finding with a seed of its own.
    violations.push({ seed, sentence: `The history broke off: ${(error as Error).stack}` });
  }
  progress.show(`${seconds()} s: ${begun} histories, ${violations.length} violations`);
}

function addUp({ requests, commands, dynamodbCalls, faults }: EngineHistory): void {
  const add = (name: string, count: number) => counts.set(name, (counts.get(name) ?? 0) + count);
  add('requests', requests);
  add("administrators' commands", commands);
  add('DynamoDB calls', dynamodbCalls);
  for (const [name, count] of faults) add(`fault ${name}`, count);
}

/** Prints the figures, and each violation with the command that repeats it; ends the process. */
function report(): never {
  const { seed, engine } = options;
  const last = seed + Math.floor(Math.max(0, begun - 1) / options.repeat);
  const lines = [
    `engine: ${engine}`,
    `seconds: ${seconds()}`,
    `histories: ${begun} (seeds ${seed} to ${last})`,
    ...[...counts].map(([name, count]) => `${name}: ${count.toLocaleString('en-US')}`),
    `violations: ${violations.length}`,
    ...violations.map((one) => `seed ${one.seed}: ${one.sentence}`),
    ...[...new Set(violations.map((one) => one.seed))].map(
      (one) =>
        `Repeat it: npm run soak -- --engine ${engine} --seed ${one} --histories 1 --repeat 20`,
    ),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exit(violations.length > 0 ? 1 : 0);
}
