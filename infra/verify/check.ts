import { apiKeyPattern } from '../../shared/organization/api-key.ts';
import { CheckError } from '../cli/command.ts';
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

/** The line of a result, for people. */
export const lineOf = ({ check, passed, came, next }: CheckResult): string =>
  passed ? `✓ ${check}: ${came}` : `✗ ${check}: ${came}. Next: ${next}`;

/** Runs checks one after the other and collects their results. A failed check does not stop the next one; an interruption skips the rest. */
export class Checks {
  readonly results: CheckResult[] = [];
  readonly interrupted: AbortSignal;
  readonly #onResult: (result: CheckResult) => void;

  constructor(onResult: (result: CheckResult) => void, interrupted: AbortSignal) {
    this.#onResult = onResult;
    this.interrupted = interrupted;
  }

  /** @param run returns the result as a text. @returns whether the check passed: false too if it was skipped */
  async passes(check: string, run: () => string | Promise<string>): Promise<boolean> {
    if (this.interrupted.aborted) return false;
    try {
      this.#add({ check, passed: true, came: printable(await run()) });
      return true;
    } catch (error) {
      const { message: came, next } = error instanceof CheckError ? error : dynamodbError(error);
      this.#add({ check, passed: false, came: printable(came), next: printable(next) });
      return false;
    }
  }

  #add(result: CheckResult): void {
    this.results.push(result);
    this.#onResult(result);
  }
}

const keys = new RegExp(apiKeyPattern, 'g');

/** On one line, and without the key that was sent: a reply may repeat it. */
const printable = (text: string): string =>
  text.replace(keys, '(an API key)').replace(/\s+/g, ' ').trim();

/** An unexpected error comes from the AWS SDK: a request without a reply is a CheckError. */
const dynamodbError = (error: unknown): CheckError =>
  new CheckError(
    `DynamoDB cannot be used (${errorText(error)})`,
    'Check AWS_REGION, AWS_PROFILE, AWS_ENDPOINT_URL_DYNAMODB, and what your credentials may do with the table.',
  );

/** As in `Error ECONNREFUSED: connect …`. */
export function errorText(error: unknown): string {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return `${[name, errorCode(error)].filter(Boolean).join(' ')}: ${message}`;
}
