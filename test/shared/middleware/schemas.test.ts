import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { body } from '../../../functions/capture-lead/handler.ts';
import { body as createBody } from '../../../functions/create-lead/handler.ts';
import { query } from '../../../functions/list-leads/handler.ts';
import { body as updateBody } from '../../../functions/update-lead/handler.ts';
import { refusalsOf } from '../../../shared/middleware/input.ts';
import { fieldValues, id, leadIdPath, object, text } from '../../../shared/middleware/schemas.ts';

/** The sentence or the reason of each refusal, by property; undefined when nothing is refused. */
const refused = (part: 'sentence' | 'reason') => (schema: v.GenericSchema, input: unknown) => {
  const { success, issues } = v.safeParse(schema, input);
  if (success) return undefined;
  return Object.fromEntries([...refusalsOf(issues)].map(([name, one]) => [name, one[part]]));
};
const issues = refused('sentence');
const reasons = refused('reason');
const asha = { name: 'Asha', phone: '9876543210' };
const issuesOfCapture = (more: object) => issues(body, { ...asha, ...more });

describe("an empty list, PHP's empty array, in place of an object is refused with what to send", () => {
  test.each<[string, v.GenericSchema, unknown, string]>([
    ['fields of a create', createBody, { fields: [] }, 'fields'],
    ['fields of a capture', body, { ...asha, fields: [] }, 'fields'],
    ['attribution of a capture', body, { ...asha, attribution: [] }, 'attribution'],
    ['the body of an update', updateBody, [], 'body'],
  ])('%s', (_, schema, input, name) => {
    const found = issues(schema, input);

    expect(Object.keys(found ?? {})).toEqual([name]);
    expect(found?.[name]).toMatch(
      /^must be an? .*object.*; an empty one is \{\}, not \[\] \(in PHP: \(object\) \[\]\)\.$/,
    );
  });

  test('a list that holds something is not an empty object', () => {
    expect(issuesOfCapture({ fields: ['a'], attribution: [{}] })).toEqual({
      fields: 'must be an object of values by field key.',
      attribution: 'must be a JSON object.',
    });
  });
});

describe('every limit of a capture, at its edge and one past it', () => {
  test.each<[string, string, number, number]>([
    ['name', '🎓', 1, 200],
    ['phone', '९', 6, 32],
    ['email', 'é', 0, 254],
    ['source', 'ü', 1, 60],
    ['notes', '🎓', 0, 5000],
    ['externalId', 'न', 1, 200],
    ['attribution.pageUrl', 'a', 0, 2000],
    ['attribution.pageTitle', '🎓', 0, 300],
    ['attribution.referrer', 'a', 0, 2000],
    ['attribution.utmSource', 'a', 0, 200],
    ['attribution.utmMedium', 'a', 0, 200],
    ['attribution.utmCampaign', '🎓', 0, 200],
    ['attribution.utmTerm', 'a', 0, 200],
    ['attribution.utmContent', 'a', 0, 200],
    ['attribution.formName', 'a', 0, 200],
  ])('%s takes %s as often as %i to %i times', (property, letter, min, max) => {
    const ofLength = (length: number) => {
      const [outer, inner] = property.split('.');
      const value = letter.repeat(length);
      return issuesOfCapture({ [outer!]: inner ? { [inner]: value } : value });
    };
    expect(ofLength(min)).toBeUndefined();
    expect(ofLength(max)).toBeUndefined();
    expect(ofLength(max + 1)).toEqual({ [property]: expect.stringContaining(`${max} characters`) });
    if (min > 0)
      expect(ofLength(min - 1)).toEqual({
        [property]: expect.stringContaining(`${min} to ${max} characters`),
      });
  });

  test.each(['fields', 'attribution', 'pipelineId', 'notes'])('%s is not null', (property) => {
    expect(issuesOfCapture({ [property]: null })).toHaveProperty(property);
  });

  test('a field key has at most 64 characters', () => {
    expect(issuesOfCapture({ fields: { ['🎓'.repeat(64)]: 'x' } })).toBeUndefined();
    expect(issuesOfCapture({ fields: { ['k'.repeat(65)]: 'x' } })).toEqual({
      ['k'.repeat(65)]: expect.stringContaining('64 characters'),
    });
  });
});

describe('an object', () => {
  const schema = object({ name: text(1, 9), phone: v.optional(text(1, 9)) });

  test.each([null, [], 'name'])('an object schema refuses %j', (input) =>
    expect(issues(schema, input)).toHaveProperty('body'),
  );
  test('an error names unknown, wrong and missing properties together', () =>
    expect(
      issues(
        object({
          name: text(1, 5),
          note: v.optional(text(0, 2)),
          part: object({ city: text(1, 9) }),
        }),
        {
          note: 'long',
          nmae: 'Asha',
          part: { ctiy: 'Pune' },
        },
      ),
    ).toEqual({
      nmae: 'is not a known property; did you mean name?',
      name: 'is required.',
      note: 'must have at most 2 characters.',
      'part.ctiy': 'is not a known property; did you mean city?',
      'part.city': 'is required.',
    }));
  test.each(['__proto__', 'constructor', ''])('has no property %j', (property) => {
    const input = JSON.parse(`{"name":"Asha",${JSON.stringify(property)}:"x"}`);
    expect(Object.keys(issues(schema, input)!)).toEqual([property || '(empty)']);
  });
  test('calls an unknown name in a query a parameter', () => {
    expect(issues(query, { limt: '1' })).toEqual({
      limt: 'is not a known parameter; did you mean limit?',
    });
    expect(issues(query, { foo: '1' })?.foo).toMatch(
      /^is not a known parameter; known parameters: limit, /,
    );
  });
  test('names the known properties if none is similar', () => {
    expect(issues(object({ text: text(1, 9) }), { text: 'x', foo: 1 })?.foo).toBe(
      'is not a known property; known properties: text.',
    );
  });
  test.each<[string, v.GenericSchema, object, string, RegExp]>([
    ['a field beside fields', body, { course: 'mba' }, 'course', /known properties: name, phone,/],
    ['a name that is sent too', body, { phone2: '1' }, 'phone2', /known properties: name, phone,/],
    ['a mistyped property', body, { sorce: 'x' }, 'sorce', /; did you mean source\?/],
    ['a field of a create', createBody, { fields: {}, fild: 1 }, 'fild', /; known properties: /],
    ['a field of an update', updateBody, { pipelineid: 1 }, 'pipelineid', /mean pipelineId\?/],
  ])('says that values go inside fields, for %s', (_, of, sent, name, hint) => {
    const sentence = issues(of, { ...asha, ...sent })?.[name];
    expect(sentence).toMatch(hint);
    expect(sentence).toMatch(/ Field values go inside fields\.$/);
  });
  test.each<[v.GenericSchema, object, string]>([
    [body, { ...asha, email: null }, 'email'],
    [body, { ...asha, pipelineId: null }, 'pipelineId'],
    [body, { ...asha, fields: null }, 'fields'],
    [body, { ...asha, attribution: { utmTerm: null } }, 'attribution.utmTerm'],
    [body, { ...asha, source: '' }, 'source'],
    [updateBody, { stageId: null }, 'stageId'],
    [query, { limit: '' }, 'limit'],
  ])('%# says to leave out what is empty and not required', (of, sent, name) => {
    expect(issues(of, sent)?.[name]).toMatch(/^must .*\. Leave it out if it is empty\.$/);
  });
  test('does not say so about required values', () => {
    expect(issues(body, { name: null, phone: '' })).toEqual({
      name: 'must be a string.',
      phone: 'must have 6 to 32 characters.',
    });
  });
  test('requires no property by its prototype', () =>
    expect(issues(object({ toString: text(1, 9) }), {})).toHaveProperty('toString'));
});

describe('the values of fields', () => {
  test.each(['', -0.5, true, null, [], ['a', 'b']])(
    '%j is accepted as the value of a field',
    (value) => expect(issues(fieldValues(), { key: value })).toBeUndefined(),
  );
  test.each([{ a: 1 }, [1], [null], Infinity])('%j cannot', (value) =>
    expect(issues(fieldValues(), { key: value })?.key).toMatch(/^must be /),
  );
  test.each(['\ud800', ['ok', '\0']])(
    '%j cannot, because it contains an invalid character',
    (value) => expect(issues(fieldValues(), { key: value })?.key).toContain('invalid character'),
  );

  test.each(['__proto__', 'constructor'])('a wrong value of the key %s is named', (key) => {
    const fields = JSON.parse(`{"${key}":{"a":1}}`);
    expect(Object.entries(issuesOfCapture({ fields })!)).toEqual([
      [key, expect.stringMatching(/^must be /)],
    ]);
  });
});

describe('ids', () => {
  test.each([1, 2_147_483_647])('%d is an ID', (input) =>
    expect(issues(id, input)).toBeUndefined(),
  );
  test.each([0, 2_147_483_648, 1.5, '1'])('%j is refused as an ID', (input) =>
    expect(issues(id, input)?.body).toContain('1 to 2147483647'),
  );
  test.each(['1', '2147483647'])('%s is an ID in a path', (leadId) =>
    expect(v.parse(leadIdPath, { leadId })).toEqual({ leadId: Number(leadId) }),
  );
  test.each(['0', '-1', '01', '2147483648', '1.0', ' 1', '१', '', '1\n'])(
    '%j is not an ID in a path',
    (leadId) => {
      expect(issues(leadIdPath, { leadId })).toBeDefined();
    },
  );
});

test.each<[string, object, Record<string, string>]>([
  ['an empty name', { name: '' }, { name: 'required' }],
  ['a number as a name', { name: 5 }, { name: 'wrong_type' }],
  ['a short phone', { phone: '12345' }, { phone: 'too_short' }],
  ['long notes', { notes: 'x'.repeat(5001) }, { notes: 'too_long' }],
  ['U+0000', { notes: 'a\0' }, { notes: 'invalid_characters' }],
  ['an ID of 0', { pipelineId: 0 }, { pipelineId: 'invalid_id' }],
  ['an unknown property', { nmae: 'x' }, { nmae: 'unknown_property' }],
  ['a list of values', { fields: [] }, { fields: 'wrong_type' }],
  ['an object as a value', { fields: { course: {} } }, { course: 'wrong_type' }],
  ['1e999', { fields: { budget: Infinity } }, { budget: 'out_of_range' }],
  ['a long key', { fields: { ['k'.repeat(65)]: 1 } }, { ['k'.repeat(65)]: 'unknown_field' }],
  [
    'unknown attribution',
    { attribution: { gclid: 'x' } },
    { 'attribution.gclid': 'unknown_property' },
  ],
])('a capture gives the reason for %s', (_, sent, expected) =>
  expect(reasons(body, { ...asha, ...sent })).toEqual(expected),
);
