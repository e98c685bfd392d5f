import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { expect, test } from 'vitest';
import {
  type GatewayResponse,
  gatewayReply,
  gatewayResponses,
} from '../../../infra/gateway/responses.ts';

const rows = Object.entries<GatewayResponse>(gatewayResponses).map(([type, response]) => ({
  type,
  code: response.code,
  ...gatewayReply(response),
}));

test('every response type that API Gateway knows is set, so that none takes a default by accident', () => {
  const known = Object.values(ResponseType)
    .filter((value) => value instanceof ResponseType)
    .map(({ responseType }) => responseType);

  expect(Object.keys(gatewayResponses).sort()).toEqual(known.sort());
});

test.each(rows)(
  '$type has an error body of the contract, is never cached, and says when to retry a 429',
  ({ code, status, headers, body }) => {
    expect(JSON.parse(body)).toEqual({ error: { code, message: expect.stringMatching(/.\.$/) } });
    expect(body).not.toMatch(/[$#]/); // API Gateway would read them as part of a template
    expect(headers).toMatchObject({
      'Cache-Control': 'no-store',
      'Content-Type': 'application/json',
      ...(status === 429 && { 'Retry-After': expect.stringMatching(/^[1-9]\d*$/) }),
    });
    if (status !== 429) expect(headers).not.toHaveProperty('Retry-After');
  },
);

test.each([
  ['MISSING_AUTHENTICATION_TOKEN', 404, 'NOT_FOUND'],
  ['INVALID_SIGNATURE', 404, 'NOT_FOUND'],
  ['DEFAULT_4XX', 404, 'NOT_FOUND'],
  ['REQUEST_TOO_LARGE', 413, 'PAYLOAD_TOO_LARGE'],
  ['UNSUPPORTED_MEDIA_TYPE', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['WAF_FILTERED', 403, 'FORBIDDEN'],
  ['THROTTLED', 429, 'RATE_LIMITED'],
  ['QUOTA_EXCEEDED', 429, 'RATE_LIMITED'],
  ['INTEGRATION_FAILURE', 500, 'INTERNAL'],
  ['INTEGRATION_TIMEOUT', 500, 'INTERNAL'],
  ['DEFAULT_5XX', 500, 'INTERNAL'],
] as const)('%s is %i %s', (type, status, code) => {
  expect(rows.find((row) => row.type === type)).toMatchObject({ status, code });
});
