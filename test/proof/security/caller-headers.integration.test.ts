import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { call } from '../../support/call.ts';
import { requestIdForm } from '../../support/described.ts';
import { useOrganization } from '../../support/organizations.ts';
import { service } from '../../support/service.ts';

const organization = useOrganization();

test('headers that speak for the caller change nothing', async () => {
  const { reader: apiKey } = organization;
  const claims = {
    'X-HTTP-Method-Override': 'POST',
    'X-Original-URL': '/api/v1/leads',
    'X-Rewrite-URL': '/api/v1/leads',
    'X-Forwarded-Host': 'evil.example',
    'X-Forwarded-Prefix': '/evil',
    'X-Organization-Id': '2147483646',
    'X-Request-Id': 'chosen',
  };
  const plain = await call('list-users', { apiKey });

  for (const [name, value] of Object.entries(claims)) {
    const { status, headers, body } = await call('list-users', {
      apiKey,
      headers: { [name]: value },
    });
    expect([status, body], name).toEqual([200, plain.body]);
    expect(JSON.stringify([...headers]), name).not.toContain(value);
  }
});

test.each([
  ['/api/v1/users', randomUUID()],
  ['/api/v1/users', 'chosen-by-a-caller'],
  ['/api/v1/nothing-here', randomUUID()],
])('X-Amzn-RequestId is the caller’s choice: %s %s', async (path, chosen) => {
  const { headers } = await fetch(service().baseUrl + path, {
    headers: { 'X-Amzn-RequestId': chosen },
  });

  expect(headers.get('x-amzn-requestid')).toBe(chosen);
  expect(headers.get('x-request-id')).toMatch(requestIdForm);
  expect(headers.get('x-amz-apigw-id')).toBe(headers.get('x-request-id'));
});
