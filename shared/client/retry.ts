import type { Clock } from './clock.ts';
import { LeadServiceError, mayPass, NoResponseError, retryAfterMsOf } from './errors.ts';

export interface RetryPolicy {
  /** Attempts in all, the first included. */
  readonly attempts: number;
  /** A wait longer than this is not waited: the error is thrown, with `retryAfterMs`. */
  readonly maxWaitMs: number;
  /**
   * Whether a request may be sent again after the service may have carried it out: a read, a capture (by its idempotency key), a create
   * (the phone is unique) and an update may. A note would be added twice.
   */
  readonly isRepeatable: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

const firstDelayMs = 500;
const delayMaxMs = 30_000;

/** Sends until there is a response that a retry would not change. @throws the last attempt's error */
export async function withRetries<Result>(
  send: () => Promise<Result>,
  { attempts, maxWaitMs, isRepeatable, clock, signal }: RetryPolicy,
): Promise<Result> {
  let afterUnknownOutcome = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (error instanceof LeadServiceError) error.afterUnknownOutcome = afterUnknownOutcome;
      if (attempt >= attempts || !mayPass(error)) throw error;
      const isUnknown = !isSurelyUndone(error);
      if (isUnknown && !isRepeatable) throw error;
      afterUnknownOutcome ||= isUnknown;
      const waitMs = retryDelayMs(error, attempt, clock);
      if (waitMs > maxWaitMs) throw error;
      await clock.sleep(waitMs, signal);
    }
  }
}

/** `Retry-After` and a random part, so that clients that were refused together do not return together. */
function retryDelayMs(error: unknown, attempt: number, clock: Clock): number {
  const randomMs = clock.random() * Math.min(delayMaxMs, firstDelayMs * 2 ** (attempt - 1));
  return retryAfterMsOf(error) + randomMs;
}

/** A connection that was never made. Node gives the reason as a code. */
const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether the service cannot have carried out the request. */
function isSurelyUndone(error: unknown): boolean {
  if (error instanceof NoResponseError) return neverConnected.has(connectionCodeOf(error.cause));
  return error instanceof LeadServiceError && (error.status < 500 || error.code === 'NOT_READY');
}

/** `fetch` of Node wraps the socket's error. */
function connectionCodeOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return inner instanceof Error && 'code' in inner ? String(inner.code) : '';
}
