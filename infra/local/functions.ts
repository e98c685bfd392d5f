import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { limits } from '../../shared/limits.ts';
import { memoryMbDefault, oldSpaceMb, semiSpaceMb } from '../bundle/function-memory.ts';
import type {
  Invocation,
  WorkerMessage,
  WorkerResult,
  WorkerStart,
} from './function-worker-messages.ts';
import { StartError } from './start-error.ts';

/** The result of an invocation: what the function returned, or why it returned nothing. */
export type InvocationResult =
  | { readonly outcome: 'returned'; readonly response: unknown }
  | { readonly outcome: 'event-too-large' }
  | { readonly outcome: 'failed' | 'timed-out'; readonly reason: string };

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

interface Job extends Invocation {
  readonly settle: (result: InvocationResult) => void;
}

interface FunctionWorker {
  readonly worker: Worker;
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
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
    if (this.#isStopping) return stopping;
    const text = JSON.stringify(event);
    if (Buffer.byteLength(text) > payloadMaxBytes) return { outcome: 'event-too-large' };
    let pool = this.#pools.get(name);
    if (!pool) {
      pool = new FunctionPool(name, this.#options);
      this.#pools.set(name, pool);
    }
    return pool.run(text, requestId);
  }

  /** Ends every worker, even during a request. Requests that wait for a worker, and those that come later, fail. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#pools.values()].map((pool) => pool.stop()));
  }
}

class FunctionPool {
  readonly #name: string;
  readonly #options: FunctionsOptions;
  readonly #timeoutMs: number;
  readonly #workersMax: number;
  readonly #workers = new Set<FunctionWorker>();
  /** A stack: as in Lambda, the last worker to finish gets the next event. */
  readonly #idle: FunctionWorker[] = [];
  readonly #waiting: Job[] = [];
  /** An exit is then expected. */
  #isStopping = false;

  constructor(name: string, options: FunctionsOptions) {
    this.#name = name;
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? limits.functionTimeoutSeconds * 1000;
    this.#workersMax = options.workersPerFunction ?? workersMaxDefault;
  }

  run(event: string, requestId: string): Promise<InvocationResult> {
    return new Promise((settle) => {
      const job = { event, requestId, settle };
      const free = this.#idle.pop();
      if (free) this.#give(free, job);
      else if (this.#workers.size < this.#workersMax) this.#start(job);
      else this.#waiting.push(job);
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const job of this.#waiting.splice(0)) this.#settle(job, stopping);
    await Promise.all([...this.#workers].map(({ worker }) => worker.terminate()));
  }

  #start(job: Job): void {
    const { distFolder, environment, output } = this.#options;
    const workerData: WorkerStart = {
      bundle: pathToFileURL(join(distFolder, this.#name, 'index.mjs')).href,
      functionName: this.#name,
      timeoutMs: this.#timeoutMs,
    };
    const worker = new Worker(new URL('./function-worker.ts', import.meta.url), {
      workerData,
      env: { ...environmentWithoutAws(), ...environment, AWS_LAMBDA_FUNCTION_NAME: this.#name },
      resourceLimits: heapLimits,
      stdout: true,
      stderr: true,
    });
    // What Node.js itself prints; a function's own output comes as messages.
    worker.stdout.on('data', (chunk: Buffer) => output.write(chunk));
    worker.stderr.on('data', (chunk: Buffer) => output.write(chunk));

    const own: FunctionWorker = { worker, job, timer: undefined };
    this.#workers.add(own);
    this.#expect(own, importWithinMs, 'did not finish its import');
    worker.on('message', (message: WorkerMessage) => {
      if ('output' in message) output.write(message.output);
      // Node.js still delivers what a worker posted before it was lost. It must get no other request.
      else if (!this.#workers.has(own)) return;
      else if ('ready' in message) this.#give(own, job);
      else this.#finish(own, resultOf(message));
    });
    worker.on('error', (error) =>
      this.#lose(own, { outcome: 'failed', reason: `crashed: ${describe(error)}` }),
    );
    worker.on('exit', () =>
      this.#lose(own, { outcome: 'failed', reason: 'ended its process before it returned' }),
    );
  }

  #give(own: FunctionWorker, job: Job): void {
    own.job = job;
    this.#expect(own, this.#timeoutMs, 'did not return');
    own.worker.postMessage({ event: job.event, requestId: job.requestId } satisfies Invocation);
  }

  /** Ends the worker unless its next message comes in time. */
  #expect(own: FunctionWorker, withinMs: number, what: string): void {
    clearTimeout(own.timer);
    own.timer = setTimeout(() => {
      this.#lose(own, { outcome: 'timed-out', reason: `${what} within ${withinMs / 1000} s` });
    }, withinMs);
  }

  #finish(own: FunctionWorker, result: InvocationResult): void {
    clearTimeout(own.timer);
    const { job } = own;
    if (!job) return;
    own.job = undefined;
    this.#settle(job, result);
    const next = this.#waiting.shift();
    if (next) this.#give(own, next);
    else this.#idle.push(own);
  }

  /** Removes a worker that failed, together with its request, and starts another worker for the next request. */
  #lose(own: FunctionWorker, result: InvocationResult): void {
    if (!this.#workers.delete(own)) return;
    clearTimeout(own.timer);
    const position = this.#idle.indexOf(own);
    if (position >= 0) this.#idle.splice(position, 1);
    void own.worker.terminate();
    if (own.job) this.#settle(own.job, result);
    else if (result.outcome === 'failed' && !this.#isStopping) {
      this.#options.report(`${this.#name}: between two requests, the function ${result.reason}.`);
    }
    const next = this.#waiting.shift();
    if (next) this.#start(next);
  }

  #settle(job: Job, result: InvocationResult): void {
    if ('reason' in result)
      this.#options.report(
        `${this.#name}: request ${job.requestId}: the function ${result.reason}.`,
      );
    job.settle(result);
  }
}

/** The result of a request that no worker has begun. */
const stopping: InvocationResult = {
  outcome: 'failed',
  reason: 'was not called, because the service is stopping',
};

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
