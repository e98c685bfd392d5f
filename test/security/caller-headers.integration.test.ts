import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { requestIdForm } from '../support/described.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { service } from '../support/service.ts';
import { send, sendRaw } from './raw-request.ts';

let organization: GivenOrganization;
beforeAll(async () => {
  organization = await givenOrganization();
});

const bearer = (key: string): string => `Bearer ${key}`;

describe('headers that speak for the caller', () => {
  test.each([
    ['X-HTTP-Method-Override', 'POST'],
    ['X-Original-URL', '/api/v1/leads'],
    ['X-Rewrite-URL', '/api/v1/leads'],
    ['X-Forwarded-Host', 'evil.example'],
    ['X-Forwarded-Prefix', '/evil'],
    ['X-Organization-Id', '2147483646'],
    ['X-Request-Id', 'chosen'],
  ])('the header %s changes nothing', async (name, value) => {
    const authorization = ['Authorization', bearer(organization.reader)] as const;
    const plain = await send({ headers: [authorization] });

    const { status, headers, text } = await sendRaw(service().baseUrl, {
      method: 'GET',
      target: '/api/v1/users',
      headers: [authorization, [name, value]],
    });

    expect([status, JSON.parse(text)]).toEqual([200, plain.body]);
    expect(JSON.stringify([...headers])).not.toContain(value);
  });

  test('callers choose the ID that API Gateway lets them choose, and not X-Request-Id', async () => {
    const answersTo = async (requestId: string, target: string): Promise<string[]> => {
      const { headers } = await sendRaw(service().baseUrl, {
        method: 'GET',
        target,
        headers: [['X-Amzn-RequestId', requestId]],
      });
      return ['x-amzn-requestid', 'x-request-id', 'x-amz-apigw-id'].map(
        (name) => headers.get(name) ?? '',
      );
    };

    for (const [target, chosen] of [
      ['/api/v1/users', randomUUID()],
      ['/api/v1/users', 'chosen-by-a-caller'],
      ['/api/v1/nothing-here', randomUUID()],
    ] as const) {
      const [overridden, requestId, gatewayId] = await answersTo(chosen, target);
      expect(overridden).toBe(chosen);
      expect(requestId).toMatch(requestIdForm);
      expect(gatewayId).toBe(requestId);
    }
  });
});
