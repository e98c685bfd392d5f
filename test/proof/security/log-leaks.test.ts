import { expect, test } from 'vitest';
import { assertNoLeaks, leaksIn } from '../../support/log-leaks.ts';

const answered =
  '{"level":"INFO","message":"answered","requestId":"98111111-9811-4111-8111-119811111119","endpoint":"capture-lead","organizationId":2147483647,' +
  '"keyId":"YyWohhcWK6","status":201,"ms":60,"dynamodbCalls":5,"coldStart":1,"_aws":{"Timestamp":1795233914982}}';
const failed =
  '{"level":"ERROR","message":"failed","error":{"name":"TimeoutError","stack":"TimeoutError: @smithy/node-http-handler - a request\\n    at file:///app/node_modules/@smithy/node-http-handler/dist-cjs/index.js:89:45"}}';

test('the lines that the service writes contain nothing that logs must not contain', () => {
  expect(leaksIn(`${answered}\n${failed}\n`)).toEqual([]);
});

test.each([
  ['an API key', `leads_live_${'A'.repeat(10)}_${'b'.repeat(49)}`],
  ['a phone', '+919811111119'],
  ['a phone', '9800012345'],
  ['an email', 'zebediah@quillfeather.example'],
  ['a name', 'Person 12'],
])('%s is found in a line, and not repeated', (what, secret) => {
  const log = `${answered}\n${answered.replace('capture-lead', `capture-lead ${secret}`)}`;

  expect(leaksIn(log)).toEqual([expect.stringContaining(`${what} in the log`)]);
  expect(leaksIn(log).join()).not.toContain(secret);
  expect(() => assertNoLeaks(log)).toThrow(what);
});
