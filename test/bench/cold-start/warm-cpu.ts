import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { bundle } from '../../../infra/bundle/bundle.ts';
import { withEngine } from '../bench-engine.ts';
import { LambdaProcess } from '../lambda-process.ts';
import { progress } from '../progress.ts';
import { mean, median } from '../statistics.ts';
import { callLevels } from './call-levels.ts';
import { startCannedDynamodb } from './canned-dynamodb.ts';
import { givenFunctionCases } from './function-cases.ts';

/** Processor time of one request of a warm function, in milliseconds, beside a handler that makes the same calls and nothing else. */
export interface WarmCpu {
  readonly name: string;
  readonly calls: number;
  readonly functionMs: number;
  readonly bareMs: number;
  /** The function's share of the bare handler's, the median over blocks of requests measured in turn. */
  readonly share: number;
}

const blocks = 9;
/** Long enough for calls that go side by side to be seen so. */
const recordingLatencyMs = 15;

/** @param requests of one block; the first block of each is not counted */
export async function measureWarmCpu({
  requests,
}: {
  requests: number;
}): Promise<readonly WarmCpu[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lead-bench-'));
  try {
    return await withEngine(async (engine) => {
      const cases = await givenFunctionCases(engine.environment);
      const dynamodb = await startCannedDynamodb(engine.endpoint);
      const environment = { ...engine.environment, AWS_ENDPOINT_URL_DYNAMODB: dynamodb.endpoint };
      const bareFile = join(folder, 'bare.mjs');
      const bareSource = join(import.meta.dirname, 'bare-handler.ts');
      await writeFile(
        bareFile,
        (await bundle(`export { handler } from ${JSON.stringify(bareSource)};`)).code,
      );
      try {
        const results: WarmCpu[] = [];
        for (const { name, code, event, status } of cases) {
          progress(`processor time of a warm request: ${name}`);
          const file = join(folder, `${name}.mjs`);
          await writeFile(file, code);
          const lambda = await LambdaProcess.start(pathToFileURL(file).href, environment);
          await lambda.invoke(event, status);
          dynamodb.latencyMs = recordingLatencyMs;
          const levels = callLevels(await dynamodb.record(() => lambda.invoke(event, status)));
          dynamodb.latencyMs = 0;
          const bare = await LambdaProcess.start(pathToFileURL(bareFile).href, {
            ...environment,
            BENCH_CALLS: JSON.stringify(levels),
          });
          try {
            results.push({
              name,
              calls: levels.flat().length,
              ...(await inTurn(lambda, bare, event, status, requests)),
            });
          } finally {
            await Promise.all([lambda.stop(), bare.stop()]);
          }
        }
        return results;
      } finally {
        dynamodb.stop();
      }
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function inTurn(
  lambda: LambdaProcess,
  bare: LambdaProcess,
  event: APIGatewayProxyEvent,
  status: number,
  requests: number,
) {
  const pairs: { functionMs: number; bareMs: number }[] = [];
  for (let block = 0; block <= blocks; block += 1) {
    const functionMs = await blockOf(lambda, event, status, requests);
    const bareMs = await blockOf(bare, event, 200, requests);
    if (block > 0) pairs.push({ functionMs, bareMs });
  }
  return {
    functionMs: median(pairs.map(({ functionMs }) => functionMs)),
    bareMs: median(pairs.map(({ bareMs }) => bareMs)),
    share: median(pairs.map(({ functionMs, bareMs }) => functionMs / bareMs)),
  };
}

async function blockOf(
  lambda: LambdaProcess,
  event: APIGatewayProxyEvent,
  status: number,
  requests: number,
): Promise<number> {
  const cpuMs: number[] = [];
  for (let request = 0; request < requests; request += 1)
    cpuMs.push((await lambda.invoke(event, status)).cpuMs);
  return mean(cpuMs);
}
