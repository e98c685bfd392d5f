import { apiKeyPattern } from '../../shared/organization/api-key.ts';
import { errorCode } from '../cli/error-code.ts';

/** One line of a verification. */
export interface CheckResult {
  /** What was tried. */
  readonly check: string;
  readonly passed: boolean;
  /** The result. */
  readonly came: string;
  /** On failure, the next thing to look at. */
  readonly next?: string;
}

/** The result is not what the contract says. */
export class CheckError extends Error {
  override readonly name = 'CheckError';
  readonly next: string;

  /** @param came a text without a full stop, as in "500 INTERNAL" */
  constructor(came: string, next: string) {
    super(came);
    this.next = next;
  }
}

/** Thrown between two checks when the person has interrupted the run. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/** Runs checks one after the other and collects their results. A failed check does not stop the next one. */
export class Checks {
  readonly results: CheckResult[] = [];
  readonly #onResult: (result: CheckResult) => void;
  readonly #interrupted: AbortSignal;

  constructor(onResult: (result: CheckResult) => void, interrupted: AbortSignal) {
    this.#onResult = onResult;
    this.#interrupted = interrupted;
  }

  /** @throws InterruptedError */
  throwIfInterrupted(): void {
    if (this.#interrupted.aborted) throw new InterruptedError('The run was interrupted.');
  }

  /** @param run returns the result as a text. @returns whether the check passed. @throws InterruptedError before it begins */
  async passes(check: string, run: () => string | Promise<string>): Promise<boolean> {
    this.throwIfInterrupted();
    try {
      this.#add({ check, passed: true, came: await run() });
      return true;
    } catch (error) {
      this.#add({ check, passed: false, ...failureOf(error) });
      return false;
    }
  }

  /** A reply may repeat the key that was sent. */
  #add(result: CheckResult): void {
    const redacted: CheckResult = {
      ...result,
      came: withoutKeys(result.came),
      ...(result.next !== undefined && { next: withoutKeys(result.next) }),
    };
    this.results.push(redacted);
    this.#onResult(redacted);
  }
}

const keys = new RegExp(apiKeyPattern, 'g');
const withoutKeys = (text: string): string => text.replace(keys, '(an API key)');

function failureOf(error: unknown): { came: string; next: string } {
  if (error instanceof CheckError) return { came: error.message, next: error.next };
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const code = errorCode(error) ?? '';
  const text = `${[name, code].filter(Boolean).join(' ')}: ${message.replace(/\s+/g, ' ').trim()}`;
  // Of the AWS SDK: with metadata after a call, without before one.
  const isOfAws = error instanceof Error && '$metadata' in error;
  if (isOfAws || name === 'CredentialsProviderError' || /^Region /.test(message)) {
    return {
      came: `DynamoDB cannot be used (${text})`,
      next: 'Check AWS_REGION, AWS_PROFILE, AWS_ENDPOINT_URL_DYNAMODB, and what your credentials may do with the table.',
    };
  }
  const isNetwork = code !== '' || name === 'TimeoutError' || name === 'AbortError';
  return {
    came: `no reply (${text})`,
    next: isNetwork
      ? 'Check the base URL, the network, and that the service is running.'
      : 'Run the command again; if it fails in the same way, report this line as a defect.',
  };
}
