import type { Random } from '../random.ts';

const RealDate = Date;

/** A process as code in it sees it: what is its own is replaced, the rest is the real one's. */
export interface ProcessOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly random: Pick<Random, 'fraction' | 'uuid' | 'below' | 'between' | 'fill'>;
  /** Epoch milliseconds by this process's own clock. */
  readonly now: () => number;
  /** Milliseconds since it began, by a clock that never goes back. */
  readonly elapsed: () => number;
  readonly after: (ms: number, what: string, take: () => void) => { cancel(): void };
  readonly write: (line: string) => void;
}

/** The global names that a bundle finds replaced. */
export type Globals = Readonly<Record<(typeof globalNames)[number], unknown>>;
export const globalNames = [
  'process',
  'Date',
  'Math',
  'performance',
  'crypto',
  'console',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'fetch',
  'globalThis',
  'global',
] as const;

/** Everything by which code could learn the real time, or be different from one run to the next. */
export function globalsFor(options: ProcessOptions): Globals {
  const timers = timersFor(options);
  const console = consoleFor(options.write);
  const random = options.random;
  const crypto = cryptoFor(random);
  const plain = {
    ...timers,
    process: processFor(options, { timers, console, crypto }),
    Date: dateFor(options.now),
    Math: withOwn(Math, { random: () => random.fraction() }),
    performance: { now: options.elapsed, timeOrigin: options.now() },
    crypto: { randomUUID: () => random.uuid(), getRandomValues: crypto.getRandomValues },
    console,
    fetch: () => {
      throw new Error('A simulated process has no network but its connection to DynamoDB.');
    },
  };
  const globalThisOf = withOwn(globalThis, plain);
  return { ...plain, globalThis: globalThisOf, global: globalThisOf };
}

/** `Date` by another clock. A date made outside is an instance too. */
function dateFor(now: () => number): DateConstructor {
  return class extends RealDate {
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
  } as DateConstructor;
}

interface TimerHandle {
  readonly timer: { cancel(): void };
  ref(): TimerHandle;
  unref(): TimerHandle;
  hasRef(): boolean;
}

const handleOf = (timer: { cancel(): void }): TimerHandle => ({
  timer,
  ref() {
    return this;
  },
  unref() {
    return this;
  },
  hasRef: () => true,
});

function timersFor({ after }: ProcessOptions) {
  const start =
    (what: string) =>
    (take: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) =>
      handleOf(after(Math.max(1, Math.trunc(Number(ms) || 0)), what, () => take(...values)));
  const clear = (handle: TimerHandle | undefined): void => handle?.timer.cancel();
  return {
    setTimeout: start('timer'),
    clearTimeout: clear,
    setInterval: () => {
      throw new Error('A function that repeats something by itself is not simulated.');
    },
    clearInterval: clear,
    setImmediate: (take: (...values: unknown[]) => void, ...values: unknown[]) =>
      handleOf(after(0, 'immediate', () => take(...values))),
    clearImmediate: clear,
  };
}

function consoleFor(write: (line: string) => void): Console {
  const line = (...parts: unknown[]): void => write(parts.map(String).join(' '));
  return withOwn(console, {
    log: line,
    info: line,
    warn: line,
    error: line,
    debug: line,
    trace: line,
  });
}

function cryptoFor(random: ProcessOptions['random']) {
  const real = process.getBuiltinModule('node:crypto');
  const fill = <T extends Uint8Array>(bytes: T): T => {
    random.fill(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return bytes;
  };
  const own = {
    randomUUID: () => random.uuid(),
    randomBytes: (size: number) => fill(Buffer.alloc(size)),
    randomInt: (min: number, max?: number) =>
      max === undefined ? random.below(min) : random.between(min, max - 1),
    randomFillSync: fill,
    getRandomValues: fill,
  };
  return withOwn(real, own);
}

/** An object with the members of another, some replaced, whatever accessors those are. */
function withOwn<T extends object, O extends object>(base: T, own: O): T & O {
  const descriptors = Object.entries(own).map(([name, value]) => [
    name,
    { value, writable: true, enumerable: true, configurable: true },
  ]);
  return Object.create(base, Object.fromEntries(descriptors)) as T & O;
}

interface OwnModules {
  readonly timers: ReturnType<typeof timersFor>;
  readonly console: Console;
  readonly crypto: ReturnType<typeof cryptoFor>;
}

function processFor(
  { environment, after, elapsed }: ProcessOptions,
  { timers, console, crypto }: OwnModules,
): NodeJS.Process {
  const sleep = <T>(
    ms = 1,
    value?: T,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = after(Math.max(1, ms), 'sleep', () => resolve(value));
      signal?.addEventListener('abort', () => {
        timer.cancel();
        reject(signal.reason);
      });
    });
  const own = new Map<string, unknown>([
    ['crypto', crypto],
    ['timers', timers],
    ['timers/promises', { setTimeout: sleep, setImmediate: (value?: unknown) => sleep(0, value) }],
    ['perf_hooks', { performance: { now: elapsed } }],
  ]);
  const values = {
    env: environment,
    getBuiltinModule: (name: string): unknown =>
      own.get(name.replace(/^node:/, '')) ?? process.getBuiltinModule(name),
    hrtime: Object.assign(() => [0, 0], { bigint: () => BigInt(Math.round(elapsed() * 1e6)) }),
    uptime: () => elapsed() / 1000,
    emitWarning: () => undefined,
    stdout: { write: (line: string) => console.log(line.trimEnd()) },
  };
  return withOwn(process, values) as unknown as NodeJS.Process;
}
