import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from '../../../../infra/bundle/bundle.ts';
import { LambdaProcess } from '../lambda-process.ts';
import { progress } from '../measuring.ts';
import { most, type Results } from '../results.ts';
import { callLevels } from './call-levels.ts';
import { type FunctionCase, type Setting, withFunctions } from './functions.ts';

/** Requests until V8 has optimized what each of them runs. */
const warmUpMax = 100;

/** @param requests of each function that are counted, after those that warm it */
export const measureWarmCpu = (requests: number): Promise<Results> =>
  withFunctions(async (setting) => {
    const source = JSON.stringify(join(import.meta.dirname, 'bare-handler.ts'));
    const { code } = await bundle(`export { handler } from ${source};`);
    const bare = await setting.write('bare-handler', code);
    const rows: Awaited<ReturnType<typeof warmCpuOf>>[] = [];
    for (const one of setting.cases) {
      progress(`processor time of a warm request: ${one.name}`);
      const own = await setting.write(one.name, one.code);
      rows.push(await warmCpuOf(one, setting, { own, bare, requests }));
    }
    const title = 'Processor time of a warm request';
    const note =
      "In turn with a bare handler that makes the same DynamoDB calls with the SDK's client, in parallel where the function does, and nothing else. Peak MB is the most memory that the function's process ever held.";
    return {
      tables: [{ title, note, rows }],
      budgets: [
        [
          'any warm function: processor time, share of a bare handler making the same calls',
          1.3,
          most(rows, ({ share }) => share),
        ],
        ['any warm function: peak memory, MB', 120, most(rows, (row) => row['peak MB'])],
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
  let [ownMs, bareMs, peakMb] = [0, 0, 0];
  try {
    for (let request = -warmUp; request < requests; request += 1) {
      const answered = await own.invoke(event, status);
      const bareCpuMs = (await bare.invoke(event)).cpuMs;
      if (request < 0) continue;
      ownMs += answered.cpuMs / requests;
      bareMs += bareCpuMs / requests;
      ({ peakMb } = answered);
    }
  } finally {
    await Promise.all([own.stop(), bare.stop()]);
  }
  const share = ownMs / bareMs;
  return {
    function: name,
    calls: calls.length,
    'CPU ms': ownMs,
    'bare CPU ms': bareMs,
    share,
    'peak MB': peakMb,
  };
}
