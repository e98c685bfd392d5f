// Made by `npm run openapi` from the endpoints and their schemas: change those.

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
  /** Which of them another lead has. If both, it is the phone. */
  readonly field: 'phone' | 'email';
}

export interface ValidationFailedDetails {
  /** Maps each field key or property to what is wrong with it. */
  readonly fields: { readonly [key: string]: string };
  /** Why a stage, pipeline, owner, source or user was refused. It is the first such reason of `reasons`, in upper case. */
  readonly reason?:
    | 'PIPELINE_NOT_FOUND'
    | 'STAGE_NOT_FOUND'
    | 'STAGE_NOT_ACTIVE'
    | 'STAGE_NOT_IN_PIPELINE'
    | 'NO_STARTING_STAGE'
    | 'SOURCE_NOT_FOUND'
    | 'SOURCE_NOT_ACTIVE'
    | 'OWNER_NOT_FOUND'
    | 'OWNER_NOT_ACTIVE'
    | 'USER_NOT_FOUND'
    | 'USER_NOT_ACTIVE'
    | 'NO_ACTIVE_OWNER';
  /** The field or property that `reason` refers to. */
  readonly field?: string;
  /** The valid field keys, when a field key is unknown. */
  readonly validKeys?: readonly string[];
  /** Maps each field key or property of `fields` to a stable reason. */
  readonly reasons: { readonly [key: string]: FieldReason };
}

/** Why a value is refused, for programs.

- `required`: The value is missing or empty, and one is needed.
- `wrong_type`: The value has the wrong JSON type, such as a list where a string is needed.
- `too_short`: The text has too few characters.
- `too_long`: The text has too many characters, or the lead is too large with this value.
- `invalid_characters`: The text contains U+0000 or an unpaired surrogate.
- `invalid_phone`: The text is not a phone number.
- `invalid_email`: The text is not an email address.
- `invalid_url`: The text is not a web address that starts with `http://` or `https://`.
- `invalid_number`: The value is not a number.
- `invalid_date`: The text is not a date that exists, in the form `YYYY-MM-DD`.
- `invalid_checkbox`: The value of a checkbox is neither yes nor no.
- `invalid_id`: The value is not an ID.
- `out_of_range`: The number is too large or too small, or has too many digits.
- `unknown_option`: The value is not one of the field's options.
- `unknown_field`: The organization has no active field with this key.
- `unknown_property`: The request has no property with this name.
- `not_accepted`: The field exists, but `fields` of this request cannot set it.
- `idempotency_key_reused`: The idempotency key was used with a different body.
- `pipeline_not_found`: The organization has no such pipeline.
- `stage_not_found`: The organization has no such stage.
- `stage_not_active`: The stage is not active.
- `stage_not_in_pipeline`: The stage belongs to another pipeline.
- `no_starting_stage`: The pipeline has no active starting stage, so the request must name one.
- `source_not_found`: The organization has no such source.
- `source_not_active`: The source is not active.
- `owner_not_found`: The organization has no such user to own the lead.
- `owner_not_active`: The user to own the lead is not active.
- `user_not_found`: The organization has no such user.
- `user_not_active`: The user is not active.
- `no_active_owner`: The organization has no active user to own the lead. */
export type FieldReason =
  | 'required'
  | 'wrong_type'
  | 'too_short'
  | 'too_long'
  | 'invalid_characters'
  | 'invalid_phone'
  | 'invalid_email'
  | 'invalid_url'
  | 'invalid_number'
  | 'invalid_date'
  | 'invalid_checkbox'
  | 'invalid_id'
  | 'out_of_range'
  | 'unknown_option'
  | 'unknown_field'
  | 'unknown_property'
  | 'not_accepted'
  | 'idempotency_key_reused'
  | 'pipeline_not_found'
  | 'stage_not_found'
  | 'stage_not_active'
  | 'stage_not_in_pipeline'
  | 'no_starting_stage'
  | 'source_not_found'
  | 'source_not_active'
  | 'owner_not_found'
  | 'owner_not_active'
  | 'user_not_found'
  | 'user_not_active'
  | 'no_active_owner';

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
