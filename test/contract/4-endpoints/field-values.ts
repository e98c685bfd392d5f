/** Values of the sample organization's custom fields, for every endpoint that writes fields. */

/** Field key, what is sent, what the lead then has. At least one of each field type. */
export const takenValues: readonly (readonly [fieldKey: string, sent: unknown, stored: unknown])[] =
  [
    ['city', '  पुणे 😀 ', 'पुणे 😀'],
    ['remarks', 'One.\n  Two.', 'One.\n  Two.'],
    ['budget', 12.5, 12.5],
    ['budget', ' 1,20,000.50 ', 120_000.5],
    ['start_on', '2028-02-29', '2028-02-29'],
    ['guardian_phone', '98123 45678', '+919812345678'],
    ['guardian_phone', 'Mob. 9812345678.0', '+919812345678'],
    ['work_email', 'Asha.Rao@Example.com', 'Asha.Rao@Example.com'],
    ['portfolio', 'https://example.com/a?b=c#d', 'https://example.com/a?b=c#d'],
    ['course', 'product design', 'design'],
    ['interests', ['hostel', 'Study abroad'], ['hostel', 'abroad']],
    ['interests', 'Education loan, bank', ['loan']],
    ['wants_call', 'Yes', true],
    ['wants_call', 'no', false],
    ['second_source', 3, 3],
    ['mentor', 8, 8],
    ['hasOwnProperty', 'own', 'own'],
  ];
