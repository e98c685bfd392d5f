import { describe, expect, test, vi } from 'vitest';
import { ApiError, type ErrorCode } from '../../../shared/contract/errors.ts';
import { recordFailedOperation } from '../../../shared/observability/failed-operation.ts';
import type { MetricName } from '../../../shared/observability/metrics.ts';
import {
  type AnsweredRequest,
  requestMetrics,
} from '../../../shared/observability/request-metrics.ts';

const request: AnsweredRequest = {
  endpoint: 'capture-lead',
  key: undefined,
  consumedCapacity: { calls: 2, readUnits: 0.5, writeUnits: 2 },
  status: 200,
};
requestMetrics(request, Date.now()); // the cold start

/** The metrics of an answer, without those that every answer has. */
const metricsOf = (more: Partial<AnsweredRequest>): string[] => {
  const metrics = requestMetrics({ ...request, ...more }, Date.now());
  return Object.keys(metrics).slice(3);
};
const refusedWith = (error: ApiError, more: Partial<AnsweredRequest> = {}): string[] => {
  const { code, status, details } = error;
  return metricsOf({ code, status, details, error, ...more });
};

test('every response counts its calls and units', () => {
  const every = { dynamodbCalls: 2, readUnits: 0.5, writeUnits: 2 };
  expect(requestMetrics(request, Date.now())).toEqual(every);
});

test('a cold start is counted once in the life of a function', async () => {
  vi.resetModules();
  const fresh = await import('../../../shared/observability/request-metrics.ts');
  const starts = [1, 2, 3].map(() => fresh.requestMetrics(request, Date.now()).coldStart);
  expect(starts).toEqual([1, undefined, undefined]);
});

describe('a refusal', () => {
  test.each<[ErrorCode, ...metrics: MetricName[]]>([
    ['NOT_READY', 'notReady'],
    ['IDEMPOTENCY_IN_PROGRESS', 'refused', 'contended'],
    ['NOT_FOUND', 'refused'],
    ['INTERNAL', 'failed'],
    ['RATE_LIMITED', 'refused', 'rateLimited', 'capturesRateLimited'],
    ['UNAUTHORIZED', 'refused', 'unauthorized', 'capturesUnauthorized'],
    ['FORBIDDEN', 'refused', 'capturesUnauthorized'],
    ['INVALID_JSON', 'refused', 'capturesInvalid'],
    ['PAYLOAD_TOO_LARGE', 'refused', 'capturesInvalid'],
    ['UNSUPPORTED_MEDIA_TYPE', 'refused', 'capturesInvalid'],
    ['VALIDATION_FAILED', 'refused', 'capturesInvalid'],
  ])(
    'with the code %s counts its metrics, those of captures only for a capture',
    (code, ...metrics) => {
      expect(refusedWith(new ApiError(code))).toEqual(metrics);
      expect(refusedWith(new ApiError(code), { endpoint: 'create-lead' })).toEqual(
        metrics.filter((name) => !name.startsWith('captures')),
      );
    },
  );
});

describe('a call that fails', () => {
  const named = (name: string, more: object = {}): Error =>
    Object.assign(new Error(name), { name, ...more });
  const cancelledBy = (Code: string): Error =>
    named('TransactionCanceledException', {
      CancellationReasons: [{ Code: 'None' }, { Code }],
      $metadata: { httpStatusCode: 400 },
    });
  const ofDynamodb = (error: Error): Error => {
    recordFailedOperation(error, 'UpdateItem');
    return error;
  };
  test.each<[string, unknown, string | undefined]>([
    ['contention', named('ContentionError'), 'contended'],
    ['throttling', ofDynamodb(named('ThrottlingException')), 'tableThrottled'],
    [
      'an index that throttles',
      new Error('', { cause: cancelledBy('ThrottlingError') }),
      'tableThrottled',
    ],
    [
      'an outage',
      ofDynamodb(named('InternalServerError', { $metadata: { httpStatusCode: 500 } })),
      'tableFailed',
    ],
    [
      'silence',
      new Error('', { cause: ofDynamodb(named('TimeoutError', { $metadata: {} })) }),
      'tableFailed',
    ],
    [
      'a missing permission',
      ofDynamodb(named('AccessDeniedException', { $metadata: { httpStatusCode: 400 } })),
      undefined,
    ],
    ['a full item', ofDynamodb(cancelledBy('ValidationError')), undefined],
    ['a defect', new TypeError('defect'), undefined],
    ['a text', 'a text', undefined],
  ])('for %s is counted for the alarms on the table', (_, error, metric) => {
    const counted = metricsOf({ status: 500, code: 'INTERNAL', error });
    expect(counted).toEqual(['failed', ...(metric ? [metric] : [])]);
  });
});

const dayMs = 86_400_000;
const daysAgo = (days: number): string => new Date(Date.now() - days * dayMs).toISOString();
const now = Date.now();
const key = { createdAt: '2026-01-01T00:00:00.000Z', expiresAt: Number.POSITIVE_INFINITY };
const forAnHour = { createdAt: daysAgo(0), expiresAt: now + 3_600_000 };

test.each<[string, object, string[]]>([
  ['has 13 days left', { expiresAt: now + 13 * dayMs }, ['keyExpiresSoon']],
  ['has 15 days left', { expiresAt: now + 15 * dayMs }, []],
  ['was made for an hour', forAnHour, []],
])('an answer says whether the key expires soon when it %s', (_, more, expected) => {
  expect(metricsOf({ endpoint: 'get-lead', key: { ...key, ...more } })).toEqual(expected);
  expect(metricsOf({ key: { ...key, ...more }, status: 409 })).toEqual(['refused']);
});

test.each<[string, AnsweredRequest['key'], boolean]>([
  ['is unknown', undefined, false],
  ['has expired', { ...key, expiresAt: Date.parse('2026-04-01T00:00:00Z') }, true],
  ['was revoked six days ago', { ...key, revokedAt: daysAgo(6) }, true],
  ['was revoked eight days ago, and stolen', { ...key, revokedAt: daysAgo(8) }, false],
  ['was made for an hour, by npm run verify', { ...forAnHour, revokedAt: daysAgo(0) }, false],
])(
  'a refused key that %s is counted as known by its state, on every endpoint',
  (_, of, isKnown) => {
    const counted = refusedWith(new ApiError('UNAUTHORIZED'), { endpoint: 'get-lead', key: of });
    expect(counted.includes('knownKeyRefused')).toBe(isKnown);
  },
);

test.each<[string, ErrorCode, object, string[]]>([
  ['a scope is missing', 'FORBIDDEN', {}, ['knownKeyRefused']],
  ['a field is missing', 'VALIDATION_FAILED', { city: 'required' }, ['capturesMismatched']],
  ['a field is gone', 'VALIDATION_FAILED', { course: 'unknown_field' }, ['capturesMismatched']],
  [
    'a property is unknown and a value mistyped',
    'VALIDATION_FAILED',
    { phone: 'invalid_phone', nmae: 'unknown_property' },
    ['capturesMismatched'],
  ],
  [
    'a visitor mistyped values',
    'VALIDATION_FAILED',
    { phone: 'invalid_phone', email: 'invalid_email', age: 'invalid_number', name: 'too_long' },
    [],
  ],
  [
    'an idempotency key is reused',
    'VALIDATION_FAILED',
    { externalId: 'idempotency_key_reused' },
    [],
  ],
  ['the body is not JSON', 'INVALID_JSON', {}, []],
  ['the hourly limit is reached', 'RATE_LIMITED', {}, []],
])('alarms on lasting refusals count a capture by reason: %s', (_, code, reasons, expected) => {
  const lasting = [key, { ...key, ...forAnHour }, undefined].map((of) =>
    refusedWith(new ApiError(code, { fields: {}, reasons }), { key: of }).filter((name) =>
      /^(knownKeyRefused|capturesMismatched)$/.test(name),
    ),
  );
  expect(lasting).toEqual([expected, [], []]);
});
