/** The service's errors, whose types a test compares with its schemas, and the errors that the client throws. */

import type { FieldReason, ReferenceReason } from '../contract/types.ts';

interface InvalidQueryDetails {
  /** 0-based positions of the invalid filters. */
  readonly filters?: readonly number[];
  /** What is wrong with each filter, for the first eleven at most. */
  readonly problems?: readonly string[];
  /** Maps each invalid parameter to what is wrong with it. */
  readonly parameters?: Readonly<Record<string, string>>;
}

interface ForbiddenDetails {
  /** The key needs one of these scopes. */
  readonly scopes?: readonly string[];
  /** The module that the organization's plan does not include. */
  readonly module?: string;
}

interface DuplicateLeadDetails {
  /** The lead that has the phone or email. */
  readonly leadId: number;
  /** Which of the two another lead has; `phone` if both. */
  readonly field: 'phone' | 'email';
}

interface ValidationFailedDetails {
  /** Maps each field key or property to what is wrong with it. */
  readonly fields: Readonly<Record<string, string>>;
  /** Maps each field key or property of `fields` to a stable reason. */
  readonly reasons: Readonly<Record<string, FieldReason>>;
  /** Why a stage, pipeline, owner, source or user was refused: the first such reason of `reasons`, in upper case. */
  readonly reason?: Uppercase<ReferenceReason>;
  /** The field or property that `reason` refers to. */
  readonly field?: string;
  /** The valid field keys, when a field key is unknown. */
  readonly validKeys?: readonly string[];
}

/** The `details` of each error code. */
export interface ApiErrors {
  KEY_IN_URL: undefined;
  INVALID_JSON: undefined;
  INVALID_QUERY: InvalidQueryDetails;
  INVALID_IDEMPOTENCY_KEY: undefined;
  UNAUTHORIZED: undefined;
  FORBIDDEN: ForbiddenDetails | undefined;
  HTTPS_REQUIRED: undefined;
  NOT_FOUND: undefined;
  DUPLICATE_LEAD: DuplicateLeadDetails | undefined;
  IDEMPOTENCY_IN_PROGRESS: undefined;
  PAYLOAD_TOO_LARGE: undefined;
  UNSUPPORTED_MEDIA_TYPE: undefined;
  VALIDATION_FAILED: ValidationFailedDetails;
  RATE_LIMITED: undefined;
  INTERNAL: undefined;
  NOT_READY: undefined;
}
export type ErrorCode = keyof ApiErrors;

/** A response that is not a success. */
class FailedResponse extends Error {
  readonly status: number;
  /** `X-Request-Id`, to quote to support; undefined if the response had none. */
  readonly requestId: string | undefined;
  /** From `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { status, headers }: { status: number; headers: Headers }) {
    super(message);
    const seconds = headers.get('Retry-After') ?? '';
    this.status = status;
    this.requestId = headers.get('X-Request-Id') ?? undefined;
    this.retryAfterMs = /^\d{1,9}$/.test(seconds) ? Number(seconds) * 1000 : undefined;
  }
}

/**
 * An error response of the service. `isLeadServiceError(error)` makes `code` and `details` agree:
 *
 * @example
 * if (isLeadServiceError(error, 'DUPLICATE_LEAD')) console.log(error.details?.leadId);
 */
export class LeadServiceError<Code extends ErrorCode = ErrorCode> extends FailedResponse {
  override readonly name = 'LeadServiceError';
  readonly code: Code;
  readonly details: ApiErrors[Code];
  /** An earlier attempt of this call had no response, or a 500: the service may have carried it out. */
  afterUnknownOutcome = false;

  constructor(
    error: { code: Code; message: string; details: ApiErrors[Code] },
    response: { status: number; headers: Headers },
  ) {
    super(`${response.status} ${error.code}: ${error.message}`, response);
    this.code = error.code;
    this.details = error.details;
  }
}

/** One type for each code, so that a `switch` on `error.code` narrows `error.details`. */
export type ApiError = { [Code in ErrorCode]: LeadServiceError<Code> }[ErrorCode];

/** Whether the error is a response of the service; with a code, whether it has that code. */
export function isLeadServiceError(error: unknown): error is ApiError;
export function isLeadServiceError<Code extends ErrorCode>(
  error: unknown,
  code: Code,
): error is LeadServiceError<Code>;
export function isLeadServiceError(error: unknown, code?: ErrorCode): boolean {
  return error instanceof LeadServiceError && (code === undefined || error.code === code);
}

/** A response that did not come from the service, such as a proxy's HTML page or a redirect. */
export class UnexpectedResponseError extends FailedResponse {
  override readonly name = 'UnexpectedResponseError';

  constructor(response: { status: number; headers: Headers }) {
    super(
      `The response (status ${response.status}) is not one of the lead service: check baseUrl.`,
      response,
    );
  }
}

/** The request timed out, or the connection failed, before the whole response had arrived. `cause` has the reason. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';
  readonly isTimeout: boolean;

  constructor(message: string, options: { readonly isTimeout: boolean; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.isTimeout = options.isTimeout;
  }
}

/** The wait that an error's `Retry-After` asks for; 0 without the header. */
export const retryAfterMsOf = (error: unknown): number =>
  error instanceof FailedResponse ? (error.retryAfterMs ?? 0) : 0;

/** Whether the same request can succeed later. */
export function mayPass(error: unknown): boolean {
  if (error instanceof NoResponseError || isLeadServiceError(error, 'IDEMPOTENCY_IN_PROGRESS'))
    return true;
  return error instanceof FailedResponse && (error.status >= 500 || error.status === 429);
}
