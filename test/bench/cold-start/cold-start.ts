import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundle } from '../../../infra/bundle/bundle.ts';
import { serviceNameVariable } from '../../../shared/metrics.ts';
import { type Invoked, LambdaProcess } from '../lambda-process.ts';
import { median, progress, withEngine, withFolder } from '../measuring.ts';
import { type CannedDynamodb, callLevels, startCannedDynamodb } from './canned-dynamodb.ts';
import { type FunctionCase, givenFunctionCases } from './function-cases.ts';

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

interface Case extends Pick<FunctionCase, 'event' | 'status'> {
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
  readonly environment: Readonly<Record<string, string>>;
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

async function casesOf(
  folder: string,
  functions: readonly FunctionCase[],
  dynamodb: CannedDynamodb,
  environment: Readonly<Record<string, string>>,
): Promise<Case[]> {
  const caseOf = async (
    {
      name,
      code,
      event,
      status,
    }: Pick<FunctionCase, 'code' | 'event' | 'status'> & { name: string },
    more: Record<string, string> = {},
  ): Promise<Case> => {
    const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.mjs`);
    await writeFile(file, code);
    const own = { ...environment, ...more };
    return { name, file, bytes: code.byteLength, environment: own, event, status };
  };
  const { event } = functions[0] as FunctionCase; // of a bundle that does not read it
  const cases = await Promise.all(
    Object.entries(floors).map(async ([name, build]) =>
      caseOf({ name, code: await build(), event, status: 200 }),
    ),
  );
  const bare = await naiveBundle(
    `export { handler } from ${JSON.stringify(join(import.meta.dirname, 'bare-handler.ts'))};`,
  );
  for (const own of functions) {
    const one = await caseOf(own);
    dynamodb.latencyMs = 15;
    const levels = callLevels(await dynamodb.record(() => sample(one)));
    dynamodb.latencyMs = 0;
    const naive = { name: `${own.name}${sameCalls}`, code: bare, event, status: 200 };
    cases.push(one, await caseOf(naive, { BENCH_CALLS: JSON.stringify(levels) }));
  }
  return cases;
}

async function sampleInTurn(
  cases: readonly Case[],
  rounds: number,
): Promise<ReadonlyMap<string, readonly Invoked[]>> {
  const samples = new Map<string, Invoked[]>();
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

async function sample({ file, environment, event, status }: Case): Promise<Invoked> {
  const lambda = await LambdaProcess.start(pathToFileURL(file).href, environment);
  try {
    return await lambda.invoke(event, status);
  } finally {
    await lambda.stop();
  }
}

function coldStartOf(
  { name, bytes }: Case,
  samples: ReadonlyMap<string, readonly Invoked[]>,
): ColdStart {
  const own = samples.get(name) ?? [];
  // The least of all rounds: other work on the machine can only add.
  const least = (of: (sample: Invoked) => number, all: readonly Invoked[]): number =>
    Math.min(...all.map(of));
  const shareOf = (of: (sample: Invoked) => number, other: string): number =>
    least(of, own) / least(of, samples.get(other) ?? own);
  return {
    name,
    bytes,
    calls: own[0]?.start.calls ?? 0,
    importMs: median(own.map(({ start }) => start.importMs)),
    firstMs: median(own.map(({ ms }) => ms)),
    cpuMs: median(own.map(({ start }) => start.cpuMs)),
    share: shareOf(({ start }) => start.cpuToFirstAnswerMs, naiveFloor),
    sameCallsShare: samples.has(`${name}${sameCalls}`)
      ? shareOf(({ start }) => start.cpuMs, `${name}${sameCalls}`)
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
