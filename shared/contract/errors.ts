/** @param limit which limit it is */
export const limitReached = (limit: string): string =>
  `The hourly ${limit} is reached: retry after the number of seconds in Retry-After.`;

/** Every error of the contract (section 7): its status, and its message unless the thrower has a more specific one. */
export const apiErrors = {
  KEY_IN_URL: {
    status: 400,
    sentence:
      'An API key must not be part of a URL: send it in the Authorization header, and revoke any key that was sent in a URL.',
  },
  INVALID_JSON: { status: 400, sentence: 'The body is not valid JSON.' },
  INVALID_QUERY: { status: 400, sentence: 'A query parameter is invalid.' },
  INVALID_IDEMPOTENCY_KEY: {
    status: 400,
    sentence: 'Idempotency-Key must be 1 to 200 plain-ASCII characters.',
  },
  UNAUTHORIZED: { status: 401, sentence: 'The API key is missing, wrong, revoked or expired.' },
  FORBIDDEN: { status: 403, sentence: 'The API key does not allow this request.' },
  HTTPS_REQUIRED: {
    status: 403,
    sentence: 'Requests must use HTTPS: revoke any key that was sent over plain HTTP.',
  },
  NOT_FOUND: { status: 404, sentence: 'No endpoint has this method and path.' },
  DUPLICATE_LEAD: { status: 409, sentence: 'Another lead has this phone or email.' },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    sentence:
      'Another request with this idempotency key or for this person is in progress: retry in a few seconds.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, sentence: 'The body is larger than 100000 bytes.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    sentence: 'Send the body with Content-Type: application/json.',
  },
  VALIDATION_FAILED: { status: 422, sentence: 'A value is missing or invalid.' },
  RATE_LIMITED: { status: 429, sentence: limitReached('limit') },
  INTERNAL: {
    status: 500,
    sentence: 'The service failed: retry, and quote the X-Request-Id if the error persists.',
  },
  NOT_READY: {
    status: 503,
    sentence: 'The organization has no stage for new leads, or no active user to own them.',
  },
} as const satisfies Record<string, { status: number; sentence: string }>;

export type ErrorCode = keyof typeof apiErrors;
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** The contract's error body (section 7). */
export interface ErrorBody {
  error: { code: ErrorCode; message: string; details?: ErrorDetails };
}

/** An error of the contract. Thrown where the rule is; only `middleware/response.ts` turns it into a response. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;

  constructor(code: ErrorCode, details?: ErrorDetails, message: string = apiErrors[code].sentence) {
    super(message);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return apiErrors[this.code].status;
  }
}

/** The body of an error response, from a function or from the gateway. */
export function errorBody(
  code: ErrorCode,
  message: string = apiErrors[code].sentence,
  details?: ErrorDetails,
): ErrorBody {
  return { error: details ? { code, message, details } : { code, message } };
}
