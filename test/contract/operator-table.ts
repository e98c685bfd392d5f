/** Field of each type in the sample settings. */
export const keyOf = {
  text: 'city',
  textarea: 'remarks',
  phone: 'guardian_phone',
  email: 'work_email',
  url: 'portfolio',
  number: 'budget',
  date: 'start_on',
  select: 'course',
  lead_source: 'second_source',
  user: 'mentor',
  multiselect: 'interests',
  checkbox: 'wants_call',
} as const;
export type Type = keyof typeof keyOf;

/** Three leads: one and two have a value of every field, none has none. */
export const values = {
  one: {
    city: 'Pune',
    remarks: 'Called\ntwice',
    guardian_phone: '+919812345678',
    work_email: 'asha@example.com',
    portfolio: 'https://example.com/asha',
    budget: 10,
    start_on: '2026-01-31',
    course: 'mba',
    second_source: 1,
    mentor: 7,
    interests: ['hostel', 'loan'],
    wants_call: true,
  },
  two: {
    city: 'Old Pune',
    remarks: 'Ask again',
    guardian_phone: '+14155552671',
    work_email: 'RAVI@example.org',

    portfolio: 'https://example.org/ravi',
    budget: 20.5,
    start_on: '2026-02-28',
    course: 'design',
    second_source: 3,
    mentor: 8,
    interests: ['abroad'],
    wants_call: false,
  },
  none: {},
};

const emptiness = (isEmpty: string, isNotEmpty: string) =>
  [
    ['is_empty', {}, isEmpty],
    ['is_not_empty', {}, isNotEmpty],
  ] as const;
const texts = (part: string, whole: string, other: string, both: string) =>
  [
    ['contains', { value: part }, both],
    ['equals', { value: whole }, 'one'],
    ['equals', { value: other }, ''],
    ...emptiness('none', 'one two'),
  ] as const;
const choices = (one: unknown, two: unknown) =>
  [
    ['is_any_of', { values: [one] }, 'one'],
    ['is_any_of', { values: [two, one] }, 'one two'],
    ...emptiness('none', 'one two'),
  ] as const;

/** The contract's table of field type and operator: what each finds among the three leads. */
export const operatorTable: {
  readonly [T in Type]: readonly (readonly [operator: string, operands: object, found: string])[];
} = {
  text: texts('PUNE', 'pune', 'Pun', 'one two'),
  textarea: texts('a', 'CALLED\nTWICE', 'Called', 'one two'),
  phone: texts('123 45', '098123 45678', '+9198123', 'one'),
  email: texts('@EXAMPLE.', 'Asha@Example.com', 'asha', 'one two'),
  url: texts('example.com', 'https://EXAMPLE.com/asha', 'example.com', 'one'),
  number: [
    ['equals', { value: 10 }, 'one'],
    ['equals', { value: 10.5 }, ''],
    ['gt', { value: 10 }, 'two'],
    ['gt', { value: 9.99 }, 'one two'],
    ['lt', { value: 20.5 }, 'one'],
    ['lt', { value: 21 }, 'one two'],
    ['between', { values: [10, 20.5] }, 'one two'],
    ['between', { values: [10.5, 20] }, ''],
    ['between', { values: [20.5, 10] }, ''],
    ...emptiness('none', 'one two'),
  ],
  date: [
    ['on', { value: '2026-01-31' }, 'one'],
    ['on', { value: '2026-02-01' }, ''],
    ['before', { value: '2026-02-28' }, 'one'],
    ['before', { value: '2026-03-01' }, 'one two'],
    ['after', { value: '2026-01-31' }, 'two'],
    ['after', { value: '2026-01-30' }, 'one two'],
    ['between', { values: ['2026-01-31', '2026-02-28'] }, 'one two'],
    ['between', { values: ['2026-02-01', '2026-02-27'] }, ''],
    ...emptiness('none', 'one two'),
  ],
  select: [...choices('mba', 'design'), ['is_any_of', { values: ['Product Design'] }, 'two']],
  lead_source: [...choices(1, 3), ['is_any_of', { values: [4] }, '']],
  user: [...choices(7, 8), ['is_any_of', { values: [9] }, '']],
  multiselect: [
    ['has_any_of', { values: ['loan'] }, 'one'],
    ['has_any_of', { values: ['hostel', 'abroad'] }, 'one two'],
    ['has_any_of', { values: ['Study abroad'] }, 'two'],
    ...emptiness('none', 'one two'),
  ],
  checkbox: [
    ['is_true', {}, 'one'],
    ['is_false', {}, 'two none'],
  ],
};
export const types = Object.keys(operatorTable) as Type[];
export const allOperators = [
  ...new Set(types.flatMap((type) => operatorTable[type].map(([operator]) => operator))),
];
