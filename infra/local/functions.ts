import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { limits } from '../../shared/contract/limits.ts';
import { memoryMbDefault, oldSpaceMb, semiSpaceMb } from '../bundle/function-memory.ts';
import { CommandError } from '../cli/command.ts';
import { asError } from '../cli/error-code.ts';
import type { GatewayResponseType } from '../gateway/responses.ts';
import type { Invocation, WorkerMessage, WorkerResult, WorkerStart } from './function-worker.ts';

/** A function's result, or the failure if it returned nothing. */
export type InvocationResult = { readonly returned: unknown } | Failure;

interface Failure {
  readonly response: GatewayResponseType;
  /** Completes a sentence about the function. */
  readonly reason: string;
}

export interface FunctionsOptions {
  /** Contains `<name>/index.mjs` for each function. */
  readonly distFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Receives a sentence about a function that returned nothing, which contains no part of the request. */
  readonly report: (sentence: string) => void;
  /** Receives the functions' output. */
  readonly output: NodeJS.WritableStream;
  readonly workersPerFunction: number;
  readonly timeoutMs?: number;
}

/** Lambda's limit for a response. Its limit for an event needs no check, because a function already refuses a body of a sixtieth of it. */
export const payloadMaxBytes = 6 * 1024 * 1024;

/**
 * More workers than processors do not answer sooner, and each must start and warm up. There are at least two, so that a hanging request
 * does not block all other requests to its function.
 */
const workersMaxDefault = Math.min(8, Math.max(2, availableParallelism()));
/** The limits of a deployed function. The C library's arenas belong to the whole process, so a worker cannot limit them. */
const heapLimits = {
  maxYoungGenerationSizeMb: 3 * semiSpaceMb,
  maxOldGenerationSizeMb: oldSpaceMb(memoryMbDefault),
};

/**
 * The number of workers per function that a test wants: racing requests need more workers than a small machine has processors.
 * @throws CommandError
 */
export function workersPerFunctionIn({ WORKERS_PER_FUNCTION: text }: NodeJS.ProcessEnv): number {
  if (!text) return workersMaxDefault;
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  throw new CommandError(
    `WORKERS_PER_FUNCTION is ${text}: it must be an integer from 1 to 99, or not set.`,
  );
}

/** The workers of one function. */
interface Pool {
  readonly workers: Set<FunctionWorker>;
  /** Requests that are waiting because every worker is busy. */
  readonly waiting: (() => void)[];
}

/**
 * Runs the built functions in worker threads. A worker handles one event at a time. Workers are added up to a limit; further events wait. A
 * function that crashes or hangs affects only its own request and worker.
 */
export class Functions {
  readonly #options: FunctionsOptions;
  readonly #pools = new Map<string, Pool>();
  #isStopping = false;

  constructor(options: FunctionsOptions) {
    this.#options = options;
  }

  /**
   * Calls a function. Never throws, whatever the function does.
   * @param event any JSON value
   */
  async invoke(name: string, event: unknown, requestId: string): Promise<InvocationResult> {
    const invocation = { event: JSON.stringify(event), requestId };
    const result = await this.#run(name, invocation);
    if ('reason' in result)
      this.#report(`${name}: request ${requestId}: the function ${result.reason}.`);
    return result;
  }

  /** Ends every worker, even during a request, and starts no new ones. Waiting and later requests fail. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const workers = [...this.#pools.values()].flatMap((pool) => [...pool.workers]);
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  async #run(name: string, invocation: Invocation): Promise<InvocationResult> {
    const pool = this.#pools.get(name) ?? { workers: new Set(), waiting: [] };
    this.#pools.set(name, pool);
    const freeWorker = () => [...pool.workers].find(({ isBusy }) => !isBusy);
    while (!freeWorker() && pool.workers.size >= this.#options.workersPerFunction)
      await new Promise<void>((proceed) => pool.waiting.push(proceed));
    const result = this.#isStopping
      ? stopping
      : await (freeWorker() ?? this.#start(pool, name)).run(invocation);
    pool.waiting.shift()?.();
    return result;
  }

  #start(pool: Pool, name: string): FunctionWorker {
    const leave = () => void pool.workers.delete(worker);
    const worker = new FunctionWorker(name, this.#options, leave, ({ reason }) => {
      leave();
      if (!worker.isBusy) this.#report(`${name}: between two requests, the function ${reason}.`);
    });
    pool.workers.add(worker);
    return worker;
  }

  #report(sentence: string): void {
    if (!this.#isStopping) this.#options.report(sentence);
  }
}

const failed = (reason: string): Failure => ({ response: 'INTEGRATION_FAILURE', reason });
const stopping = failed('was not called, because the service is stopping');

/** A thread that runs one function. If the function crashes or hangs, the thread is discarded. */
class FunctionWorker {
  readonly #thread: Worker;
  readonly #timeoutMs: number;
  readonly #onLoss: (failure: Failure) => void;
  /** Settles when the function is imported or the thread is lost. */
  readonly #import = Promise.withResolvers<void>();
  /** Ends the current invocation; undefined between invocations. */
  #settle: ((result: InvocationResult) => void) | undefined;
  #isLost = false;

  /**
   * @param onCrash called when the thread is about to end and must not get another event
   * @param onLoss called when the thread has ended, or did not return in time
   */
  constructor(
    name: string,
    options: FunctionsOptions,
    onCrash: () => void,
    onLoss: (failure: Failure) => void,
  ) {
    this.#timeoutMs = options.timeoutMs ?? limits.functionTimeoutSeconds * 1000;
    this.#onLoss = onLoss;
    this.#thread = startThread(name, options, this.#timeoutMs);
    this.#thread.on('message', (message: WorkerMessage) => {
      if ('output' in message) options.output.write(message.output);
      else if ('isReady' in message) this.#import.resolve();
      else this.#finish(resultOf(message));
    });
    let reason = 'ended its process before it returned';
    this.#thread.on('error', (error) => {
      reason = `crashed: ${asError(error).stack}`;
      onCrash();
    });
    // A response may arrive after the error of a later crash, but never after `exit`.
    this.#thread.on('exit', () => this.#lose(failed(reason)));
  }

  get isBusy(): boolean {
    return this.#settle !== undefined;
  }

  /** Handles one event. The previous one must be finished. */
  async run(invocation: Invocation): Promise<InvocationResult> {
    const { promise, resolve } = Promise.withResolvers<InvocationResult>();
    this.#settle = resolve;
    this.#thread.postMessage(invocation);
    await this.#import.promise;
    const reason = `did not return within ${this.#timeoutMs / 1000} s`;
    const timer = setTimeout(
      () => this.#lose({ response: 'INTEGRATION_TIMEOUT', reason }),
      this.#timeoutMs,
    );
    const result = await promise;
    clearTimeout(timer);
    return result;
  }

  #finish(result: InvocationResult): void {
    this.#settle?.(result);
    this.#settle = undefined;
  }

  async terminate(): Promise<void> {
    await this.#thread.terminate();
  }

  #lose(failure: Failure): void {
    if (this.#isLost) return;
    this.#isLost = true;
    void this.terminate();
    this.#onLoss(failure);
    this.#finish(failure);
    this.#import.resolve();
  }
}

function startThread(
  name: string,
  { distFolder, environment }: FunctionsOptions,
  timeoutMs: number,
): Worker {
  const workerData: WorkerStart = {
    bundle: pathToFileURL(join(distFolder, name, 'index.mjs')).href,
    functionName: name,
    timeoutMs,
  };
  // The functions must not use a profile or an endpoint from the developer's AWS configuration.
  const withoutAws = Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_'));
  return new Worker(new URL('./function-worker.ts', import.meta.url), {
    workerData,
    env: { ...Object.fromEntries(withoutAws), ...environment, AWS_LAMBDA_FUNCTION_NAME: name },
    resourceLimits: heapLimits,
  });
}

function resultOf(message: WorkerResult): InvocationResult {
  if ('thrown' in message) return failed(`threw: ${message.thrown}`);
  const bytes = Buffer.byteLength(message.response);
  return bytes > payloadMaxBytes
    ? failed(`returned ${bytes} bytes, more than Lambda's limit of ${payloadMaxBytes}`)
    : { returned: JSON.parse(message.response) };
}
