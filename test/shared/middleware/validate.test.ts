import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { body, headers } from '../../../functions/capture-lead.ts';
import { query as listQuery } from '../../../functions/list-leads.ts';
import { ApiError } from '../../../shared/errors.ts';
import { leadIdPath } from '../../../shared/middleware/schemas.ts';
import { parseInput, type Schemas } from '../../../shared/middleware/validate.ts';
import { type EventParts, requestEvent } from './event.ts';

const schemas = { path: leadIdPath, headers, query: listQuery, body };
const asha = { name: 'Asha', phone: '98765 43210' };
const run = (parts: EventParts, jsonBody: unknown = asha, of: Schemas = schemas) =>
  parseInput(of, requestEvent({ pathParameters: { leadId: '5' }, ...parts }), jsonBody);

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
    expect(run(parts, asha, others)).not.toBeInstanceOf(ApiError);
  });

  test.each(['x', '%zz'])(
    'refuses the lead ID %j in the path with 404 NOT_FOUND and what a lead ID is',
    (leadId) => {
      expect(run({ pathParameters: { leadId } })).toMatchObject({
        code: 'NOT_FOUND',
        message: 'The lead ID in the path must be an integer from 1 to 2147483647.',
      });
    },
  );

  test('reads a header that is given twice as HTTP joins it', () => {
    const input = run({ multiValueHeaders: { 'idempotency-key': ['a', 'b'] } });
    expect(input).toMatchObject({ headers: { 'idempotency-key': 'a, b' } });
  });

  test('does not report a defect of an endpoint as a refusal', () => {
    const defect = (): never => {
      throw new TypeError('a defect');
    };
    const broken = { body: v.pipe(v.unknown(), v.transform(defect)) };
    expect(() => run({}, {}, broken)).toThrow(TypeError);
  });
});
