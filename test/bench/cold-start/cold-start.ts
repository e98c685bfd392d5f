import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundle } from '../../../infra/bundle/bundle.ts';
import { serviceNameVariable } from '../../../shared/metrics.ts';
import { eventOf, LambdaProcess } from '../lambda-process.ts';
import { median, progress } from '../measuring.ts';
import type { Budget, Results } from '../results.ts';
import { callLevels } from './call-levels.ts';
import { type FunctionCase, type Setting, withFunctions } from './functions.ts';

interface Case extends Pick<FunctionCase, 'event' | 'status'> {
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** Milliseconds of import and first request, user and system time of both. */
type Sample = Awaited<ReturnType<typeof sample>>;

/** Imports and first requests, each in a fresh process, all cases in turn so that a busy moment of the machine meets all alike. */
export const measureColdStarts = (rounds: number): Promise<Results> =>
  withFunctions(async (setting) => {
    const cases = await casesOf(setting);
    const samples = await sampleInTurn(cases, rounds);
    const measured = cases.filter(({ name }) => !name.endsWith(sameCalls));
    const rows = measured.map((one) => rowOf(one, samples));
    return {
      tables: [
        {
          title: 'Cold start',
          note: "A fresh process imports the bundle and answers its first request; a stub of DynamoDB answers at once. Milliseconds are medians of this run on this machine. *First call* is the share of the naive client-only bundle's processor time up to the first answer of DynamoDB. *Same calls* compares the whole first request with a naive bundle that makes the same calls and nothing else. Shares are of the fastest round, since other work on the machine can only add. Profiles, and what was tried: [`PROFILE.md`](PROFILE.md).",
          rows,
          exact: ['KB', 'calls'],
        },
      ],
      budgets: rows
        .filter((row) => row['same calls'] !== '')
        .map(
          (row): Budget => [
            `${row.bundle}: import and first call, share of the naive client`,
            0.8,
            row['first call'],
          ],
        ),
    };
  });

const sameCalls = ', same calls';

async function casesOf({ cases: functions, environment, write, callsOf }: Setting) {
  const caseOf = async (
    name: string,
    code: Uint8Array,
    asked: Pick<Case, 'event' | 'status'>,
    own: Record<string, string> = {},
  ): Promise<Case> => ({
    name,
    file: await write(name, code),
    bytes: code.byteLength,
    ...asked,
    // Metrics are written, as in a deployment.
    environment: { ...environment, [serviceNameVariable]: 'bench', ...own },
  });
  /** For the bundles that do not read their event. */
  const unread = { event: eventOf('list-leads', { apiKey: '' }), status: 200 };
  const cases = await Promise.all(
    Object.entries(floors).map(async ([name, build]) => caseOf(name, await build(), unread)),
  );
  const bare = await naiveBundle(
    `export { handler } from ${JSON.stringify(join(import.meta.dirname, 'bare-handler.ts'))};`,
  );
  for (const { name, code, event, status } of functions) {
    const one = await caseOf(name, code, { event, status });
    const levels = callLevels(await callsOf(() => sample(one)));
    cases.push(
      one,
      await caseOf(`${name}${sameCalls}`, bare, unread, { BENCH_CALLS: JSON.stringify(levels) }),
    );
  }
  return cases;
}

async function sampleInTurn(
  cases: readonly Case[],
  rounds: number,
): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const samples = new Map<string, Sample[]>();
  // The first round fills the disk's cache.
  for (let round = 0; round <= rounds; round += 1) {
    progress(
      round === 0
        ? 'cold starts: a round that is not counted'
        : `cold starts: round ${round} of ${rounds}`,
    );
    for (const one of cases) {
      const sampled = await sample(one);
      if (round > 0) samples.set(one.name, [...(samples.get(one.name) ?? []), sampled]);
    }
  }
  return samples;
}

async function sample({ file, environment, event, status }: Case) {
  const lambda = await LambdaProcess.start(pathToFileURL(file).href, environment);
  const first = await lambda.invoke(event, status);
  await lambda.stop();
  const { ms, cpuMs } = lambda.imported;
  return {
    importMs: ms,
    firstMs: first.ms,
    cpuMs: cpuMs + first.cpuMs,
    cpuToFirstAnswerMs: cpuMs + first.cpuToFirstAnswerMs,
    calls: first.calls,
  };
}

function rowOf({ name, bytes }: Case, samples: ReadonlyMap<string, readonly Sample[]>) {
  const own = samples.get(name) ?? [];
  const medianOf = (of: (sample: Sample) => number): number => median(own.map(of));
  // The least of all rounds: other work on the machine can only add.
  const least = (of: (sample: Sample) => number, all: readonly Sample[]): number =>
    Math.min(...all.map(of));
  const shareOf = (of: (sample: Sample) => number, other: readonly Sample[]): number =>
    least(of, own) / least(of, other);
  const same = samples.get(`${name}${sameCalls}`);
  return {
    bundle: name,
    KB: bytes / 1000,
    'import ms': medianOf(({ importMs }) => importMs),
    'first request ms': medianOf(({ firstMs }) => firstMs),
    'CPU ms': medianOf(({ cpuMs }) => cpuMs),
    calls: own[0]?.calls ?? 0,
    'first call': shareOf(
      ({ cpuToFirstAnswerMs }) => cpuToFirstAnswerMs,
      samples.get(naiveFloor) ?? own,
    ),
    'same calls': same ? shareOf(({ cpuMs }) => cpuMs, same) : '',
  };
}

const projectFolder = resolve(import.meta.dirname, '..', '..', '..');

/** The DynamoDB document client and one read: what no function that uses it can be faster than. */
const clientOnly = `
  import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
  import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  export const handler = async () => {
    await client.send(new GetCommand({ TableName: 'leads', Key: { pk: 'ORG#1', sk: 'SETTINGS' } }));
    return { statusCode: 200 };
  };`;

/** As a team would build it: esbuild, ESM and minified, with the banner that its CommonJS parts need. */
const requireBanner = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;
async function naiveBundle(source: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: projectFolder, sourcefile: 'entry.ts', loader: 'ts' },
    absWorkingDir: projectFolder,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: { js: requireBanner },
    write: false,
    logLevel: 'error',
    mainFields: ['module', 'main'],
  });
  return outputFiles?.[0]?.contents ?? new Uint8Array();
}

/** What the goals are shares of. */
const naiveFloor = 'client only, naive';
/** Bundles that functions are compared with. */
const floors: Readonly<Record<string, () => Promise<Uint8Array>>> = {
  [naiveFloor]: () => naiveBundle(clientOnly),
  'client only, as the functions are built': async () => (await bundle(clientOnly)).code,
};
