import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as v from 'valibot';
import { parseJson } from '../../shared/json.ts';

/** Where a local service answers, and the variables that reach its table. */
const schema = v.object({
  baseUrl: v.string(),
  environment: v.record(v.string(), v.string()),
});
export type RunningService = v.InferOutput<typeof schema>;

/** The data folder of `npm start` without `--db`, in the project folder. */
export const defaultDataFolder = '.local';

const fileName = 'service.json';

/**
 * Records a running service in its engine's part of the data folder, so that other commands of this machine find its table. Does nothing
 * without such a folder: in memory, and for an engine at an address, whose credentials are the user's own.
 * @returns its end, which removes the record
 */
export function recordRunningService(
  dataFolder: string,
  engineName: string,
  service: RunningService,
): () => void {
  const folder = join(resolve(dataFolder), engineName);
  if (!existsSync(folder)) return () => undefined;
  const file = join(folder, fileName);
  writeFileSync(file, `${JSON.stringify(service)}\n`, { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** The services that use the folder; a killed one too, until the next start. */
export function runningServices(dataFolder: string): RunningService[] {
  const folder = resolve(dataFolder);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((engineName) => {
    const file = join(folder, engineName, fileName);
    const record = existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : undefined;
    const parsed = v.safeParse(schema, record);
    return parsed.success ? [parsed.output] : [];
  });
}

const answersWithinMs = 3000;

/** The service that runs on the folder; undefined if none answers. */
export async function findRunningService(dataFolder: string): Promise<RunningService | undefined> {
  for (const service of runningServices(dataFolder))
    if (await answers(service.baseUrl)) return service;
  return undefined;
}

async function answers(baseUrl: string): Promise<boolean> {
  try {
    await fetch(baseUrl, { signal: AbortSignal.timeout(answersWithinMs) });
    return true;
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
    if (error instanceof TypeError || isTimeout) return false; // fetch throws a TypeError if nobody listens
    throw error;
  }
}
