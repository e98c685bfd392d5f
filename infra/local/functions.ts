import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { limits } from '../../shared/limits.ts';
import type { Invocation, WorkerStart, WorkerWord } from './function-worker-messages.ts';

/** What became of an invocation: an answer as the function gave it, or one of the ways in which Lambda gives none. */
export type InvocationResult =
  | { readonly outcome: 'answered'; readonly answer: unknown }
  | { readonly outcome: 'event-too-large' }
  | { readonly outcome: 'failed' | 'timed-out'; readonly reason: string };

export interface FunctionsOptions {
  /** Holds `<name>/index.mjs` for each function. */
  readonly distFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** A sentence about a function that gave no answer; never anything of the request. */
  readonly report: (sentence: string) => void;
  /** Where the functions' own output goes. */
  readonly output: NodeJS.WritableStream;
  readonly timeoutMs?: number;
  readonly workersPerFunction?: number;
}

/** What Lambda carries either way, its synchronous payload limit. */
export const payloadMaxBytes = 6 * 1024 * 1024;
/** Lambda gives the import of a function ten seconds of its own. */
const importWithinMs = 10_000;

interface Job extends Invocation {
  readonly settle: (result: InvocationResult) => void;
}

interface FunctionWorker {
  readonly worker: Worker;
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Runs the built functions, each in worker threads of its own: one event at a time per worker, more workers as more events come,
 * up to a cap, the rest wait. A function that crashes or hangs costs its own request and its own worker, no more.
 */
export class Functions {
  readonly #options: FunctionsOptions;
  readonly #pools = new Map<string, FunctionPool>();

  constructor(options: FunctionsOptions) {
    this.#options = options;
  }

  /** Calls a function with an event. Never throws for what the function does.
   *  @param event anything that JSON carries */
  async invoke(name: string, event: unknown, requestId: string): Promise<InvocationResult> {
    const text = JSON.stringify(event);
    if (Buffer.byteLength(text) > payloadMaxBytes) return { outcome: 'event-too-large' };
    let pool = this.#pools.get(name);
    if (!pool) {
      pool = new FunctionPool(name, this.#options);
      this.#pools.set(name, pool);
    }
    return pool.run(text, requestId);
  }

  /** Ends every worker, whatever it is doing. */
  async stop(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.stop()));
  }
}

class FunctionPool {
  readonly #name: string;
  readonly #options: FunctionsOptions;
  readonly #timeoutMs: number;
  readonly #workersMax: number;
  readonly #workers = new Set<FunctionWorker>();
  /** The last to finish is the first to go on: it is the warmest, as in Lambda. */
  readonly #idle: FunctionWorker[] = [];
  readonly #waiting: Job[] = [];
  /** Workers that end now were ended. */
  #isStopping = false;

  constructor(name: string, options: FunctionsOptions) {
    this.#name = name;
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? limits.functionTimeoutSeconds * 1000;
    this.#workersMax = options.workersPerFunction ?? 8;
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
      stdout: true,
      stderr: true,
    });
    worker.stdout.on('data', (chunk: Buffer) => output.write(chunk));
    worker.stderr.on('data', (chunk: Buffer) => output.write(chunk));

    const own: FunctionWorker = { worker, job, timer: undefined };
    this.#workers.add(own);
    this.#expect(own, importWithinMs, 'did not finish its import');
    worker.on('message', (word: WorkerWord) => {
      if ('ready' in word) this.#give(own, job);
      else this.#finish(own, resultOf(word));
    });
    worker.on('error', (error) => this.#lose(own, { outcome: 'failed', reason: `crashed: ${describe(error)}` }));
    worker.on('exit', () => this.#lose(own, { outcome: 'failed', reason: 'ended its process before it answered' }));
  }

  #give(own: FunctionWorker, job: Job): void {
    own.job = job;
    this.#expect(own, this.#timeoutMs, 'did not answer');
    own.worker.postMessage({ event: job.event, requestId: job.requestId } satisfies Invocation);
  }

  /** Ends the worker unless it has come further in time. */
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

  /** A worker that is of no more use, with the request it had; who waits gets another. */
  #lose(own: FunctionWorker, result: InvocationResult): void {
    if (!this.#workers.delete(own)) return;
    clearTimeout(own.timer);
    const position = this.#idle.indexOf(own);
    if (position >= 0) this.#idle.splice(position, 1);
    void own.worker.terminate();
    if (own.job) this.#settle(own.job, result);
    else if (result.outcome === 'failed' && !this.#isStopping)
      this.#options.report(`${this.#name}: between two requests, the function ${result.reason}.`);
    const next = this.#waiting.shift();
    if (next) this.#start(next);
  }

  #settle(job: Job, result: InvocationResult): void {
    if ('reason' in result) this.#options.report(`${this.#name}: request ${job.requestId}: the function ${result.reason}.`);
    job.settle(result);
  }
}

function resultOf(word: Exclude<WorkerWord, { ready: true }>): InvocationResult {
  if ('failure' in word) return { outcome: 'failed', reason: `threw: ${word.failure}` };
  const bytes = Buffer.byteLength(word.answer);
  if (bytes > payloadMaxBytes)
    return { outcome: 'failed', reason: `answered ${bytes} bytes, more than Lambda's ${payloadMaxBytes}` };
  return { outcome: 'answered', answer: JSON.parse(word.answer) };
}

const describe = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

/** A profile or an endpoint of the person's own AWS set-up is no part of the function's environment. */
function environmentWithoutAws(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_')));
}
