import { Command, InvalidArgumentError } from 'commander';
import { startServiceProcess } from '../support/service-process.ts';
import { tableOf } from '../support/table.ts';
import { type FuzzResult, fuzz } from './episodes.ts';

/** `npm run fuzz`: requests by the document, and past it, against a service of its own, until so many are answered. */
const program = new Command('npm run fuzz --')
  .description(
    'send valid, almost valid and hostile requests made from openapi.json to a service started for it, and check every answer',
  )
  .option('--requests <N>', 'how many, rounded up to whole episodes of 100', integer(1), 10_000)
  .option(
    '--seed <S>',
    'the same seed sends the same requests; by default the time decides',
    integer(0),
    Date.now() % 1_000_000_000,
  )
  .option('--episode <E>', 'only this episode, as a finding names it', integer(0))
  .option('--engine <ENGINE>', 'DynamoDB engine, as npm start takes it', 'auto')
  .allowExcessArguments(false)
  .addHelpText(
    'after',
    '\nStatus 1 if anything was found.\n\nExample:\n  npm run fuzz -- --requests 100000 --seed 7',
  );
program.parse();
const options = program.opts<{
  requests: number;
  seed: number;
  episode?: number;
  engine: string;
}>();

function integer(min: number) {
  return (text: string): number => {
    const number = Number(text);
    if (!/^\d{1,10}$/.test(text) || number < min)
      throw new InvalidArgumentError(`It must be an integer from ${min} on.`);
    return number;
  };
}

const startedAt = Date.now();
const seconds = (): string => ((Date.now() - startedAt) / 1000).toFixed(0);
const tell = (text: string): void => void process.stderr.write(text);

const service = await startServiceProcess(['--engine', options.engine]);
const { environment, baseUrl } = service.ready;
const table = tableOf(environment);
tell(`Seed ${options.seed}\n`);
const result = await fuzz({ ...options, baseUrl, table, onProgress: progress }).finally(
  async () => {
    tell('\n');
    table.client.destroy();
    await service.end();
  },
);

for (const finding of result.findings.slice(0, 20)) process.stdout.write(`${finding}\n\n`);
process.stdout.write(figures(result));
process.exitCode = result.findings.length > 0 ? 1 : 0;

function progress({ requests, findings }: FuzzResult): void {
  const [start, end] = process.stderr.isTTY ? ['\r', ''] : ['', '\n'];
  tell(`${start}${requests} requests, ${findings.length} findings, ${seconds()} s${end}`);
}

function figures({ requests, episodes, byMood, outcomes, findings }: FuzzResult): string {
  const rows = Object.entries(outcomes).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...rows.map(([outcome, count]) => `${String(count).padStart(8)}  ${outcome}`),
    '',
    `${requests} requests to ${episodes} organizations (${byMood.valid} valid, ${byMood.almost} almost, ${byMood.hostile} hostile) in ${seconds()} s: ${findings.length} findings.`,
    '',
  ].join('\n');
}
