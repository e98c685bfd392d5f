import { apiKeyPattern } from '../../shared/organization/api-key.ts';
import { CheckError } from '../cli/command.ts';
import { errorText } from '../cli/error-code.ts';

/** One line of a verification. */
export interface CheckResult {
  /** What was tried. */
  readonly check: string;
  readonly passed: boolean;
  /** The result. */
  readonly came: string;
  /** On failure, the next thing to look at. */
  readonly next?: string;
  /** What callers should know, although the check passed. */
  readonly note?: string;
}

/** The result of a passed check. */
type Came = string | Pick<CheckResult, 'came' | 'note'>;

/** Formats results as lines for people. Advice that several failures share is printed only once, with the first of them. */
export function linesOfResults(): (result: CheckResult) => string {
  const firstWith = new Map<string | undefined, string>();
  return ({ check, passed, came, next, note }) => {
    if (passed) return `✓ ${check}: ${came}${note === undefined ? '' : `. Note: ${note}`}`;
    const first = firstWith.get(next);
    if (first !== undefined) return `✗ ${check}: ${came}. Next: as for ${first}`;
    firstWith.set(next, check);
    return `✗ ${check}: ${came}. Next: ${next}`;
  };
}

/** Runs checks and collects their results. A failed check does not stop the others. An interruption skips checks that have not begun. */
export class Checks {
  /** In the order in which the checks began; complete once all have ended. */
  readonly results: CheckResult[] = [];
  readonly interrupted: AbortSignal;
  #begun = 0;
  readonly #onResult: (result: CheckResult) => void;

  constructor(onResult: (result: CheckResult) => void, interrupted: AbortSignal) {
    this.#onResult = onResult;
    this.interrupted = interrupted;
  }

  /** @param run returns the result. @returns whether the check passed; false if it was skipped */
  async passes(check: string, run: () => Came | Promise<Came>): Promise<boolean> {
    if (this.interrupted.aborted) return false;
    const place = this.#begun;
    this.#begun += 1;
    const result = await resultOf(check, run);
    this.results[place] = result;
    this.#onResult(result);
    return result.passed;
  }
}

async function resultOf(check: string, run: () => Came | Promise<Came>): Promise<CheckResult> {
  try {
    const result = await run();
    const { came, ...note } = typeof result === 'string' ? { came: result } : result;
    return { check, passed: true, came: printable(came), ...note };
  } catch (error) {
    const { message: came, next } = error instanceof CheckError ? error : dynamodbError(error);
    return { check, passed: false, came: printable(came), next: printable(next) };
  }
}

const keys = new RegExp(apiKeyPattern, 'g');

/** A text on one line and without the key that was sent, which a reply may repeat. */
const printable = (text: string): string =>
  text.replace(keys, '(an API key)').replace(/\s+/g, ' ').trim();

/** An unexpected error can only come from the AWS SDK, because a request without a reply is a CheckError. */
const dynamodbError = (error: unknown): CheckError =>
  new CheckError(
    `DynamoDB cannot be used (${errorText(error)})`,
    'Check AWS_REGION, AWS_PROFILE, AWS_ENDPOINT_URL_DYNAMODB, and what your credentials may do with the table.',
  );
