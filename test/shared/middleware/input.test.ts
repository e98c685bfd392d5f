import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { body, headers } from '../../../functions/capture-lead/handler.ts';
import { query as listQuery } from '../../../functions/list-leads/handler.ts';
import { parseInput, type Schemas } from '../../../shared/middleware/input.ts';
import { leadIdPath } from '../../../shared/middleware/schemas.ts';
import { sampleOrganization } from '../../support/settings.ts';
import { type EventParts, requestEvent } from './event.ts';

const schemas = { path: leadIdPath, headers, query: listQuery, body };
const asha = { name: 'Asha', phone: '98765 43210' };
const run = (parts: EventParts, jsonBody: unknown = asha, of: Schemas = schemas) =>
  parseInput(of, requestEvent({ pathParameters: { leadId: '5' }, ...parts }), jsonBody);

const { fields } = sampleOrganization();
function errorOf(...of: Parameters<typeof run>) {
  const { inputError } = run(...of);
  if (!inputError) throw new Error('It was not refused.');
  return inputError(fields);
}

describe('reading a request by its schemas', () => {
  test('reads null maps as empty ones', () => {
    const { path: _, ...others } = schemas;
    const parts: EventParts = {
      pathParameters: null,
      headers: null,
      multiValueHeaders: null as never,
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
    };
    expect(Object.keys(run(parts, asha, others))).toEqual(['input']);
  });

  test.each(['x', '%zz'])(
    'refuses the lead ID %j in the path with 404 NOT_FOUND and what a lead ID is',
    (leadId) => {
      expect(errorOf({ pathParameters: { leadId } })).toMatchObject({
        code: 'NOT_FOUND',
        message: 'The lead ID in the path must be an integer from 1 to 2147483647.',
      });
    },
  );

  test('reads a header that is given twice as HTTP joins it', () => {
    const { input } = run({ multiValueHeaders: { 'idempotency-key': ['a', 'b'] } });
    expect(input).toMatchObject({ headers: { 'idempotency-key': 'a, b' } });
  });

  test('reads a parameter that is given once, and refuses one that is given twice', () => {
    const sent = (...limit: string[]) => ({ multiValueQueryStringParameters: { limit } });
    expect(run(sent('5')).input).toMatchObject({ query: { limit: 5 } });
    expect(errorOf(sent('5', '5'))).toMatchObject({
      code: 'INVALID_QUERY',
      details: { parameters: { limit: 'is given more than once.' } },
    });
  });

  test('refuses a header before a query, and a query before a body', () => {
    const wrong = {
      headers: { 'Idempotency-Key': '' },
      multiValueHeaders: { 'Idempotency-Key': [''] },
    };
    const query = { multiValueQueryStringParameters: { limit: ['x'] } };
    const codes = [{ ...wrong, ...query }, query, {}].map((parts) => errorOf(parts, []).code);
    expect(codes).toEqual(['INVALID_IDEMPOTENCY_KEY', 'INVALID_QUERY', 'VALIDATION_FAILED']);
  });

  test('says that a field outside fields is a field, and where to send it', () => {
    const { details, message } = errorOf({}, { ...asha, course: 'mba', colour: 'red' });
    expect(message).toMatch(/^course is a field: send it inside fields\. colour is not a known /);
    expect(details).toMatchObject({ reasons: { course: 'unknown_property' } });
    const inFields = errorOf({}, { ...asha, fields: { course: {} } });
    expect(inFields.message).toMatch(/^course must be a string, /);
  });

  test('names a parameter without a name as empty', () => {
    const multiValueQueryStringParameters = { '': ['1'] };
    expect(errorOf({ multiValueQueryStringParameters })).toMatchObject({
      message: expect.stringMatching(/^\(empty\) is not a known parameter; /),
      details: { parameters: { '(empty)': expect.anything() } },
    });
  });

  test('names a parameter of blanks as empty', () =>
    expect(errorOf({ multiValueQueryStringParameters: { ' \u00a0': ['1'] } }).message).toMatch(
      /^\(empty\) is not a known parameter; /,
    ));

  const key = (at: number) => `k${at}`;
  const manyKeys = (count: number, value: unknown, name = key) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), value]));
  const marks = '\u0001'.repeat(7000);
  test.each<[string, unknown]>([
    ['properties', { ...asha, ...manyKeys(11_000, 1) }],
    ['values of fields', { ...asha, fields: manyKeys(11_000, {}) }],
    [
      'keys of fields that are too long',
      { ...asha, fields: manyKeys(1000, 1, (at) => 'k'.repeat(80) + at) },
    ],
    ['properties of the attribution', { ...asha, attribution: manyKeys(9000, 1) }],
    ['characters in a name', { ...asha, ['é'.repeat(45_000)]: 1 }],
    [
      'characters in two names that JSON escapes',
      { ...asha, [marks]: 1, fields: { [`${marks}1`]: 1 } },
    ],
  ])('the error for thousands of %s is no larger than a body can be', (_, sent) => {
    const { details, message } = errorOf({}, sent);
    expect(Buffer.byteLength(JSON.stringify({ details, message }))).toBeLessThan(80_000);
  });

  test('does not report a defect of an endpoint as a refusal', () => {
    const defect = (): never => {
      throw new TypeError('a defect');
    };
    const broken = { body: v.pipe(v.unknown(), v.transform(defect)) };
    expect(() => run({}, {}, broken)).toThrow(TypeError);
  });
});
