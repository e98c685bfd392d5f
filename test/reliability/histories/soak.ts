import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { ProgressLine } from '../../../infra/cli/progress-line.ts';
import {
  currentCommit,
  readRecord,
  writeRecord,
} from '../../simulation/record/simulation-record.ts';
import { startFaultyService } from '../../support/faults/faulty-service.ts';
import { node24, projectFolder, startServiceProcess } from '../../support/service-process.ts';
import { type Figure, figuresVariable } from '../figures.ts';
import {
  engineRecord,
  type FuzzReport,
  figureSheet,
  readFuzzReport,
  type Soak,
} from './figure-sheet.ts';
import { runHistory } from './history.ts';
import { Tally } from './tally.ts';

/** `npm run soak`: random histories for minutes or hours. Exit status 1 when one of them shows a violation. */
interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly histories: number;
  readonly repeat: number;
  readonly clients: number;
  readonly turns: number;
  readonly engine: 'dynoxide' | 'dynamodb-local';
  readonly record?: string;
}

/** A check reads the whole table: a fresh engine now and then keeps it short, and the functions are cold again. */
const historiesPerService = 30;
/** Histories side by side, each on a proxy and on functions of its own: they mostly wait. */
const lanes = 2;
/** Of the fuzz that `--record` runs. */
const fuzzRequests = '10000';

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
  .description(
    'Lets several clients act at once, under faults and deaths, and judges each history against a plain model.',
  )
  .option('--minutes <n>', 'no history begins after so many minutes', positive, 1)
  .option('--seed <s>', 'seed of the first history; each next one has the next', wholeNumber, 1)
  .option('--histories <n>', 'at most so many seeds', wholeNumber, Number.MAX_SAFE_INTEGER)
  .option('--repeat <n>', 'run each seed so many times', wholeNumber, 1)
  .option('--clients <n>', 'clients at once', wholeNumber, 6)
  .option('--turns <n>', 'turns of each client at the most', wholeNumber, 16)
  .addOption(
    new Option('--engine <name>', 'the DynamoDB engine')
      .choices(['dynoxide', 'dynamodb-local'])
      .default('dynoxide'),
  )
  .option(
    '--record <file>',
    'run the tests of deaths and limits and npm run fuzz too, and add all figures to the file of npm run simulate -- --record',
  );

const options = program.parse().opts<SoakOptions>();
const soak = await runHistories(options);
process.stdout.write(`${figureSheet(soak)}\n`);
for (const { seed, sentence } of soak.tally.violations)
  process.stdout.write(`seed ${seed}: ${sentence}\n`);
for (const seed of new Set(soak.tally.violations.map((one) => one.seed))) {
  process.stdout.write(
    `Repeat it: npm run soak -- --engine ${options.engine} --seed ${seed} --histories 1 --repeat 20\n`,
  );
}
if (options.record !== undefined) {
  const folder = await mkdtemp(join(tmpdir(), 'soak-'));
  try {
    const figures = await measureTests(options.engine, join(folder, 'figures.jsonl'));
    const fuzz = await measureFuzz(options, join(folder, 'fuzz.json'));
    const engine = engineRecord(soak, { figures, fuzz }, currentCommit());
    writeRecord(options.record, { ...readRecord(options.record), engine });
  } finally {
    await rm(folder, { recursive: true });
  }
  process.stdout.write(`Recorded in ${options.record}.\n`);
}
process.exit(soak.tally.violations.length > 0 ? 1 : 0);

async function runHistories({
  minutes,
  seed,
  histories,
  repeat,
  clients,
  turns,
  engine,
  record,
}: SoakOptions): Promise<Soak> {
  const tally = new Tally();
  const progress = new ProgressLine(
    process.stderr.isTTY ? (text) => process.stderr.write(text) : undefined,
  );
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1000;
  const runs = histories * repeat;
  let begun = 0;
  const isOver = (): boolean => begun >= runs || (begun > 0 && seconds() >= minutes * 60);
  while (!isOver()) {
    const service = await startServiceProcess([
      '--engine',
      engine,
      '--db',
      ':memory:',
      '--port',
      '0',
    ]);
    const { environment } = service.ready;
    const end = Math.min(begun + historiesPerService, runs);
    const lane = async (): Promise<void> => {
      const faulty = await startFaultyService(environment);
      try {
        while (begun < end && !isOver()) {
          const own = seed + Math.floor(begun++ / repeat);
          try {
            const result = await runHistory({ seed: own, environment, faulty, clients, turns });
            result.world.table.client.destroy();
            tally.add(own, result);
          } catch (error) {
            // What a client does not expect ends its history, not the soak: it is a finding with a seed of its own.
            tally.violations.push({
              seed: own,
              sentence: `The history broke off: ${(error as Error).stack}`,
            });
          }
          const { violations, requests } = tally;
          const line = `${Math.round(seconds())} s: ${tally.histories} histories, ${requests} requests, ${violations.length} violations`;
          progress.show(line);
          if (!process.stderr.isTTY && tally.histories % historiesPerService === 0)
            process.stderr.write(`${line}\n`);
        }
      } finally {
        await faulty.stop();
      }
    };
    try {
      await Promise.all(Array.from({ length: Math.min(lanes, end - begun) }, lane));
    } finally {
      await service.end();
    }
  }
  progress.clear();
  const command = `npm run soak -- --minutes ${minutes} --seed ${seed} --engine ${engine}${record === undefined ? '' : ' --record record.json'}`;
  return { engine, seed, seconds: seconds(), clients, turns, command, tally };
}

/** Runs the tests of deaths and of limits, and gathers what they report. @throws Error when one fails */
async function measureTests(engine: string, file: string): Promise<Figure[]> {
  await writeFile(file, '');
  const vitest = join(projectFolder, 'node_modules', 'vitest', 'vitest.mjs');
  const names = ['death', 'admin-death', 'buckets'].map(
    (name) => `test/reliability/${name}.integration.test.ts`,
  );
  const status = await runNode([vitest, 'run', '--project', engine, ...names], {
    [figuresVariable]: file,
  });
  if (status !== 0)
    throw new Error(
      'A test of deaths or limits failed, so nothing is recorded: its report is above.',
    );
  return (await readFile(file, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Figure);
}

/** Runs the fuzz with the seed. What it finds stands in its report, and on the page. */
async function measureFuzz({ engine, seed }: SoakOptions, file: string): Promise<FuzzReport> {
  const fuzz = join(projectFolder, 'test', 'fuzz', 'main.ts');
  await runNode([
    fuzz,
    '--requests',
    fuzzRequests,
    '--seed',
    String(seed),
    '--engine',
    engine,
    '--report',
    file,
  ]);
  return readFuzzReport(file);
}

/** What it prints goes to stderr. @returns its exit status */
async function runNode(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<number | null> {
  const env = { ...process.env, ...environment };
  const child = spawn(node24, args, { cwd: projectFolder, env, stdio: ['ignore', 2, 2] });
  const [status] = await once(child, 'close');
  return status;
}
