/** The errors of the service. A test compares these types with the service's schemas. */

/** Why a value is refused, for programs. The API reference says what each means. */
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

type ReferenceReason = Extract<
  FieldReason,
  `${'pipeline' | 'stage' | 'source' | 'owner' | 'user'}_not_${string}` | `no_${string}`
>;

interface InvalidQueryDetails {
  /** 0-based positions of the invalid filters. */
  readonly filters?: readonly number[];
  /** What is wrong with each of them, for the first eleven at most. */
  readonly problems?: readonly string[];
  /** Maps each invalid parameter to what is wrong with it. */
  readonly parameters?: Readonly<Record<string, string>>;
}

interface ForbiddenDetails {
  /** The scopes of which the key needs one. */
  readonly scopes?: readonly string[];
  /** The module that the organization's plan does not include. */
  readonly module?: string;
}

interface DuplicateLeadDetails {
  /** The lead that has the phone or email. */
  readonly leadId: number;
  /** Which of them another lead has. If both, it is the phone. */
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
