import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { bundle } from '../../../infra/bundle/bundle.ts';
import type { EndpointName } from '../../../shared/endpoints.ts';
import { withEngine } from '../bench-engine.ts';
import { LambdaProcess } from '../lambda-process.ts';
import { progress } from '../progress.ts';
import { callLevels, sentLevels } from './call-levels.ts';
import { type CannedDynamodb, startCannedDynamodb } from './canned-dynamodb.ts';
import { type FunctionCase, givenFunctionCases } from './function-cases.ts';

/** Processor time of one request of a warm function, in milliseconds, beside a handler that makes the same calls and nothing else. */
export interface WarmCpu {
  readonly name: string;
  readonly calls: number;
  readonly functionMs: number;
  readonly bareMs: number;
  /** A handler that signs and sends the same requests without the SDK. */
  readonly rawMs: number;
  /** The function's share of the bare handler's. */
  readonly share: number;
}

/** Memory of one function over many requests. */
export interface FunctionMemory {
  readonly requests: number;
  /** The most that the process has held after a fifth of the requests, and after all of them. */
  readonly fifthMb: number;
  readonly peakMb: number;
}

export interface WarmResult {
  readonly functions: readonly WarmCpu[];
  readonly memory: FunctionMemory;
}

/** The largest function, with the most calls. */
const memoryOf: EndpointName = 'capture-lead';

/** Requests until V8 has optimized what each of them runs. */
const warmUp = 100;
/** Long enough for calls that go side by side to be seen so. */
const recordingLatencyMs = 15;

/** @param requests of each function that are counted, after those that warm it */
export async function measureWarmCpu({
  requests,
  memoryRequests,
}: {
  requests: number;
  memoryRequests: number;
}): Promise<WarmResult> {
  const folder = await mkdtemp(join(tmpdir(), 'lead-bench-'));
  try {
    return await withEngine(async (engine) => {
      const cases = await givenFunctionCases(engine.environment);
      const dynamodb = await startCannedDynamodb(engine.endpoint);
      const environment = { ...engine.environment, AWS_ENDPOINT_URL_DYNAMODB: dynamodb.endpoint };
      const files = {
        bare: await handlerFile(folder, 'bare-handler'),
        raw: await handlerFile(folder, 'raw-handler'),
      };
      try {
        const functions: WarmCpu[] = [];
        let memory: FunctionMemory = { requests: 0, fifthMb: 0, peakMb: 0 };
        for (const one of cases) {
          progress(`processor time of a warm request: ${one.name}`);
          const file = join(folder, `${one.name}.mjs`);
          await writeFile(file, one.code);
          const setting = { dynamodb, environment, files: { ...files, own: file } };
          functions.push(await warmCpuOf(one, setting, requests));
          if (one.name === memoryOf)
            memory = await memoryOver(one, { environment, file }, memoryRequests);
        }
        return { functions, memory };
      } finally {
        dynamodb.stop();
      }
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Bundled as the functions are. */
async function handlerFile(folder: string, name: string): Promise<string> {
  const source = join(import.meta.dirname, `${name}.ts`);
  const file = join(folder, `${name}.mjs`);
  await writeFile(file, (await bundle(`export { handler } from ${JSON.stringify(source)};`)).code);
  return file;
}

interface Setting {
  readonly dynamodb: CannedDynamodb;
  readonly environment: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<'own' | 'bare' | 'raw', string>>;
}

async function warmCpuOf(
  { name, event, status }: FunctionCase,
  { dynamodb, environment, files }: Setting,
  requests: number,
): Promise<WarmCpu> {
  const start = (file: string, more: Record<string, string> = {}): Promise<LambdaProcess> =>
    LambdaProcess.start(pathToFileURL(file).href, { ...environment, ...more });
  const own = await start(files.own);
  await own.invoke(event, status);
  dynamodb.latencyMs = recordingLatencyMs;
  const calls = await dynamodb.record(() => own.invoke(event, status));
  dynamodb.latencyMs = 0;
  const bare = await start(files.bare, { BENCH_CALLS: JSON.stringify(callLevels(calls)) });
  const raw = await start(files.raw, { BENCH_SENT_CALLS: JSON.stringify(sentLevels(calls)) });
  try {
    return {
      name,
      calls: calls.length,
      ...(await inTurn({ own, bare, raw }, event, status, requests)),
    };
  } finally {
    await Promise.all([own.stop(), bare.stop(), raw.stop()]);
  }
}

async function memoryOver(
  { name, event, status }: FunctionCase,
  { environment, file }: { environment: Readonly<Record<string, string>>; file: string },
  requests: number,
): Promise<FunctionMemory> {
  progress(`memory of ${name} over ${requests} requests`);
  const lambda = await LambdaProcess.start(pathToFileURL(file).href, environment);
  let fifthMb = 0;
  let peakMb = 0;
  try {
    for (let request = 1; request <= requests; request += 1) {
      ({ peakMb } = await lambda.invoke(event, status));
      if (request === Math.ceil(requests / 5)) fifthMb = peakMb;
    }
    return { requests, fifthMb, peakMb };
  } finally {
    await lambda.stop();
  }
}

type Handlers = Record<'own' | 'bare' | 'raw', LambdaProcess>;

/**
 * One request of each in turn, again and again: what else the machine does meets all three alike. Totals are compared, for what is collected
 * as garbage now and then belongs to all requests.
 */
async function inTurn(
  { own, bare, raw }: Handlers,
  event: APIGatewayProxyEvent,
  status: number,
  requests: number,
): Promise<Pick<WarmCpu, 'functionMs' | 'bareMs' | 'rawMs' | 'share'>> {
  const total = { own: 0, bare: 0, raw: 0 };
  for (let request = -warmUp; request < requests; request += 1) {
    const took = {
      own: (await own.invoke(event, status)).cpuMs,
      bare: (await bare.invoke(event, 200)).cpuMs,
      raw: (await raw.invoke(event, 200)).cpuMs,
    };
    if (request < 0) continue;
    total.own += took.own;
    total.bare += took.bare;
    total.raw += took.raw;
  }
  return {
    functionMs: total.own / requests,
    bareMs: total.bare / requests,
    rawMs: total.raw / requests,
    share: total.own / total.bare,
  };
}
