import { AsyncLocalStorage } from 'node:async_hooks';
import type { Connection } from '../network.ts';
import { type Globals, globalsFor, type ProcessOptions } from './simulated-process.ts';

/** What shared code needs of the process that it runs in. */
export interface ProcessContext extends ProcessOptions {
  readonly connection: Connection;
}

const running = new AsyncLocalStorage<ProcessContext>();

function current(): ProcessContext {
  const context = running.getStore();
  if (!context) throw new Error('Shared code runs outside of a simulated process.');
  return context;
}

/** While packages are evaluated no process runs: none of them may make use of the time then. */
const evaluatedAt = Date.UTC(2026, 0, 1);

const options: ProcessOptions = {
  environment: new Proxy<Record<string, string>>(
    {},
    { get: (_, name) => running.getStore()?.environment[String(name)] },
  ),
  random: {
    fraction: () => current().random.fraction(),
    uuid: () => current().random.uuid(),
    below: (bound) => current().random.below(bound),
    between: (min, max) => current().random.between(min, max),
    fill: (bytes) => current().random.fill(bytes),
  },
  now: () => running.getStore()?.now() ?? evaluatedAt,
  elapsed: () => running.getStore()?.elapsed() ?? 0,
  after: (ms, what, take) => current().after(ms, what, take),
  write: (line) => current().write(line),
};

/** The process whose code is running, through all its promises and timers. */
export const currentProcess: {
  readonly run: <T>(context: ProcessContext, run: () => T) => T;
  readonly connection: () => Connection;
  readonly globals: Globals;
} = {
  run: (context, run) => running.run(context, run),
  connection: () => current().connection,
  globals: globalsFor(options),
};
