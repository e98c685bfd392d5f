// Made by `npm run client` from the endpoints and their schemas: change those.

export interface InvalidQueryDetails {
  /** 0-based positions of the invalid filters. */
  readonly filters?: readonly number[];
  /** What is wrong with each of them, for the first eleven at most. */
  readonly problems?: readonly string[];
  /** Maps each invalid parameter to what is wrong with it. */
  readonly parameters?: { readonly [key: string]: string };
}

export interface ForbiddenDetails {
  /** The scopes of which the key needs one. */
  readonly scopes?: readonly string[];
  /** The module that the organization's plan does not include. */
  readonly module?: string;
}

export interface DuplicateLeadDetails {
  /** The lead that has the phone or email. */
  readonly leadId: number;
}

export interface ValidationFailedDetails {
  /** Maps each field key or property to what is wrong with it. */
  readonly fields: { readonly [key: string]: string };
  /** Why a stage, pipeline, owner or source was refused, such as `STAGE_NOT_IN_PIPELINE`. */
  readonly reason?: string;
  /** The field or property that `reason` refers to. */
  readonly field?: string;
  /** The valid field keys, when a field key is unknown. */
  readonly validKeys?: readonly string[];
}

/** The `details` of each error code. */
export interface ApiErrors {
  /** Status 400. An API key must not be part of a URL: send it in the Authorization header, and revoke any key that was sent in a URL. */
  KEY_IN_URL: undefined;
  /** Status 400. The body is not valid JSON. */
  INVALID_JSON: undefined;
  /** Status 400. A query parameter is invalid. */
  INVALID_QUERY: InvalidQueryDetails;
  /** Status 400. Idempotency-Key must be 1 to 200 plain-ASCII characters. */
  INVALID_IDEMPOTENCY_KEY: undefined;
  /** Status 401. The API key is missing, wrong, revoked or expired. */
  UNAUTHORIZED: undefined;
  /** Status 403. The API key does not allow this request. */
  FORBIDDEN: ForbiddenDetails | undefined;
  /** Status 403. Requests must use HTTPS. */
  HTTPS_REQUIRED: undefined;
  /** Status 404. No endpoint has this method and path. */
  NOT_FOUND: undefined;
  /** Status 409. Another lead has this phone or email. */
  DUPLICATE_LEAD: DuplicateLeadDetails | undefined;
  /** Status 409. Another request with this idempotency key or for this person is in progress: retry in a few seconds. */
  IDEMPOTENCY_IN_PROGRESS: undefined;
  /** Status 413. The body is larger than 100000 bytes. */
  PAYLOAD_TOO_LARGE: undefined;
  /** Status 415. Send the body with Content-Type: application/json. */
  UNSUPPORTED_MEDIA_TYPE: undefined;
  /** Status 422. A value is missing or invalid. */
  VALIDATION_FAILED: ValidationFailedDetails;
  /** Status 429. The hourly limit is reached: retry after the number of seconds in Retry-After. */
  RATE_LIMITED: undefined;
  /** Status 500. The service failed: retry, and quote the X-Request-Id if the error persists. */
  INTERNAL: undefined;
  /** Status 503. The organization has no stage for new leads, or no active user to own them. */
  NOT_READY: undefined;
}

export type ErrorCode = keyof ApiErrors;
