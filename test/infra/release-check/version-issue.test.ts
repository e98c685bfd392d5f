import { describe, expect, test } from 'vitest';
import { unknownKeyEvent, versionIssue } from '../../../infra/release-check/version-issue.ts';
import { endpoints } from '../../../shared/endpoints.ts';
import { errorBody } from '../../../shared/errors.ts';
import { parseApiKey } from '../../../shared/organization/api-key.ts';

const reply = (statusCode: number, body: object, headers: object = { 'X-Request-Id': 'one' }) =>
  JSON.stringify({ statusCode, headers, body: JSON.stringify(body) });

test('the contract’s 401 is no issue', () => {
  expect(versionIssue(reply(401, errorBody('UNAUTHORIZED')))).toBeUndefined();
});

describe('a version may not be released when it', () => {
  test.each([
    ['fails', reply(500, errorBody('INTERNAL')), 'answered 500 INTERNAL to an unknown API key'],
    ['lets the key in', reply(200, { items: [] }), 'answered 200 undefined'],
    ['refuses with another body', reply(401, { message: 'no' }), 'answered 401 undefined'],
    ['sends no request ID', reply(401, errorBody('UNAUTHORIZED'), {}), 'without the header'],
    ['returns nothing', '', 'returned no response: '],
    ['throws', '{"errorMessage":"Cannot find module"}', 'returned no response: {"errorMessage"'],
  ])('%s', (_, payload, issue) => {
    expect(versionIssue(payload)).toContain(issue);
  });
});

test.each(endpoints)('the event for $name is its request with a key of the right form', (row) => {
  const { httpMethod, resource, headers, requestContext } = unknownKeyEvent(row.name, 'request');

  expect([httpMethod, resource, requestContext.requestId]).toEqual([
    row.method,
    row.path,
    'request',
  ]);
  expect(parseApiKey(headers.Authorization?.replace('Bearer ', '') ?? '')).toBeDefined();
});
