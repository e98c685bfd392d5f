import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, startEngine } from '../../../infra/local/engine.ts';
import { rateLimitVariables, requestsPerWindowMax } from '../../../shared/contract/rate-limits.ts';

/** Prints what is being measured on stderr, with the seconds since the start: stdout keeps the tables. */
export function progress(sentence: string): void {
  process.stderr.write(
    `${`${(performance.now() / 1000).toFixed(0)} s`.padStart(6)}  ${sentence}\n`,
  );
}

/** The upper median; NaN of an empty list. */
export function median(numbers: readonly number[]): number {
  const ordered = [...numbers].sort((a, b) => a - b);
  return ordered[Math.floor(ordered.length / 2)] ?? Number.NaN;
}

/** Runs a measurement with a temporary folder, and removes the folder. */
export async function withFolder<T>(measure: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'lead-bench-'));
  try {
    return await measure(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Runs a measurement on dynoxide, in memory, and ends the engine. */
export async function withEngine<T>(measure: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await startEngine({ engine: 'dynoxide', dataFolder: ':memory:' });
  try {
    return await measure(engine);
  } finally {
    await engine.stop();
  }
}

/** The functions' hourly limits as high as they can be set, so that no measurement meets them. */
export const raisedLimits = Object.fromEntries(
  Object.values(rateLimitVariables).map((name) => [name, String(requestsPerWindowMax)]),
);
