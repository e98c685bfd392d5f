import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from '../../../infra/bundle/bundle.ts';
import type { EndpointName } from '../../../shared/endpoints.ts';
import { LambdaProcess } from '../lambda-process.ts';
import { progress } from '../measuring.ts';
import { most, type Results, shown } from '../results.ts';
import { callLevels } from './call-levels.ts';
import { type FunctionCase, type Setting, withFunctions } from './functions.ts';

/** The largest function, with the most calls. */
const memoryOf: EndpointName = 'capture-lead';

/** Requests until V8 has optimized what each of them runs. */
const warmUpMax = 100;

/** @param requests of each function that are counted, after those that warm it */
export const measureWarmCpu = ({
  requests,
  memoryRequests,
}: {
  requests: number;
  memoryRequests: number;
}): Promise<Results> =>
  withFunctions(async (setting) => {
    const source = JSON.stringify(join(import.meta.dirname, 'bare-handler.ts'));
    const { code } = await bundle(`export { handler } from ${source};`);
    const bare = await setting.write('bare-handler', code);
    const rows: Awaited<ReturnType<typeof warmCpuOf>>[] = [];
    let memory = { fifthMb: 0, peakMb: 0 };
    for (const one of setting.cases) {
      progress(`processor time of a warm request: ${one.name}`);
      const own = await setting.write(one.name, one.code);
      rows.push(await warmCpuOf(one, setting, { own, bare, requests }));
      if (one.name === memoryOf)
        memory = await memoryOver(one, setting.environment, own, memoryRequests);
    }
    const title = 'Processor time of a warm request';
    const note = `In turn with a bare handler that makes the same DynamoDB calls with the SDK's client, in parallel where the function does, and nothing else. Memory of one function over ${shown(memoryRequests)} captures: at most ${memory.fifthMb.toFixed(0)} MB after a fifth of them, ${memory.peakMb.toFixed(0)} MB after all.`;
    return {
      tables: [{ title, note, rows }],
      budgets: [
        [
          'any warm function: processor time, share of a bare handler making the same calls',
          1.3,
          most(rows, ({ share }) => share),
        ],
        [`memory of a function over ${shown(memoryRequests)} captures, MB`, 120, memory.peakMb],
      ],
    };
  });

/** Processor time of one request, in milliseconds, compared with that of a handler that makes the same calls and nothing else. */
async function warmCpuOf(
  { name, event, status }: FunctionCase,
  { environment, callsOf }: Setting,
  { requests, ...files }: { own: string; bare: string; requests: number },
) {
  const start = (file: string, more: Record<string, string> = {}): Promise<LambdaProcess> =>
    LambdaProcess.start(pathToFileURL(file).href, { ...environment, ...more });
  const own = await start(files.own);
  await own.invoke(event, status);
  const calls = await callsOf(() => own.invoke(event, status));
  const bare = await start(files.bare, { BENCH_CALLS: JSON.stringify(callLevels(calls)) });
  // One request of each in turn: other work on the machine meets both alike. Totals are compared, because garbage that is collected now and
  // then belongs to all requests.
  const warmUp = Math.min(warmUpMax, requests);
  let ownMs = 0;
  let bareMs = 0;
  try {
    for (let request = -warmUp; request < requests; request += 1) {
      const ownCpuMs = (await own.invoke(event, status)).cpuMs;
      const bareCpuMs = (await bare.invoke(event)).cpuMs;
      if (request < 0) continue;
      ownMs += ownCpuMs / requests;
      bareMs += bareCpuMs / requests;
    }
  } finally {
    await Promise.all([own.stop(), bare.stop()]);
  }
  const share = ownMs / bareMs;
  return { function: name, calls: calls.length, 'CPU ms': ownMs, 'bare CPU ms': bareMs, share };
}

/** The most that the process has held after a fifth of the requests, and after all of them. */
async function memoryOver(
  { name, event, status }: FunctionCase,
  environment: Setting['environment'],
  file: string,
  requests: number,
): Promise<{ fifthMb: number; peakMb: number }> {
  progress(`memory of ${name} over ${requests} requests`);
  const lambda = await LambdaProcess.start(pathToFileURL(file).href, environment);
  let fifthMb = 0;
  let peakMb = 0;
  try {
    for (let request = 1; request <= requests; request += 1) {
      ({ peakMb } = await lambda.invoke(event, status));
      if (request === Math.ceil(requests / 5)) fifthMb = peakMb;
    }
    return { fifthMb, peakMb };
  } finally {
    await lambda.stop();
  }
}
