/** Every number of the contract (section 8) and the service's own, each with its unit in the name. */
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

  captureNameMaxChars: 200,
  phoneMinChars: 6,
  phoneMaxChars: 32,
  emailMaxChars: 254,
  captureSourceMaxChars: 60,
  noteMaxChars: 5000,
  captureFieldKeyMaxChars: 64,
  attributionUrlMaxChars: 2000,
  attributionTitleMaxChars: 300,
  attributionNameMaxChars: 200,

  keyDaysWebsiteForm: 730,
  keyDaysApplication: 90,

  /** DynamoDB holds 400 KB an item; the rest is room for keys, index attributes and later ones. */
  leadMaxBytes: 350_000,
  /** A lead beyond this carries its size in the indexes, so that a page knows what it asks for. A page of 100 such is 3.2 MB. */
  largeLeadBytes: 32_000,
  /** As JSON. */
  settingsMaxBytes: 350_000,
  /** As they are stored, which for many small parts is more than their JSON; the rest of an item's 400 KB is as above. */
  settingsItemMaxBytes: 395_000,
  presentedLeadMaxBytes: 1_000_000,
  /** A Lambda gives at most 6 MB; a list's leads, escaped as they travel, take less. */
  responseMaxBytes: 5_000_000,

  /** How long a write looks again after meeting another (design, section 4). */
  conflictRetryMs: 2000,
  /** The function's own time-out; no request outlives it. */
  functionTimeoutSeconds: 10,
} as const;
