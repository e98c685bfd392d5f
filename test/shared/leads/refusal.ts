import { expect } from 'vitest';
import { ApiError, type ErrorCode } from '../../../shared/errors.ts';

/** What a refusal says, where one is expected. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: {
    fields?: Record<string, string>;
    validKeys?: string[];
    reason?: string;
    field?: string;
    parameters?: Record<string, string>;
  };
}

/** Runs what must be refused and gives the refusal. */
export async function refusalOf(run: () => unknown): Promise<Refusal> {
  const thrown = await Promise.resolve()
    .then(run)
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  expect(thrown).toBeInstanceOf(ApiError);
  const { code, message, details } = thrown as ApiError;
  return { code, message, details: (details ?? {}) as Refusal['details'] };
}
