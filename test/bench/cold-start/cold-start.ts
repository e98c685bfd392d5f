import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { bundle } from '../../../infra/bundle/bundle.ts';
import { serviceNameVariable } from '../../../shared/metrics.ts';
import { median, progress, withEngine, withFolder } from '../measuring.ts';
import { type CannedDynamodb, callLevels, startCannedDynamodb } from './canned-dynamodb.ts';
import { type FunctionCase, givenFunctionCases } from './function-cases.ts';

const run = promisify(execFile);

export interface ColdStart {
  readonly name: string;
  readonly bytes: number;
  /** DynamoDB calls of the first request. */
  readonly calls: number;
  /** Medians over all rounds, in milliseconds: import, first request, user and system time of both. */
  readonly importMs: number;
  readonly firstMs: number;
  readonly cpuMs: number;
  /** Processor time up to the first answer of DynamoDB, as a share of the naive client-only bundle's: import and first call. */
  readonly share: number;
  /** Processor time of all of it, as a share of a naive bundle's that makes the same calls; undefined for a floor. */
  readonly sameCallsShare: number | undefined;
}

interface Case {
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
  readonly environment: Readonly<Record<string, string>>;
}

interface Sample {
  readonly importMs: number;
  readonly firstMs: number;
  readonly cpuMs: number;
  readonly cpuToFirstAnswerMs: number;
  readonly calls: number;
  readonly status: number;
}

/** Imports and first requests, each in a fresh process, all cases in turn so that a busy moment of the machine meets all alike. */
export const measureColdStarts = (rounds: number): Promise<readonly ColdStart[]> =>
  withFolder((folder) =>
    withEngine(async (engine) => {
      const functions = await givenFunctionCases(engine.environment);
      const dynamodb = await startCannedDynamodb(engine.endpoint);
      const environment = {
        ...engine.environment,
        AWS_ENDPOINT_URL_DYNAMODB: dynamodb.endpoint,
        [serviceNameVariable]: 'bench', // metrics are written, as in a deployment
        PATH: process.env.PATH ?? '',
      };
      try {
        const cases = await casesOf(folder, functions, dynamodb, environment);
        const samples = await sampleInTurn(cases, rounds);
        return cases
          .filter(({ name }) => !name.endsWith(sameCalls))
          .map((one) => coldStartOf(one, samples));
      } finally {
        dynamodb.stop();
      }
    }),
  );

const sameCalls = ', same calls';
const coldProcess = join(import.meta.dirname, 'cold-process.mjs');

async function casesOf(
  folder: string,
  functions: readonly FunctionCase[],
  dynamodb: CannedDynamodb,
  environment: Readonly<Record<string, string>>,
): Promise<Case[]> {
  const caseOf = async (
    name: string,
    code: Uint8Array,
    more: Record<string, string> = {},
  ): Promise<Case> => {
    const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.mjs`);
    await writeFile(file, code);
    return { name, file, bytes: code.byteLength, environment: { ...environment, ...more } };
  };
  const cases = await Promise.all(
    Object.entries(floors).map(async ([name, build]) => caseOf(name, await build())),
  );
  const bare = await naiveBundle(
    `export { handler } from ${JSON.stringify(join(import.meta.dirname, 'bare-handler.ts'))};`,
  );
  for (const { name, code, event } of functions) {
    const one = await caseOf(name, code, { BENCH_EVENT: JSON.stringify(event) });
    dynamodb.latencyMs = 15;
    const levels = callLevels(await dynamodb.record(() => sample(one)));
    dynamodb.latencyMs = 0;
    cases.push(
      one,
      await caseOf(`${name}${sameCalls}`, bare, { BENCH_CALLS: JSON.stringify(levels) }),
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

async function sample({ name, file, environment }: Case): Promise<Sample> {
  const { stdout } = await run(process.execPath, [coldProcess, pathToFileURL(file).href], {
    env: environment,
  });
  const sampled = JSON.parse(stdout) as Sample;
  if (sampled.status >= 400)
    throw new Error(`${name} answered ${sampled.status} to its first request.`);
  return sampled;
}

function coldStartOf(
  { name, bytes }: Case,
  samples: ReadonlyMap<string, readonly Sample[]>,
): ColdStart {
  const own = samples.get(name) ?? [];
  // The least of all rounds: other work on the machine can only add.
  const least = (of: (sample: Sample) => number, all: readonly Sample[]): number =>
    Math.min(...all.map(of));
  const shareOf = (of: (sample: Sample) => number, other: string): number =>
    least(of, own) / least(of, samples.get(other) ?? own);
  return {
    name,
    bytes,
    calls: own[0]?.calls ?? 0,
    importMs: median(own.map(({ importMs }) => importMs)),
    firstMs: median(own.map(({ firstMs }) => firstMs)),
    cpuMs: median(own.map(({ cpuMs }) => cpuMs)),
    share: shareOf(({ cpuToFirstAnswerMs }) => cpuToFirstAnswerMs, naiveFloor),
    sameCallsShare: samples.has(`${name}${sameCalls}`)
      ? shareOf(({ cpuMs }) => cpuMs, `${name}${sameCalls}`)
      : undefined,
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
