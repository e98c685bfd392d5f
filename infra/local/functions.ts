import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { limits } from '../../shared/limits.ts';
import { memoryMbDefault, oldSpaceMb, semiSpaceMb } from '../bundle/function-memory.ts';
import type { InvocationResult } from '../gateway/reply.ts';
import type { Invocation, WorkerMessage, WorkerResult, WorkerStart } from './function-worker.ts';
import { StartError } from './start-error.ts';

type Failure = Extract<InvocationResult, { readonly reason: string }>;

export interface FunctionsOptions {
  /** Contains `<name>/index.mjs` for each function. */
  readonly distFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Gets a sentence about a function that returned nothing; never any part of the request. */
  readonly report: (sentence: string) => void;
  /** Gets the functions' own output. */
  readonly output: NodeJS.WritableStream;
  readonly timeoutMs?: number;
  /** @default the processors of the machine, from 2 to 8 */
  readonly workersPerFunction?: number;
}

/** Lambda's limit for the event and for the response of a synchronous invocation. */
export const payloadMaxBytes = 6 * 1024 * 1024;
/** Lambda allows ten seconds for the import of a function. */
const importWithinMs = 10_000;

/**
 * More workers than processors do not answer sooner, and each has to be started, and compiled until it is fast. Two at least, so that a
 * request that hangs does not stop all others of its function.
 */
const workersMaxDefault = Math.min(8, Math.max(2, availableParallelism()));
/** A deployed function's. The C library's arenas belong to the whole process: a worker cannot limit them. */
const heapLimits = {
  maxYoungGenerationSizeMb: 3 * semiSpaceMb,
  maxOldGenerationSizeMb: oldSpaceMb(memoryMbDefault),
};

/** Tests that race requests want more in parallel than the processors of a small machine. @throws StartError */
export function workersOfEnvironment({
  WORKERS_PER_FUNCTION: text,
}: NodeJS.ProcessEnv): Pick<FunctionsOptions, 'workersPerFunction'> {
  if (!text) return {};
  if (/^[1-9]\d?$/.test(text)) return { workersPerFunction: Number(text) };
  throw new StartError(
    `WORKERS_PER_FUNCTION is ${text}: it must be an integer from 1 to 99, or not set.`,
  );
}

/**
 * Runs the built functions in worker threads. A worker handles one event at a time; workers are added up to a limit, and further events
 * wait. A function that crashes or hangs affects only its own request and worker.
 */
export class Functions {
  readonly #options: FunctionsOptions;
  readonly #pools = new Map<string, FunctionPool>();
  #isStopping = false;

  constructor(options: FunctionsOptions) {
    this.#options = options;
  }

  /**
   * Calls a function. Never throws for what the function does.
   * @param event any JSON value
   */
  async invoke(name: string, event: unknown, requestId: string): Promise<InvocationResult> {
    if (this.#isStopping) return notCalled;
    const text = JSON.stringify(event);
    if (Buffer.byteLength(text) > payloadMaxBytes) return { outcome: 'event-too-large' };
    const pool = this.#pools.get(name) ?? new FunctionPool(name, this.#options);
    this.#pools.set(name, pool);
    const result = await pool.run({ event: text, requestId });
    if ('reason' in result)
      this.#options.report(`${name}: request ${requestId}: the function ${result.reason}.`);
    return result;
  }

  /** Ends every worker, even during a request. Requests that wait for a worker, and those that come later, fail. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#pools.values()].map((pool) => pool.stop()));
  }
}

/** The result of a request that no worker has begun. */
const notCalled: Failure = {
  outcome: 'failed',
  reason: 'was not called, because the service is stopping',
};

class FunctionPool {
  readonly #name: string;
  readonly #options: FunctionsOptions;
  readonly #workers = new Set<FunctionWorker>();
  /** A stack: as in Lambda, the last worker to finish gets the next event. */
  readonly #idle: FunctionWorker[] = [];
  readonly #waiting: ((worker: FunctionWorker | undefined) => void)[] = [];
  #isStopping = false;

  constructor(name: string, options: FunctionsOptions) {
    this.#name = name;
    this.#options = options;
  }

  async run(invocation: Invocation): Promise<InvocationResult> {
    const worker = await this.#freeWorker();
    if (!worker) return notCalled;
    const result = await worker.run(invocation);
    this.#release(worker);
    return result;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const giveUp of this.#waiting.splice(0)) giveUp(undefined);
    await Promise.all([...this.#workers].map((worker) => worker.end()));
  }

  /** @returns undefined if the service stops before a worker is free */
  async #freeWorker(): Promise<FunctionWorker | undefined> {
    const idle = this.#idle.pop();
    if (idle) return idle;
    const { workersPerFunction = workersMaxDefault } = this.#options;
    if (this.#workers.size < workersPerFunction) return this.#start();
    return new Promise((give) => this.#waiting.push(give));
  }

  /** Gives the worker, or another one in place of a lost one, to the next request. */
  #release(worker: FunctionWorker): void {
    const isLost = !this.#workers.has(worker);
    const give = this.#waiting.shift();
    if (give) give(isLost ? this.#start() : worker);
    else if (!isLost) this.#idle.push(worker);
  }

  #start(): FunctionWorker {
    const worker = new FunctionWorker(this.#name, this.#options, ({ reason }) => {
      this.#workers.delete(worker);
      const position = this.#idle.indexOf(worker);
      if (position < 0) return;
      this.#idle.splice(position, 1);
      if (!this.#isStopping)
        this.#options.report(`${this.#name}: between two requests, the function ${reason}.`);
    });
    this.#workers.add(worker);
    return worker;
  }
}

/** A thread that runs one function. It is lost when the function crashes or hangs. */
class FunctionWorker {
  readonly #worker: Worker;
  readonly #timeoutMs: number;
  readonly #onLoss: (failure: Failure) => void;
  #isReady = false;
  #loss: Failure | undefined;
  #settle: ((next: WorkerResult | Failure) => void) | undefined;

  constructor(name: string, options: FunctionsOptions, onLoss: (failure: Failure) => void) {
    this.#timeoutMs = options.timeoutMs ?? limits.functionTimeoutSeconds * 1000;
    this.#onLoss = onLoss;
    this.#worker = startThread(name, options, this.#timeoutMs);
    this.#worker.on('message', (message: WorkerMessage) => {
      if ('output' in message) options.output.write(message.output);
      // Node.js still delivers what a worker posted before it was lost.
      else if (!this.#loss) this.#settle?.(message);
    });
    this.#worker.on('error', (error) =>
      this.#lose({ outcome: 'failed', reason: `crashed: ${describe(error)}` }),
    );
    this.#worker.on('exit', () =>
      this.#lose({ outcome: 'failed', reason: 'ended its process before it returned' }),
    );
  }

  /** Handles one event; the one before must be finished. */
  async run(invocation: Invocation): Promise<InvocationResult> {
    if (!this.#isReady) {
      const ready = await this.#next(importWithinMs, 'did not finish its import');
      if ('outcome' in ready) return ready;
      this.#isReady = true;
    }
    this.#worker.postMessage(invocation);
    const next = await this.#next(this.#timeoutMs, 'did not return');
    return 'outcome' in next ? next : resultOf(next);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  /** The worker's next result, or why there is none. */
  #next(withinMs: number, what: string): Promise<WorkerResult | Failure> {
    const { promise, resolve } = Promise.withResolvers<WorkerResult | Failure>();
    const reason = `${what} within ${withinMs / 1000} s`;
    const timer = setTimeout(() => this.#lose({ outcome: 'timed-out', reason }), withinMs);
    this.#settle = resolve;
    if (this.#loss) resolve(this.#loss);
    return promise.finally(() => clearTimeout(timer));
  }

  #lose(failure: Failure): void {
    if (this.#loss) return;
    this.#loss = failure;
    void this.#worker.terminate();
    this.#onLoss(failure);
    this.#settle?.(failure);
  }
}

function startThread(
  name: string,
  { distFolder, environment, output }: FunctionsOptions,
  timeoutMs: number,
): Worker {
  const workerData: WorkerStart = {
    bundle: pathToFileURL(join(distFolder, name, 'index.mjs')).href,
    functionName: name,
    timeoutMs,
  };
  const worker = new Worker(new URL('./function-worker.ts', import.meta.url), {
    workerData,
    env: { ...environmentWithoutAws(), ...environment, AWS_LAMBDA_FUNCTION_NAME: name },
    resourceLimits: heapLimits,
    stdout: true,
    stderr: true,
  });
  // What Node.js itself prints; a function's own output comes as messages.
  worker.stdout.on('data', (chunk: Buffer) => output.write(chunk));
  worker.stderr.on('data', (chunk: Buffer) => output.write(chunk));
  return worker;
}

function resultOf(message: WorkerResult): InvocationResult {
  if ('failure' in message) return { outcome: 'failed', reason: `threw: ${message.failure}` };
  const bytes = Buffer.byteLength(message.response);
  if (bytes > payloadMaxBytes) {
    return {
      outcome: 'failed',
      reason: `returned ${bytes} bytes, more than Lambda's limit of ${payloadMaxBytes}`,
    };
  }
  return { outcome: 'returned', response: JSON.parse(message.response) };
}

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** The functions must not use a profile or endpoint of the developer's own AWS configuration. */
function environmentWithoutAws(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_')),
  );
}
