import { type Engine, startEngine } from '../../infra/local/engine.ts';

/** Runs a measurement on dynoxide, in memory, and ends the engine. */
export async function withEngine<T>(measure: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await startEngine({ engine: 'dynoxide', dataFolder: ':memory:' });
  try {
    return await measure(engine);
  } finally {
    await engine.stop();
  }
}
