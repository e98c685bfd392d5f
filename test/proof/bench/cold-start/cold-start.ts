import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundle } from '../../../../infra/bundle/bundle.ts';
import { serviceNameVariable } from '../../../../shared/observability/metrics.ts';
import { eventOf, LambdaProcess } from '../lambda-process.ts';
import { median, progress } from '../measuring.ts';
import type { Budget, Results } from '../results.ts';
import { callLevels } from './call-levels.ts';
import { type FunctionCase, type Setting, withFunctions } from './functions.ts';

/** A bundle in a file, and a request that it takes. */
interface Case extends Pick<FunctionCase, 'event' | 'status'> {
  readonly file: string;
  readonly bytes: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds of import and first request, user and system time of both, one a round. */
  readonly samples: Awaited<ReturnType<typeof sample>>[];
}

/** Imports and first requests, each in a fresh process, all cases in turn so that a busy moment of the machine meets all alike. */
export const measureColdStarts = (rounds: number): Promise<Results> =>
  withFunctions(async (setting) => {
    const compared = await casesOf(setting);
    const naive = compared[0]?.own;
    // The first round fills the disk's cache.
    for (let round = 0; round <= rounds; round += 1) {
      progress(`cold starts: round ${round} of ${rounds}, the first of which is not counted`);
      for (const one of compared.flatMap(({ own, same }) => [own, ...(same ? [same] : [])])) {
        const sampled = await sample(one);
        if (round > 0) one.samples.push(sampled);
      }
    }
    const rows = compared.map((one) => rowOf(one, naive ?? one.own));
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

interface Compared {
  readonly name: string;
  readonly own: Case;
  /** A naive bundle that makes the same calls as a function, and nothing else. */
  readonly same?: Case;
}

/** Bundles of the client alone, of which the first is what the goals are shares of, then the functions. */
async function casesOf({ cases, environment, write, callsOf }: Setting): Promise<Compared[]> {
  const caseOf = async (
    name: string,
    code: Uint8Array,
    // For the bundles that do not read their event.
    asked: Pick<Case, 'event' | 'status'> = {
      event: eventOf('list-leads', { apiKey: '' }),
      status: 200,
    },
    own: Record<string, string> = {},
  ): Promise<Case> => ({
    file: await write(name, code),
    bytes: code.byteLength,
    ...asked,
    // Metrics are written, as in a deployment.
    environment: { ...environment, [serviceNameVariable]: 'bench', ...own },
    samples: [],
  });
  const naive = 'client only, naive';
  const built = 'client only, as the functions are built';
  const compared: Compared[] = [
    { name: naive, own: await caseOf(naive, await naiveBundle(clientOnly)) },
    { name: built, own: await caseOf(built, (await bundle(clientOnly)).code) },
  ];
  const bare = await naiveBundle(
    `export { handler } from ${JSON.stringify(join(import.meta.dirname, 'bare-handler.ts'))};`,
  );
  for (const { name, code, event, status } of cases) {
    const own = await caseOf(name, code, { event, status });
    const calls = { BENCH_CALLS: JSON.stringify(callLevels(await callsOf(() => sample(own)))) };
    const same = await caseOf(`${name}, same calls`, bare, undefined, calls);
    compared.push({ name, own, same });
  }
  return compared;
}

async function sample({ file, environment, event, status }: Omit<Case, 'samples'>) {
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

function rowOf({ name, own, same }: Compared, naive: Case) {
  type Figure = keyof Awaited<ReturnType<typeof sample>>;
  const medianOf = (figure: Figure): number => median(own.samples.map((one) => one[figure]));
  // The least of all rounds: other work on the machine can only add.
  const least = (figure: Figure, { samples }: Case): number =>
    Math.min(...samples.map((one) => one[figure]));
  const shareOf = (figure: Figure, other: Case): number =>
    least(figure, own) / least(figure, other);
  return {
    bundle: name,
    KB: own.bytes / 1000,
    'import ms': medianOf('importMs'),
    'first request ms': medianOf('firstMs'),
    'CPU ms': medianOf('cpuMs'),
    calls: own.samples[0]?.calls ?? 0,
    'first call': shareOf('cpuToFirstAnswerMs', naive),
    'same calls': same ? shareOf('cpuMs', same) : '',
  };
}

const projectFolder = resolve(import.meta.dirname, '..', '..', '..', '..');

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
