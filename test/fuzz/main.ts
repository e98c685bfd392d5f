import { Command } from 'commander';
import { integerOption } from '../../infra/cli/options.ts';
import { fuzz, requestsPerEpisode } from './episodes.ts';

/** `npm run fuzz`: requests by the document, and past it, against a service of its own, until so many are answered. */
const parseInteger = integerOption(0, 1e9);
const program = new Command('npm run fuzz --')
  .description(
    'send valid, almost valid and hostile requests made from openapi.json to a service started for it, and check every answer',
  )
  .option(
    '--requests <N>',
    `how many, rounded up to whole episodes of ${requestsPerEpisode}`,
    parseInteger,
    10_000,
  )
  .option(
    '--seed <S>',
    'the same seed sends the same requests; by default the time decides',
    parseInteger,
    Date.now() % 1_000_000_000,
  )
  .option('--episode <E>', 'only this episode, as a finding names it', parseInteger)
  .option('--engine <ENGINE>', 'DynamoDB engine, as npm start takes it', 'auto')
  .allowExcessArguments(false)
  .addHelpText(
    'after',
    '\nStatus 1 if anything was found.\n\nExample:\n  npm run fuzz -- --requests 100000 --seed 7',
  );
program.parse();
const { requests, seed, episode, engine } = program.opts<{
  requests: number;
  seed: number;
  episode?: number;
  engine: string;
}>();
const count = Math.ceil(requests / requestsPerEpisode);
const episodes = episode === undefined ? [...Array(count).keys()] : [episode];

const seconds = (): string => (performance.now() / 1000).toFixed(0);
const result = await fuzz({
  engine,
  seed,
  episodes,
  onProgress: ({ requests: sent, findings }) =>
    process.stderr.write(`${sent} requests, ${findings.length} findings, ${seconds()} s\n`),
});

const outcomes = Object.entries(result.outcomes).sort(([a], [b]) => (a < b ? -1 : 1));
console.log(
  [
    ...result.findings.slice(0, 20).map((finding) => `${finding}\n`),
    ...outcomes.map(([outcome, times]) => `${String(times).padStart(8)}  ${outcome}`),
    '',
    `Seed ${seed}: ${result.requests} requests to ${episodes.length} organizations in ${seconds()} s: ${result.findings.length} findings.`,
  ].join('\n'),
);
process.exitCode = result.findings.length > 0 ? 1 : 0;
