import {
  isServerError,
  isThrottlingError,
  isTransientError,
  StandardRetryStrategy,
} from '@smithy/core/retry';

type SdkError = Parameters<typeof isTransientError>[0];

/** The SDK's clients of DynamoDB wait half as long as its others. */
const baseDelayMs = 25;

/** Repeats calls as the SDK's middleware does, by the SDK's own strategy: which errors, after which waits, out of which budget. */
export class Retries {
  readonly #strategy: StandardRetryStrategy;

  constructor(maxAttempts: number) {
    this.#strategy = new StandardRetryStrategy({ maxAttempts, baseDelay: baseDelayMs });
  }

  /** @returns the output of the attempt that succeeded, with `$metadata` */
  async run(attempt: () => Promise<object>, abortSignal: AbortSignal | undefined): Promise<object> {
    let token = await this.#strategy.acquireInitialRetryToken('');
    let totalRetryDelay = 0;
    for (let attempts = 1; ; attempts += 1) {
      try {
        const output = await attempt();
        this.#strategy.recordSuccess(token);
        const $metadata = {
          httpStatusCode: 200,
          requestId: 'simulated',
          attempts,
          totalRetryDelay,
        };
        return Object.assign(output, { $metadata });
      } catch (thrown) {
        const error = thrown as SdkError;
        const refreshed = this.#strategy.refreshRetryTokenForRetry(token, {
          error,
          errorType: typeOf(error),
        });
        try {
          token = await unlessAborted(refreshed, abortSignal);
        } catch (refusal) {
          if (abortSignal?.aborted && (refusal as Error).name === 'AbortError') throw refusal;
          error.$metadata = Object.assign(error.$metadata ?? {}, { attempts, totalRetryDelay });
          throw error;
        }
        totalRetryDelay += token.$retryLog?.acquisitionDelay ?? 0;
      }
    }
  }
}

function typeOf(error: SdkError): 'THROTTLING' | 'TRANSIENT' | 'SERVER_ERROR' | 'CLIENT_ERROR' {
  if (isThrottlingError(error)) return 'THROTTLING';
  if (isTransientError(error)) return 'TRANSIENT';
  return isServerError(error) ? 'SERVER_ERROR' : 'CLIENT_ERROR';
}

/** @throws Error named `AbortError` as soon as the signal says so */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void =>
      reject(Object.assign(new Error('Request aborted'), { name: 'AbortError' }));
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
