import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from '../../../infra/bundle/bundle.ts';
import type { EndpointName } from '../../../shared/endpoints.ts';
import { LambdaProcess } from '../lambda-process.ts';
import { progress, withEngine, withFolder } from '../measuring.ts';
import { type CannedDynamodb, callLevels, startCannedDynamodb } from './canned-dynamodb.ts';
import { type FunctionCase, givenFunctionCases } from './function-cases.ts';

/** Processor time of one request of a warm function, in milliseconds, beside a handler that makes the same calls and nothing else. */
export interface WarmCpu {
  readonly name: string;
  readonly calls: number;
  readonly functionMs: number;
  readonly bareMs: number;
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
export const measureWarmCpu = ({
  requests,
  memoryRequests,
}: {
  requests: number;
  memoryRequests: number;
}): Promise<WarmResult> =>
  withFolder((folder) =>
    withEngine(async (engine) => {
      const cases = await givenFunctionCases(engine.environment);
      const dynamodb = await startCannedDynamodb(engine.endpoint);
      const environment = { ...engine.environment, AWS_ENDPOINT_URL_DYNAMODB: dynamodb.endpoint };
      const fileOf = async (name: string, code: Uint8Array): Promise<string> => {
        const file = join(folder, `${name}.mjs`);
        await writeFile(file, code);
        return file;
      };
      const source = JSON.stringify(join(import.meta.dirname, 'bare-handler.ts'));
      const bare = await fileOf(
        'bare-handler',
        (await bundle(`export { handler } from ${source};`)).code,
      );
      try {
        const functions: WarmCpu[] = [];
        let memory: FunctionMemory = { requests: 0, fifthMb: 0, peakMb: 0 };
        for (const one of cases) {
          progress(`processor time of a warm request: ${one.name}`);
          const setting = { dynamodb, environment, bare, own: await fileOf(one.name, one.code) };
          functions.push(await warmCpuOf(one, setting, requests));
          if (one.name === memoryOf) memory = await memoryOver(one, setting, memoryRequests);
        }
        return { functions, memory };
      } finally {
        dynamodb.stop();
      }
    }),
  );

interface Setting {
  readonly dynamodb: CannedDynamodb;
  readonly environment: Readonly<Record<string, string>>;
  /** The bundles. */
  readonly own: string;
  readonly bare: string;
}

async function warmCpuOf(
  { name, event, status }: FunctionCase,
  { dynamodb, environment, ...files }: Setting,
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
  // One request of each in turn: other work on the machine meets both alike. Totals are compared, because garbage that is collected now and
  // then belongs to all requests.
  let functionMs = 0;
  let bareMs = 0;
  try {
    for (let request = -warmUp; request < requests; request += 1) {
      const ownCpuMs = (await own.invoke(event, status)).cpuMs;
      const bareCpuMs = (await bare.invoke(event)).cpuMs;
      if (request < 0) continue;
      functionMs += ownCpuMs / requests;
      bareMs += bareCpuMs / requests;
    }
    return { name, calls: calls.length, functionMs, bareMs, share: functionMs / bareMs };
  } finally {
    await Promise.all([own.stop(), bare.stop()]);
  }
}

async function memoryOver(
  { name, event, status }: FunctionCase,
  { environment, own }: Setting,
  requests: number,
): Promise<FunctionMemory> {
  progress(`memory of ${name} over ${requests} requests`);
  const lambda = await LambdaProcess.start(pathToFileURL(own).href, environment);
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
