import { describe, expect, test } from 'vitest';
import { ApiError, apiErrors } from '../../../shared/contract/errors.ts';
import {
  errorResponse,
  refusedFields,
  replyResponse,
} from '../../../shared/middleware/response.ts';
import { sampleOrganization } from '../../support/settings.ts';
import { newCall } from './event.ts';
import { caller, keepLines, lines, logged } from './logged-lines.ts';

keepLines();

describe('an answer', () => {
  test('leaves one line in the log, with the caller and no part of the response', async () => {
    const startedAt = Date.now() - 60_000;
    const consumedCapacity = { calls: 2, readUnits: 0.5, writeUnits: 2 };
    await replyResponse(
      newCall('get-lead', { caller: caller as never, startedAt, consumedCapacity }),
      {
        status: 200,
        body: { lead: { name: 'Asha', phone: '+919876543210' } },
      },
    );
    expect(lines).toHaveLength(1);
    const { coldStart: _, ms, ...line } = logged()[0] ?? {}; // of the first call of this process
    expect(Number(ms)).toBeCloseTo(60_000, -4);
    expect(line).toEqual({
      level: 'INFO',
      message: 'answered',
      service: 'local',
      timestamp: expect.any(String),
      requestId: 'request-1',
      endpoint: 'get-lead',
      organizationId: 3,
      keyId: 'key-1',
      status: 200,
      dynamodbCalls: 2,
      readUnits: 0.5,
      writeUnits: 2,
    });
    expect(lines[0]).toMatch(/^[^\n]+\n$/);
  });
});

describe('a failure', () => {
  const person = { name: 'Asha Rao', phone: '+919876543210' };
  const cancelled = Object.assign(
    new Error('Transaction cancelled', {
      cause: Object.assign(new Error('cause'), { Item: person, config: person }),
    }),
    {
      name: 'TransactionCanceledException',
      CancellationReasons: [
        {
          Code: 'ConditionalCheckFailed',
          Item: { name: { S: 'Asha Rao' }, phone: { S: '+919876543210' } },
        },
      ],
      Item: person,
      $response: { body: person },
      body: JSON.stringify(person),
      $metadata: { requestId: 'dynamodb-1', attempts: 3, httpHeaders: person },
    },
  );

  const round = new Error('round');
  round.cause = round;

  test.each<[string, unknown]>([
    ['an error of the SDK', cancelled],
    ['an object', person],
    ['a text', 'Asha Rao +919876543210'],
    ['null', null],
    ['an error whose causes are a circle', round],
    [
      'an error that looks like a refusal',
      Object.assign(new Error('secret'), {
        code: 'FORBIDDEN',
        status: 403,
        details: { a: 1 },
        statusCode: 403,
      }),
    ],
  ])('%s is answered as INTERNAL, and the log has nothing of a person', async (_, error) => {
    const { statusCode, body, headers } = await errorResponse(newCall(), error);
    expect(statusCode).toBe(500);
    expect(JSON.parse(body)).toEqual({
      error: { code: 'INTERNAL', message: apiErrors.INTERNAL.sentence },
    });
    expect(headers).toMatchObject({ 'X-Request-Id': 'request-1' });
    expect(lines).toHaveLength(2);
    expect(lines.join('')).not.toMatch(/Asha|9876543210|CancellationReasons|"Item"|httpHeaders/);
  });

  test('is logged whole: name, message, stack, causes, and what support at AWS asks for', async () => {
    await errorResponse(newCall('capture-lead', { caller: caller as never }), cancelled);
    expect(logged()[0]).toMatchObject({
      level: 'ERROR',
      requestId: 'request-1',
      endpoint: 'capture-lead',
      keyId: 'key-1',
      organizationId: 3,
      error: {
        name: 'TransactionCanceledException',
        message: 'Transaction cancelled',
        dynamodbRequestId: 'dynamodb-1',
        attempts: 3,
        stack: expect.stringContaining('response.test.ts'),
        cause: { message: 'cause' },
      },
    });
    expect(logged()[1]).toMatchObject({ level: 'INFO', status: 500 });
  });

  test.each(['ThrottlingReasons', 'throttlingReasons'])(
    'of throttling is logged with resource and reason alone, from %s',
    async (name) => {
      const reason = {
        resource: 'arn:aws:dynamodb:ap-south-1:1:table/leads',
        reason: 'TableWriteMaxOnDemandThroughputExceeded',
      };
      const cause = Object.assign(new Error('too fast'), {
        [name]: [{ ...reason, item: '+919876543210' }],
      });
      await errorResponse(newCall(), new Error('throttled', { cause }));
      expect(logged()[0]?.error).toMatchObject({ cause: { throttling: [reason] } });
      expect(lines.join()).not.toContain('9876543210');
    },
  );
});

const dayMs = 86_400_000;
const daysAgo = (days: number): string => new Date(Date.now() - days * dayMs).toISOString();

test.each<[string, object | undefined, string | undefined]>([
  ['is unknown', undefined, undefined],
  ['has expired', { ...caller, expiresAt: Date.parse('2026-04-01T00:00:00Z') }, 'expired'],
  ['was revoked six days ago', { ...caller, revokedAt: daysAgo(6) }, 'revoked'],
])('a key that %s is named with the reason in the log, and only there', async (_, who, reason) => {
  const { body } = await errorResponse(
    newCall('get-lead', { caller: who as never }),
    new ApiError('UNAUTHORIZED'),
  );
  const { keyId, organizationId, keyRefusal } = logged()[0] ?? {};
  expect({ keyId, organizationId, keyRefusal }).toEqual({
    ...(who && { keyId: 'key-1', organizationId: 3 }),
    ...(reason && { keyRefusal: reason }),
  });
  expect(body).toBe(
    JSON.stringify({
      error: { code: 'UNAUTHORIZED', message: apiErrors.UNAUTHORIZED.sentence },
    }),
  );
});

const organization = sampleOrganization();
const properties = new Set(['name', 'phone', 'attribution']);
const details = (...names: string[]) => ({
  reasons: Object.fromEntries(names.map((name) => [name, 'required'])),
});

test('the organization’s field keys and properties are named, and names that a caller made up are not', () => {
  const sent = details('phone', 'course', 'Asha Rao 98220', 'attribution.Asha', 'constructor');

  const named = ['phone', 'course', 'attribution'];
  expect(refusedFields(sent, { properties, organization })).toEqual(named);
});

test('before the organization is known only properties are named', () =>
  expect(refusedFields(details('phone', 'course'), { properties })).toEqual(['phone']));

test('an error without reasons names nothing', () => {
  expect(refusedFields(undefined, { properties, organization })).toEqual([]);
  const duplicate = { leadId: 5, field: 'phone' };
  expect(refusedFields(duplicate, { properties, organization })).toEqual([]);
});
