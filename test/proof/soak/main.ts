import { Option } from 'commander';
import { CliCommand } from '../../../infra/cli/command.ts';
import { countOf } from '../../../infra/cli/format.ts';
import { integerOption } from '../../../infra/cli/options.ts';
import { ProgressLine } from '../../../infra/cli/progress-line.ts';
import { startServiceProcess } from '../../support/service-process.ts';
import { runEngineHistory } from './engine-history.ts';

/** `npm run soak`: random histories on a real engine, for minutes or hours. Exit status 1 when one of them shows a violation. */
interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly histories?: number;
  readonly repeat: number;
  readonly clients: number;
  readonly engine: 'dynoxide' | 'dynamodb-local';
}

/** Histories side by side: they mostly wait. */
const lanes = 2;

const parseCount = integerOption(1, 1e9);
const options = new CliCommand('npm run soak --')
  .description("Runs the simulator's clients against a real engine, under faults and deaths.")
  .option('--minutes <n>', 'no history begins after so many minutes', parseCount, 1)
  .option('--seed <s>', 'seed of the first history; the next ones count up', parseCount, 1)
  .option('--histories <n>', 'at most so many seeds', parseCount)
  .option('--repeat <n>', 'run each seed so many times', parseCount, 1)
  .option('--clients <n>', 'clients at once, at the most', parseCount, 12)
  .addOption(
    new Option('--engine <name>', 'the DynamoDB engine')
      .choices(['dynoxide', 'dynamodb-local'])
      .default('dynoxide'),
  )
  .parse()
  .opts<SoakOptions>();

const {
  engine,
  seed: firstSeed,
  histories = Number.POSITIVE_INFINITY,
  repeat,
  minutes,
  clients,
} = options;
const counts = new Map<string, number>();
const violations: { readonly seed: number; readonly sentence: string }[] = [];
const progress = new ProgressLine((text) => process.stderr.write(text), process.stderr.isTTY);
const startedAt = performance.now();
const seconds = (): number => Math.round((performance.now() - startedAt) / 1000);
let begun = 0;
let lastSeed = firstSeed;

const service = await startServiceProcess(['--engine', engine]);
await Promise.all(Array.from({ length: lanes }, runHistories));
await service.end();
progress.clear();
report();

async function runHistories(): Promise<void> {
  while (begun < histories * repeat && (begun === 0 || seconds() < minutes * 60)) {
    lastSeed = firstSeed + Math.floor(begun / repeat);
    begun += 1;
    await runSeed(lastSeed);
  }
}

async function runSeed(seed: number): Promise<void> {
  try {
    const { environment } = service.ready;
    const history = await runEngineHistory({ seed, environment, clients });
    for (const [name, count] of history.counts) counts.set(name, (counts.get(name) ?? 0) + count);
    violations.push(...history.violations.map((sentence) => ({ seed, sentence })));
  } catch (error) {
    // What nobody expects ends its history, not the soak: it is a finding with a seed of its own.
    violations.push({ seed, sentence: `The history broke off: ${(error as Error).stack}` });
  }
  progress.show(
    `${seconds()} s: ${countOf(begun, 'history', 'histories')}, ${countOf(violations.length, 'violation')}`,
  );
}

/** Prints the figures, and each violation with the command that repeats it. */
function report(): void {
  const lines = [
    `engine: ${engine}`,
    `seconds: ${seconds()}`,
    `histories: ${begun} (seeds ${firstSeed} to ${lastSeed})`,
    ...[...counts].map(([name, count]) => `${name}: ${count.toLocaleString('en-US')}`),
    `violations: ${violations.length}`,
    ...violations.map((one) => `seed ${one.seed}: ${one.sentence}`),
    ...[...new Set(violations.map((one) => one.seed))].map(
      (one) =>
        `Repeat it: npm run soak -- --engine ${engine} --seed ${one} --histories 1 --repeat 20`,
    ),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = violations.length > 0 ? 1 : 0;
}
