import { CliCommand } from '../../../infra/cli/command.ts';
import { countOf } from '../../../infra/cli/format.ts';
import { integerOption } from '../../../infra/cli/options.ts';
import { fuzz, requestsPerEpisode } from './episodes.ts';

/** `npm run fuzz`: requests by the schemas, and past them, against a service of its own, until so many are answered. */
const parseInteger = integerOption(0, 1e9);
const program = new CliCommand('npm run fuzz --')
  .description(
    'send valid, almost valid and hostile requests made from the functions’ schemas to a service started for it, and check every answer',
  )
  .option(
    '--requests <N>',
    `how many, in episodes of ${requestsPerEpisode}, each to its own organization`,
    parseInteger,
    10_000,
  )
  .option(
    '--seed <S>',
    'the same seed sends the same requests (default: from the time)',
    parseInteger,
  )
  .option('--episode <E>', 'only this episode, as a finding names it', parseInteger)
  .option('--engine <ENGINE>', 'DynamoDB engine, as npm start takes it', 'auto')
  .notes(`
Status: 1 if anything was found, 2 for wrong usage.

Example:
  npm run fuzz -- --requests 100000 --seed 7`);
program.parse();
const {
  requests,
  seed = Date.now() % 1_000_000_000,
  episode,
  engine,
} = program.opts<{
  requests: number;
  seed?: number;
  episode?: number;
  engine: string;
}>();
const count = Math.ceil(requests / requestsPerEpisode);
const episodes = episode === undefined ? [...Array(count).keys()] : [episode];

// The run's own calls to the engine wait on a busy machine.
process.env.DYNAMODB_TIMEOUT_MS ??= '20000';
const figures = (sent: number, findings: readonly string[]): string =>
  `${countOf(sent, 'request')}, ${countOf(findings.length, 'finding')}`;
const seconds = (): string => (performance.now() / 1000).toFixed(0);
const result = await fuzz({
  engine,
  seed,
  episodes,
  requests: episode === undefined ? requests : undefined,
  onProgress: ({ requests: sent, findings }) =>
    process.stderr.write(`${figures(sent, findings)}, ${seconds()} s\n`),
});

const outcomes = Object.entries(result.outcomes).sort(([a], [b]) => (a < b ? -1 : 1));
console.log(
  [
    ...result.findings.slice(0, 20).map((finding) => `${finding}\n`),
    ...outcomes.map(([outcome, times]) => `${String(times).padStart(8)}  ${outcome}`),
    '',
    `Seed ${seed}: ${countOf(result.requests, 'request')} to ${countOf(episodes.length, 'organization')} in ${seconds()} s: ${countOf(result.findings.length, 'finding')}.`,
  ].join('\n'),
);
process.exitCode = result.findings.length > 0 ? 1 : 0;
