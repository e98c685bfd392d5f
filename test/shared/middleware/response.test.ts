import { describe, expect, test, vi } from 'vitest';
import { ApiError, type ErrorCode } from '../../../shared/contract/errors.ts';
import { errorResponse, replyResponse } from '../../../shared/middleware/response.ts';
import { recordFailedOperation } from '../../../shared/observability/failed-operation.ts';
import { type MetricName, metricNames } from '../../../shared/observability/metrics.ts';
import { newCall } from './event.ts';
import { caller, keepLines, lines, logged } from './logged-lines.ts';

keepLines();

describe('an answer', () => {
  test('leaves one line in the log, with the caller and nothing of the answer', async () => {
    const consumedCapacity = { calls: 2, readUnits: 0.5, writeUnits: 2 };
    await replyResponse(newCall('get-lead', { caller: caller as never, consumedCapacity }), {
      status: 200,
      body: { lead: { name: 'Asha', phone: '+919876543210' } },
    });
    expect(lines).toHaveLength(1);
    const { coldStart: _, ...line } = logged()[0] ?? {}; // of the first call of this process
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
      ms: expect.any(Number),
      dynamodbCalls: 2,
      readUnits: 0.5,
      writeUnits: 2,
    });
    expect(lines[0]).toMatch(/^[^\n]+\n$/);
  });
});

describe('the line of a call', () => {
  const dayMs = 86_400_000;

  test('says cold start once in the life of a function', async () => {
    vi.resetModules();
    const fresh = await import('../../../shared/middleware/response.ts');
    for (let calls = 0; calls < 3; calls += 1)
      await fresh.replyResponse(newCall(), { status: 200, body: {} });
    expect(logged().map(({ coldStart }) => coldStart)).toEqual([1, undefined, undefined]);
  });

  /** What a line counts, without cold starts. */
  const metricsOn = (line: Record<string, unknown> = {}): string[] =>
    metricNames.filter((name) => line[name] === 1 && name !== 'coldStart');

  test.each<[ErrorCode, ...metrics: MetricName[]]>([
    ['NOT_READY', 'notReady'],
    ['IDEMPOTENCY_IN_PROGRESS', 'contended', 'refused'],
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
    'names the code %s and counts its metrics, those of captures only for a capture',
    async (code, ...metrics) => {
      await errorResponse(newCall('capture-lead'), new ApiError(code));
      await errorResponse(newCall('create-lead'), new ApiError(code));

      expect(logged()).toMatchObject([{ code }, { code }]);
      expect(logged().map(metricsOn)).toEqual([
        metrics,
        metrics.filter((name) => !name.startsWith('captures')),
      ]);
    },
  );

  test('counts a failure once, on the line of the answer', async () => {
    await errorResponse(newCall(), new Error('defect'));
    expect(logged().map(({ failed }) => failed)).toEqual([undefined, 1]);
  });

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
  ])(
    'a call that fails for %s is counted for the alarms on the table',
    async (_, error, metric) => {
      await errorResponse(newCall(), error);

      const counted = Object.keys(logged()[1] ?? {}).filter((name) =>
        /^(table|contended)/.test(name),
      );
      expect(counted).toEqual(metric ? [metric] : []);
    },
  );

  const now = Date.now();
  test.each<[string, object, number | undefined]>([
    ['has 13 days left', { expiresAt: now + 13 * dayMs }, 1],
    ['has 15 days left', { expiresAt: now + 15 * dayMs }, undefined],
    [
      'was made for an hour',
      { createdAt: new Date(now).toISOString(), expiresAt: now + 3_600_000 },
      undefined,
    ],
  ])('says whether the key expires soon when it %s', async (_, more, expected) => {
    await replyResponse(newCall('get-lead', { caller: { ...caller, ...more } as never }), {
      status: 200,
      body: {},
    });
    expect(logged()[0]?.keyExpiresSoon).toBe(expected);
  });
});
