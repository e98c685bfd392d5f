import { apiKeyPattern } from '../../shared/organization/api-key.ts';
import { errorCode } from '../cli/error-code.ts';

/** One line of a verification. */
export interface CheckResult {
  /** What was tried. */
  readonly check: string;
  readonly passed: boolean;
  /** What came. */
  readonly came: string;
  /** On failure, the next thing to look at. */
  readonly next?: string;
}

/** What came is not what the contract says. */
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

/** A passed check: what came, and what later checks need of it. */
export interface Passed<T> {
  readonly came: string;
  readonly value: T;
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

  get failed(): number {
    return this.results.filter(({ passed }) => !passed).length;
  }

  /** @throws InterruptedError */
  throwIfInterrupted(): void {
    if (this.#interrupted.aborted) throw new InterruptedError('The run was interrupted.');
  }

  /** @returns what later checks need, or undefined if the check failed. @throws InterruptedError before it begins */
  async value<T>(check: string, run: () => Promise<Passed<T>>): Promise<T | undefined> {
    this.throwIfInterrupted();
    try {
      const { came, value } = await run();
      this.#add({ check, passed: true, came });
      return value;
    } catch (error) {
      if (error instanceof InterruptedError) throw error;
      this.#add({ check, passed: false, ...failureOf(error) });
      return undefined;
    }
  }

  /** @returns whether the check passed. @throws InterruptedError before it begins */
  async passes(check: string, run: () => Promise<string>): Promise<boolean> {
    const passed = await this.value(check, async () => ({ came: await run(), value: true }));
    return passed === true;
  }

  #add(result: CheckResult): void {
    const redacted = {
      ...result,
      came: withoutKeys(result.came),
      ...(result.next !== undefined && { next: withoutKeys(result.next) }),
    };
    this.results.push(redacted);
    this.#onResult(redacted);
  }
}

const keys = new RegExp(apiKeyPattern, 'g');
/** A reply may repeat what was sent. */
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
