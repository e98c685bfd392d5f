import { describe, expect, test } from 'vitest';
import { ApiError, apiErrors, type ErrorCode } from '../../../shared/contract/errors.ts';
import { errorResponse, loggedNames, refusedFields } from '../../../shared/middleware/response.ts';
import { document } from '../../support/described.ts';
import { sampleOrganization } from '../../support/settings.ts';
import { newCall } from './event.ts';
import { caller, keepLines, lines, logged } from './logged-lines.ts';

keepLines();

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
        stack: expect.stringContaining('respond-errors.test.ts'),
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
const forAnHour = { createdAt: daysAgo(0), expiresAt: Date.now() + 3_600_000 };
test.each<[string, object | undefined, object]>([
  ['is unknown', undefined, {}],
  [
    'has expired',
    { ...caller, expiresAt: Date.parse('2026-04-01T00:00:00Z') },
    { keyRefusal: 'expired', knownKeyRefused: 1 },
  ],
  [
    'was revoked six days ago',
    { ...caller, revokedAt: daysAgo(6) },
    { keyRefusal: 'revoked', knownKeyRefused: 1 },
  ],
  [
    'was revoked eight days ago, and stolen',
    { ...caller, revokedAt: daysAgo(8) },
    { keyRefusal: 'revoked' },
  ],
  [
    'was made for an hour, by npm run verify',
    { ...caller, ...forAnHour, revokedAt: daysAgo(0) },
    { keyRefusal: 'revoked' },
  ],
])('a key that %s is named and counted by reason, on every endpoint', async (_, who, line) => {
  const { body } = await errorResponse(
    newCall('get-lead', { caller: who as never }),
    new ApiError('UNAUTHORIZED'),
  );
  const { keyId, organizationId, keyRefusal, knownKeyRefused } = logged()[0] ?? {};
  expect({ keyId, organizationId, keyRefusal, knownKeyRefused }).toEqual({
    ...(who && { keyId: 'key-1', organizationId: 3 }),
    ...line,
  });
  expect(body).toBe(
    JSON.stringify({
      error: { code: 'UNAUTHORIZED', message: apiErrors.UNAUTHORIZED.sentence },
    }),
  );
});

test.each<[string, ErrorCode, object, object]>([
  ['a scope is missing', 'FORBIDDEN', {}, { knownKeyRefused: 1 }],
  ['a field is missing', 'VALIDATION_FAILED', { city: 'required' }, { capturesMismatched: 1 }],
  ['a field is gone', 'VALIDATION_FAILED', { course: 'unknown_field' }, { capturesMismatched: 1 }],
  [
    'a property is unknown and a value mistyped',
    'VALIDATION_FAILED',
    { phone: 'invalid_phone', nmae: 'unknown_property' },
    { capturesMismatched: 1 },
  ],
  [
    'a visitor mistyped values',
    'VALIDATION_FAILED',
    { phone: 'invalid_phone', email: 'invalid_email', age: 'invalid_number', name: 'too_long' },
    {},
  ],
  [
    'an idempotency key is reused',
    'VALIDATION_FAILED',
    { externalId: 'idempotency_key_reused' },
    {},
  ],
  ['the body is not JSON', 'INVALID_JSON', {}, {}],
  ['the hourly limit is reached', 'RATE_LIMITED', {}, {}],
])(
  'alarms on lasting refusals count a capture by reason: %s',
  async (_, code, reasons, counted) => {
    const details = { fields: {}, reasons };
    for (const who of [caller, { ...caller, ...forAnHour }, undefined])
      await errorResponse(
        newCall('capture-lead', { caller: who as never }),
        new ApiError(code, details),
      );
    const lasting = logged().map(({ knownKeyRefused, capturesMismatched }) => ({
      knownKeyRefused,
      capturesMismatched,
    }));
    expect(lasting).toEqual([counted, {}, {}]);
  },
);

const organization = sampleOrganization();
const details = (...names: string[]) => ({
  reasons: Object.fromEntries(names.map((name) => [name, 'required'])),
});

test('field keys of the organization and properties are named, what a caller made up is not', () => {
  const sent = details('phone', 'course', 'Asha Rao 98220', 'attribution.Asha', 'constructor');

  expect(refusedFields(sent, organization)).toEqual(['phone', 'course', 'attribution']);
});

test('before the organization is known only properties are named', () =>
  expect(refusedFields(details('phone', 'course'), undefined)).toEqual(['phone']));

test('an error without reasons names nothing', () => {
  expect(refusedFields(undefined, organization)).toEqual([]);
  expect(refusedFields({ leadId: 5, field: 'phone' }, organization)).toEqual([]);
});

test('every property of a request body may be named', () => {
  const schemas = document.components.schemas as Record<string, { properties?: object }>;
  const bodies = ['CaptureRequest', 'CreateLeadRequest', 'UpdateLeadRequest', 'NewNote'];
  const properties = bodies.flatMap((name) => Object.keys(schemas[name]?.properties ?? {}));

  expect(properties.filter((name) => !loggedNames.has(name))).toEqual([]);
});
