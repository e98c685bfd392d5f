import type { ApiErrors, ErrorCode } from './api-errors.ts';

/** What is known of a failed request besides its code. */
export interface FailureContext {
  /** `X-Request-Id`, to quote to support; undefined if the response had none. */
  readonly requestId: string | undefined;
  /** From `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/**
 * An error response of the service. `isLeadServiceError(error)` makes `code` and `details` agree:
 *
 * @example
 * if (isLeadServiceError(error, 'DUPLICATE_LEAD')) console.log(error.details?.leadId);
 */
export class LeadServiceError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'LeadServiceError';
  readonly code: Code;
  readonly status: number;
  readonly details: ApiErrors[Code];
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** An earlier attempt of this call had no response, or a 500: the service may have carried it out. */
  afterUnknownOutcome = false;

  constructor(
    response: { status: number; code: Code; message: string; details: ApiErrors[Code] },
    context: FailureContext,
  ) {
    super(`${response.code}: ${response.message}`);
    this.code = response.code;
    this.status = response.status;
    this.details = response.details;
    this.requestId = context.requestId;
    this.retryAfterMs = context.retryAfterMs;
  }
}

/** One type for each code, so that a `switch` on `error.code` narrows `error.details`. */
export type ApiError = { [Code in ErrorCode]: LeadServiceError<Code> }[ErrorCode];

/** Whether the service refused or failed a request; with a code, whether for that reason. */
export function isLeadServiceError(error: unknown): error is ApiError;
export function isLeadServiceError<Code extends ErrorCode>(
  error: unknown,
  code: Code,
): error is LeadServiceError<Code>;
export function isLeadServiceError(error: unknown, code?: ErrorCode): boolean {
  return error instanceof LeadServiceError && (code === undefined || error.code === code);
}

/** No whole response came: the time-out passed, or the connection failed. `cause` has the reason. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';
  readonly isTimeout: boolean;

  constructor(message: string, options: { readonly isTimeout: boolean; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.isTimeout = options.isTimeout;
  }
}

/** A response that is not the service's, such as the HTML page of a proxy, or a redirect. */
export class UnexpectedResponseError extends Error {
  override readonly name = 'UnexpectedResponseError';
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, context: FailureContext) {
    super(`The response (status ${status}) is not one of the lead service: check baseUrl.`);
    this.status = status;
    this.requestId = context.requestId;
    this.retryAfterMs = context.retryAfterMs;
  }
}
