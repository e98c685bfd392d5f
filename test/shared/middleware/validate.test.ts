import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { body, headers } from '../../../functions/capture-lead.ts';
import { query as listQuery } from '../../../functions/list-leads.ts';
import { ApiError } from '../../../shared/errors.ts';
import { leadIdPath } from '../../../shared/middleware/schemas.ts';
import { parseInput, type Schemas } from '../../../shared/middleware/validate.ts';
import { refusalOf } from '../leads/refusal.ts';
import { type EventParts, requestEvent } from './event.ts';

const schemas = { path: leadIdPath, headers, query: listQuery, body };
const asha = { name: 'Asha', phone: '98765 43210' };
const good: EventParts = { pathParameters: { leadId: '5' } };
const run = (parts: EventParts, jsonBody: unknown, of: Schemas = schemas) =>
  parseInput(of, requestEvent({ ...good, ...parts }), jsonBody);
const refusal = (parts: EventParts, jsonBody: unknown = asha) =>
  refusalOf(() => {
    const input = run(parts, jsonBody);
    if (input instanceof ApiError) throw input;
  });
const query = (name: string, ...values: string[]): EventParts => ({
  multiValueQueryStringParameters: { [name]: values },
  queryStringParameters: { [name]: values.at(-1)! },
});

describe('reading a request by its schemas', () => {
  test('returns each part as its schema reads it', () => {
    const input = run({ headers: { 'IDEMPOTENCY-Key': 'k' }, ...query('limit', '5') }, asha);
    expect(input).toEqual({
      path: { leadId: 5 },
      headers: { 'idempotency-key': 'k' },
      query: { limit: 5 },
      body: asha,
    });
  });

  test('reads null maps as empty ones', () => {
    const { path: _, ...others } = schemas;
    const parts: EventParts = {
      pathParameters: null,
      headers: null,
      multiValueHeaders: null as never,
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
    };
    expect(run(parts, asha, others)).not.toBeInstanceOf(ApiError);
  });
});

describe('the order of the refusals', () => {
  const issues: [string, EventParts, unknown][] = [
    ['NOT_FOUND', { pathParameters: { leadId: '0' } }, undefined],
    ['INVALID_IDEMPOTENCY_KEY', { headers: { 'Idempotency-Key': 'ü' } }, undefined],
    ['INVALID_QUERY', query('limit', 'x'), undefined],
    ['VALIDATION_FAILED', {}, { name: '' }],
  ];
  test.each(issues)('%s comes before those after it', async (code, parts, jsonBody) => {
    const rest = issues.slice(issues.findIndex(([one]) => one === code));
    const all = Object.assign({}, ...rest.map(([, one]) => one)) as EventParts;
    expect((await refusal(parts, jsonBody ?? asha)).code).toBe(code);
    expect((await refusal(all, { name: '' })).code).toBe(code);
  });
});

describe('what a refusal says', () => {
  test.each(['x', '%zz'])(
    'the lead ID %j in the path is refused with 404 NOT_FOUND and what a lead ID is',
    async (leadId) => {
      expect(await refusal({ pathParameters: { leadId } })).toMatchObject({
        code: 'NOT_FOUND',
        message: 'The lead ID in the path must be an integer from 1 to 2147483647.',
      });
    },
  );

  test('a header given twice is read as HTTP joins it', async () => {
    const input = run({ multiValueHeaders: { 'idempotency-key': ['a', 'b'] } }, asha);
    expect(input).toMatchObject({ headers: { 'idempotency-key': 'a, b' } });
  });

  test('what an endpoint’s own defect is, is not taken for a refusal', async () => {
    const broken = {
      body: v.pipe(
        v.unknown(),
        v.transform(() => {
          throw new TypeError('a defect');
        }),
      ),
    };
    expect(() => run({}, {}, broken)).toThrow(TypeError);
  });
});
