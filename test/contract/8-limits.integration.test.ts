import { beforeAll, describe, expect, test } from 'vitest';
import { call } from '../support/call.ts';
import { givenLead, storedLeads } from '../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { person } from '../support/people.ts';
import { customField } from '../support/settings.ts';

const longKey = 'k'.repeat(64);

let organization: GivenOrganization;
let apiKey: string;
/** An organization of one lead, where whatever is refused leaves just that as it is. */
let quiet: GivenOrganization;
let untouched: Awaited<ReturnType<typeof storedLeads>>;
beforeAll(async () => {
  organization = await givenOrganization({
    fields: [customField(longKey, 'text'), customField('city', 'text')],
  });
  ({ key: apiKey } = await organization.key());
  quiet = await givenOrganization();
  await givenLead(quiet);
  untouched = await storedLeads(quiet);
});
const x = (characters: number): string => 'x'.repeat(characters);
/** Characters as people count them: each of these is two code units and four bytes. */
const emoji = (characters: number): string => '😀'.repeat(characters);
const email = (characters: number): string =>
  `${person().email.replace(/[@.]/g, '-')}${x(254)}`
    .slice(0, characters - 12)
    .concat('@example.com');
const unique = (characters: number): string => `${person().phone}${x(200)}`.slice(0, characters);
const attributed = (name: string) => (value: string) => ({ attribution: { [name]: value } });
const sent = (name: string) => (value: string) => ({ [name]: value });

type CaptureLimit = readonly [
  string,
  (value: string) => object,
  min: number,
  max: number,
  (characters: number) => string,
];
/** What a capture takes, the number of characters at its edges, and one past each. */
const captureLimits: readonly CaptureLimit[] = [
  ['name', sent('name'), 1, 200, x],
  ['name', sent('name'), 1, 200, emoji],
  ['email', sent('email'), 13, 254, email],
  ['source', sent('source'), 1, 60, x],
  ['source', sent('source'), 1, 60, emoji],
  ['notes', sent('notes'), 0, 5000, x],
  ['notes', sent('notes'), 0, 5000, emoji],
  ['externalId', sent('externalId'), 1, 200, unique],
  ['externalId', sent('externalId'), 1, 200, emoji],
  ...['pageUrl', 'referrer'].map(
    (name) => [`attribution.${name}`, attributed(name), 0, 2000, x] as const,
  ),
  ...['pageUrl', 'referrer'].map(
    (name) => [`attribution.${name}`, attributed(name), 0, 2000, emoji] as const,
  ),
  ['attribution.pageTitle', attributed('pageTitle'), 0, 300, emoji],
  ...['utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent', 'formName'].map(
    (name) => [`attribution.${name}`, attributed(name), 0, 200, emoji] as const,
  ),
];

const capture = (change: object, own = apiKey) =>
  call('capture-lead', { apiKey: own, body: { ...person(), ...change } });

describe('8 and 4.3 lengths of a capture’s texts, in characters as people count them', () => {
  test.each(
    captureLimits.flatMap(([name, change, min, max, text]) =>
      [min, max].map((length) => [name, length, text.name, change, text(length)] as const),
    ),
  )('a capture accepts %s of %i characters (%s)', async (_name, _length, _text, change, value) => {
    const { status, body } = await capture(change(value));

    expect([status === 200 || status === 201, body.error]).toEqual([true, undefined]);
  });

  test.each(
    captureLimits.flatMap(([name, change, min, max, text]) =>
      [...(min === 1 ? [0] : []), max + 1].map(
        (length) => [name, length, text.name, change, text(length)] as const,
      ),
    ),
  )(
    'a capture refuses %s of %i characters (%s) by name',
    async (name, _length, _text, change, value) => {
      const { status, body } = await capture(change(value), quiet.website);

      expect([status, body.error.code]).toEqual([422, 'VALIDATION_FAILED']);
      expect(body.error.details.fields).toEqual({ [name]: expect.stringMatching(/characters\.$/) });
      expect(await storedLeads(quiet)).toEqual(untouched);
    },
  );
});

describe('8 and 4.3 phone: 6 to 32 characters', () => {
  const problem = async (phone: string) =>
    (await capture({ phone })).body.error?.details.fields.phone;

  test('a phone of 32 characters is accepted', async () => {
    const { phone } = person();

    expect(
      (await capture({ phone: phone.replace('+91', `+91${' '.repeat(32 - phone.length)}`) }))
        .status,
    ).toBe(201);
  });

  test.each([0, 5, 33])('a phone of %i characters is refused for its length', async (length) => {
    expect(await problem('9'.repeat(length))).toBe('must have 6 to 32 characters.');
  });

  test('a phone of 6 characters is not refused for its length', async () => {
    expect(await problem('999999')).toMatch(/^must be a phone number/);
  });
});

describe('8 and 4.3 fields: a key of up to 64 characters', () => {
  test('a field key of 64 characters is accepted', async () => {
    expect((await capture({ fields: { [longKey]: 'x' } })).status).toBe(201);
  });

  test('a field key of 65 characters is refused', async () => {
    const { status, body } = await capture({ fields: { [`${longKey}k`]: 'x' } });

    expect([status, body.error.details.fields]).toEqual([
      422,
      { [`${longKey}k`]: expect.stringContaining('64 characters') },
    ]);
  });
});

describe('8 Idempotency-Key: 1 to 200 characters', () => {
  test.each([
    [1, 201],
    [200, 201],
    [201, 400],
  ])('%i characters: %i', async (length, status) => {
    const answer = await call('capture-lead', {
      apiKey,
      body: person(),
      headers: { 'Idempotency-Key': x(length) },
    });

    expect(answer.status).toBe(status);
  });
});

describe('8 note text: 1 to 5000 characters', () => {
  test.each([
    [0, 422],
    [1, 201],
    [5000, 201],
    [5001, 422],
  ])('%i characters: %i', async (length, status) => {
    const { id } = await givenLead(organization);

    const answers = [
      await call('add-note', { apiKey, leadId: id, body: { text: x(length) } }),
      await call('add-note', { apiKey, leadId: id, body: { text: emoji(length) } }),
    ];

    expect(answers.map((answer) => answer.status)).toEqual([status, status]);
  });
});

describe('8 list: at most 10 filters, a filter string of at most 8000 characters', () => {
  const filters = (count: number) =>
    Array.from({ length: count }, () => ({ field: 'city', operator: 'is_empty' }));
  const list = (filter: string) => call('list-leads', { apiKey, query: { filter } });

  test.each([
    [10, 200],
    [11, 400],
  ])('a list with %i filters answers %i', async (count, status) => {
    const answer = await list(JSON.stringify(filters(count)));

    expect(answer.status).toBe(status);
    if (status === 400)
      expect(answer.body.error).toMatchObject({
        code: 'INVALID_QUERY',
        details: { filters: [10] },
      });
    if (status === 400)
      expect(answer.body.error.message).toBe('filter[10] exceeds the limit of 10 filters.');
  });

  test('a list with thousands of filters names every position beyond the tenth', async () => {
    const { status, body } = await list(`[${'1,'.repeat(3998)}1]`);

    expect([status, body.error.details.filters]).toEqual([
      400,
      Array.from({ length: 3999 }, (_, index) => index),
    ]);
  });

  test.each([
    ['letters', 'x', 8000, 200],
    ['letters', 'x', 8001, 400],
    ['characters of two code units', '😀', 8000, 200],
    ['characters of two code units', '😀', 8001, 400],
  ])(
    'a filter string of %s (%s), %i characters in all, answers %i',
    async (_, character, length, status) => {
      const shell = JSON.stringify([{ field: 'city', operator: 'contains', value: '' }]);
      const filter = shell.replace('""', `"${character.repeat(length - shell.length)}"`);
      expect([...filter]).toHaveLength(length);

      const answer = await list(filter);

      expect(answer.status).toBe(status);
      if (status === 400)
        expect(answer.body.error.details.parameters).toEqual({
          filter: 'must have at most 8000 characters.',
        });
    },
  );
});
