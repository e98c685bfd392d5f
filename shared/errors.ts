/** Every error of the contract (section 7): its status and the sentence that people read when the thrower has none of its own. */
export const apiErrors = {
  KEY_IN_URL: {
    status: 400,
    sentence:
      'An API key must never be part of the address: send it in the Authorization header, and revoke a key that was sent in a URL.',
  },
  INVALID_JSON: { status: 400, sentence: 'The body is not valid JSON.' },
  INVALID_QUERY: { status: 400, sentence: 'A query parameter cannot be used as it was sent.' },
  INVALID_IDEMPOTENCY_KEY: { status: 400, sentence: 'Idempotency-Key takes 1 to 200 plain-ASCII characters.' },
  UNAUTHORIZED: { status: 401, sentence: 'The API key is missing, wrong, revoked or expired.' },
  FORBIDDEN: { status: 403, sentence: 'The API key does not allow this request.' },
  HTTPS_REQUIRED: { status: 403, sentence: 'Requests are answered over HTTPS only.' },
  NOT_FOUND: { status: 404, sentence: 'There is nothing at this address.' },
  DUPLICATE_LEAD: { status: 409, sentence: 'Another lead has this phone or email.' },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    sentence: 'Another request with this idempotency key or for this person is being handled: retry in a few seconds.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, sentence: 'The body is larger than 100000 bytes.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, sentence: 'Send the body with Content-Type: application/json.' },
  VALIDATION_FAILED: { status: 422, sentence: 'A value is missing or invalid.' },
  RATE_LIMITED: { status: 429, sentence: 'The hourly limit is used up: retry after the seconds in Retry-After.' },
  INTERNAL: { status: 500, sentence: 'Something failed on our side: retry, and quote the X-Request-Id if it goes on.' },
  NOT_READY: { status: 503, sentence: 'The organization has no stage for new leads, or no active user to own them.' },
} as const satisfies Record<string, { status: number; sentence: string }>;

export type ErrorCode = keyof typeof apiErrors;
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** The contract's error body (section 7). */
export interface ErrorBody {
  error: { code: ErrorCode; message: string; details?: ErrorDetails };
}

/** A refusal that the contract names. Thrown where the rule lives, turned into a response by `middleware/respond.ts` alone. */
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

/** The body that carries an error, of a function and of the gateway alike. */
export function errorBody(code: ErrorCode, message: string = apiErrors[code].sentence, details?: ErrorDetails): ErrorBody {
  return { error: details ? { code, message, details } : { code, message } };
}
