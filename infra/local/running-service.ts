import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as v from 'valibot';
import { parseJson } from '../../shared/base/json.ts';

/** The address of a local service, and the variables that reach its table. */
const schema = v.object({
  baseUrl: v.string(),
  environment: v.record(v.string(), v.string()),
});
export type RunningService = v.InferOutput<typeof schema>;

/** The data folder of `npm start` without `--db`, in the project folder. */
export const defaultDataFolder = '.local';
export const localFolder = resolve(import.meta.dirname, '..', '..', defaultDataFolder);

const fileIn = (dataFolder: string): string => join(resolve(dataFolder), 'service.json');

/**
 * Records the service that runs on a data folder, so that other commands on this machine find its table.
 * @returns a function that removes the record
 */
export function recordRunningService(dataFolder: string, service: RunningService): () => void {
  const file = fileIn(dataFolder);
  writeFileSync(file, `${JSON.stringify(service)}\n`, { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** The service recorded in the folder, which may have been killed since; undefined if none is recorded. */
export function recordedService(dataFolder: string): RunningService | undefined {
  const file = fileIn(dataFolder);
  const record = existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : undefined;
  const parsed = v.safeParse(schema, record);
  return parsed.success ? parsed.output : undefined;
}

const answersWithinMs = 3000;

/** The service that runs on a data folder; undefined if none answers. */
export async function findRunningService(dataFolder: string): Promise<RunningService | undefined> {
  const service = recordedService(dataFolder);
  if (!service) return undefined;
  const request = fetch(service.baseUrl, { signal: AbortSignal.timeout(answersWithinMs) });
  return request.then(
    () => service,
    () => undefined, // nobody listens or answers in time
  );
}
