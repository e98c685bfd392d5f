import { ApiError } from '../../../shared/contract/errors.ts';

/** What a refusal says, where one is expected. */
export interface Refusal extends Pick<ApiError, 'code' | 'message'> {
  readonly details: {
    readonly fields?: Record<string, string>;
    readonly reasons?: Record<string, string>;
    readonly validKeys?: string[];
  };
}

/** Runs what must be refused and gives the refusal. */
export async function refusalOf(run: () => unknown): Promise<Refusal> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message, details = {} } = error;
    return { code, message, details };
  }
  throw new Error('It was not refused.');
}
