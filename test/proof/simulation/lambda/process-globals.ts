import { currentProcess, running } from './runtime.ts';

/** While packages are evaluated no process runs: none of them may make use of the time then. */
const evaluatedAt = Date.UTC(2026, 0, 1);
const now = (): number => running.getStore()?.now ?? evaluatedAt;
const elapsed = (): number => running.getStore()?.elapsed ?? 0;

/** An object with the members of another, some replaced, whatever accessors those are. */
function withOwn<T extends object, O extends object>(base: T, own: O): T & O {
  const descriptors = Object.entries(own).map(([name, value]) => [
    name,
    { value, writable: true, enumerable: true, configurable: true },
  ]);
  return Object.create(base, Object.fromEntries(descriptors)) as T & O;
}

const RealDate = Date;

/** `Date` by the process's clock. A date made outside is an instance too. */
class OwnDate extends RealDate {
  constructor(...parts: [] | [number | string | Date]) {
    if (parts.length === 0) super(now());
    else super(...(parts as [number]));
  }
  static override now(): number {
    return now();
  }
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof RealDate;
  }
}

/** Functions of Node.js that the code does not call. A call ends the history with an error, because its result would depend on the machine. */
const notSimulated = (...names: readonly string[]) =>
  Object.fromEntries(
    names.map((name) => [
      name,
      () => {
        throw new Error(`${name} is not simulated: add it to process-globals.ts.`);
      },
    ]),
  );

/** `AbortSignal` whose time-outs are those of the process's clock. */
class OwnAbortSignal extends AbortSignal {
  static override timeout(ms: number): AbortSignal {
    const controller = new AbortController();
    const end = () => controller.abort(new DOMException('Timed out', 'TimeoutError'));
    currentProcess().after(ms, 'time-out', end);
    return controller.signal;
  }
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof AbortSignal;
  }
}

const timers = {
  setTimeout: (take: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) => {
    const wholeMs = Math.max(1, Math.trunc(Number(ms) || 0));
    return currentProcess().after(wholeMs, 'timer', () => take(...values));
  },
  clearTimeout: (timer: { cancel(): void } | undefined): void => timer?.cancel(),
  ...notSimulated('setInterval', 'setImmediate'),
};

const sleep = <T>(
  ms = 1,
  value?: T,
  { signal }: { signal?: AbortSignal } = {},
): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = currentProcess().after(Math.max(1, ms), 'sleep', () => resolve(value));
    signal?.addEventListener('abort', () => {
      timer.cancel();
      reject(signal.reason);
    });
  });

function fill<T extends Uint8Array>(bytes: T): T {
  const { buffer, byteOffset, byteLength } = bytes;
  currentProcess().random.fill(new Uint8Array(buffer, byteOffset, byteLength));
  return bytes;
}

const randomUUID = (): string => currentProcess().ids.uuid();
const nodeCrypto = withOwn(process.getBuiltinModule('node:crypto'), {
  randomUUID,
  randomBytes: (size: number) => fill(Buffer.alloc(size)),
  getRandomValues: fill,
  ...notSimulated('randomInt', 'randomFill', 'randomFillSync'),
});

const performance = { now: elapsed };
const modules = new Map<string, unknown>([
  ['crypto', nodeCrypto],
  ['timers', timers],
  ['timers/promises', { setTimeout: sleep, ...notSimulated('setInterval', 'setImmediate') }],
  ['perf_hooks', { performance }],
]);

const write = (...parts: unknown[]): void =>
  running.getStore()?.write(parts.map(String).join(' ').trimEnd());
const own = {
  ...timers,
  process: withOwn(process, {
    env: new Proxy<Record<string, string>>(
      {},
      { get: (_, name) => running.getStore()?.environment[String(name)] },
    ),
    getBuiltinModule: (name: string): unknown =>
      modules.get(name.replace(/^node:/, '')) ?? process.getBuiltinModule(name),
    emitWarning: () => undefined,
    stdout: { write },
    ...notSimulated('hrtime', 'uptime'),
  }),
  AbortSignal: OwnAbortSignal,
  Date: OwnDate,
  Math: withOwn(Math, { random: () => currentProcess().random.fraction() }),
  performance,
  crypto: { randomUUID, getRandomValues: fill },
  console: { log: write, info: write, warn: write, error: write, debug: write },
  ...notSimulated('fetch'),
};
const ownGlobalThis = withOwn(globalThis, own);

/** Everything by which code could learn the real time, or be different from one run to the next: that of the process that is running. */
export const ownGlobals: Readonly<Record<string, unknown>> = {
  ...own,
  globalThis: ownGlobalThis,
  global: ownGlobalThis,
};
