/** Values of the sample organization's custom fields, for every endpoint that writes fields. */

/** Field key, what is sent, what the lead then has. At least two of each field type. */
export const takenValues: readonly (readonly [fieldKey: string, sent: unknown, stored: unknown])[] =
  [
    ['city', 'Pune', 'Pune'],
    ['city', '  पुणे 😀 ', 'पुणे 😀'],
    ['remarks', 'One.\n  Two.', 'One.\n  Two.'],
    ['budget', 12.5, 12.5],
    ['budget', 0, 0],
    ['budget', -9_007_199_254_740_991, -9_007_199_254_740_991],
    ['budget', ' 1,20,000.50 ', 120_000.5],
    ['budget', '१२३', 123],
    ['start_on', '2028-02-29', '2028-02-29'],
    ['start_on', ' 2026-12-31 ', '2026-12-31'],
    ['guardian_phone', '98123 45678', '+919812345678'],
    ['guardian_phone', '0044 20 7946 0958', '+442079460958'],
    ['work_email', 'Asha.Rao@Example.com', 'Asha.Rao@Example.com'],
    ['portfolio', 'https://example.com/a?b=c#d', 'https://example.com/a?b=c#d'],
    ['course', 'mba', 'mba'],
    ['course', 'MBA', 'mba'],
    ['course', 'product design', 'design'],
    ['interests', ['hostel', 'Study abroad'], ['hostel', 'abroad']],
    ['interests', ['abroad', 'hostel', 'abroad'], ['hostel', 'abroad']],
    ['interests', 'Education loan, bank', ['loan']],
    ['wants_call', true, true],
    ['wants_call', 'Yes', true],
    ['wants_call', 'no', false],
    ['wants_call', 1, true],
    ['second_source', 3, 3],
    ['second_source', '1', 1],
    ['mentor', 8, 8],
    ['hasOwnProperty', 'own', 'own'],
  ];

/** An object as JSON text with the key given, which may be one that an object literal would not keep. */
export const withKey = (fieldKey: string, value: unknown): Record<string, unknown> =>
  JSON.parse(`{${JSON.stringify(fieldKey)}: ${JSON.stringify(value)}}`);

/** A body that is JSON, and no object. */
export const noObjects = ['[]', '[{}]', '"text"', '1', 'null', 'true'] as const;
