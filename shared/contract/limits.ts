/** The limits of the contract (section 8) and of the service itself, each with its unit in the name. */
export const limits = {
  requestsPerKeyPerWindow: 600,
  requestsPerOrganizationPerWindow: 3000,
  windowMs: 3_600_000,
  bodyMaxBytes: 100_000,
  idMax: 2_147_483_647,

  pageSizeDefault: 25,
  pageSizeMax: 100,
  filtersMax: 10,
  filterMaxChars: 8000,

  idempotencyHours: 24,
  idempotencyKeyMaxChars: 200,

  emailMaxChars: 254,
  noteMaxChars: 5000,

  /** DynamoDB holds 400 KB an item; the rest is for keys, index attributes and future attributes. */
  leadMaxBytes: 350_000,
  presentedLeadMaxBytes: 1_000_000,
  /** Lambda returns at most 6 MB, with the body escaped inside JSON. */
  responseMaxBytes: 5_000_000,

  /** How long a write retries on conflict (design, section 4). */
  conflictRetryMs: 2000,
  /** The function's own time-out; no request outlives it. */
  functionTimeoutSeconds: 10,
} as const;

/** Limits of a capture alone, in an object of their own, so that only capture's bundle contains them. */
export const captureLimits = {
  nameMaxChars: 200,
  phoneMinChars: 6,
  phoneMaxChars: 32,
  sourceMaxChars: 60,
  fieldKeyMaxChars: 64,
  attributionUrlMaxChars: 2000,
  attributionTitleMaxChars: 300,
  attributionNameMaxChars: 200,
} as const;

export const settingsLimits = {
  /** As JSON. */
  maxBytes: 350_000,
  /** As DynamoDB stores them: many small parts need more bytes than their JSON. */
  itemMaxBytes: 395_000,
} as const;
