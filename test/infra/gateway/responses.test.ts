import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { describe, expect, test } from 'vitest';
import {
  type GatewayResponse,
  gatewayResponseBody,
  gatewayResponseHeaders,
  gatewayResponses,
} from '../../../infra/gateway/responses.ts';
import { apiErrors } from '../../../shared/errors.ts';

const rows = Object.entries<GatewayResponse>(gatewayResponses).map(([type, response]) => ({
  type,
  response,
}));

test('every response type that API Gateway knows is set, so that none takes a default by accident', () => {
  const known = Object.values(ResponseType)
    .filter((value) => value instanceof ResponseType)
    .map(({ responseType }) => responseType);

  expect(Object.keys(gatewayResponses).sort()).toEqual(known.sort());
});

describe.each(rows)('$type', ({ type, response }) => {
  test(`${type} has the status of its contract code`, () => {
    expect(response.status).toBe(apiErrors[response.code].status);
  });

  test(`${type} has the error body of the contract`, () => {
    expect(JSON.parse(gatewayResponseBody(response))).toEqual({
      error: { code: response.code, message: expect.stringMatching(/.\.$/) },
    });
  });

  test(`${type} has no character that API Gateway would read as part of a template`, () => {
    expect(gatewayResponseBody(response)).not.toMatch(/[$#]/);
  });

  test(`${type} is never cached`, () => {
    expect(gatewayResponseHeaders(response)).toMatchObject({
      'Cache-Control': 'no-store',
      'Content-Type': 'application/json',
    });
  });

  test(`${type} says when to retry exactly if it is a 429`, () => {
    const retryAfter = gatewayResponseHeaders(response)['Retry-After'];

    if (response.status === 429) expect(retryAfter).toMatch(/^[1-9]\d*$/);
    else expect(retryAfter).toBeUndefined();
  });
});

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
  expect(gatewayResponses[type]).toMatchObject({ status, code });
});
