import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConditionalCheckFailedException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { limits } from '../../contract/limits.ts';

/** What an attempt returns if another request wrote the same items, so that they must be read again. */
export const conflict = Symbol('conflict with another request');

/** Thrown if conflicts outlast the retries. Nothing was written. */
export class ContentionError extends Error {
  override readonly name = 'ContentionError';
}

/** The response to a write; undefined if the write's condition did not hold. */
export async function ifConditionHolds<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

/** Recognizes a single write that failed because a transaction, such as an apply or a revocation, holds its item. */
function conflictIn(error: unknown): typeof conflict {
  if (error instanceof TransactionConflictException) return conflict;
  throw error;
}

/**
 * Repeats an operation while it returns `conflict` or a transaction holds the item that it writes, for up to `forMs` (design, section 4).
 * The pauses between attempts are random, and become longer.
 * @throws ContentionError
 */
export async function retryOnConflict<T>(
  operation: (attempt: number) => Promise<T | typeof conflict>,
  forMs: number = limits.conflictRetryMs,
): Promise<T> {
  const giveUpAt = Date.now() + forMs;
  for (let attempt = 0; ; attempt += 1) {
    const result = await operation(attempt).catch(conflictIn);
    if (result !== conflict) return result;
    if (Date.now() >= giveUpAt)
      throw new ContentionError(`Still contended after ${attempt + 1} attempts.`);
    await sleep(Math.random() * Math.min(200, 10 * 2 ** attempt));
  }
}
