import { describe, expect, test, vi } from 'vitest';
import { ApiError } from '../../../shared/errors.ts';
import { recordFailedOperation } from '../../../shared/failed-operation.ts';
import { errorResponse, replyResponse } from '../../../shared/middleware/respond.ts';
import { newCall } from './event.ts';
import { caller, keepLines, lines, logged } from './logged-lines.ts';

keepLines();

describe('an answer', () => {
  test('carries the headers of every response, those of the call and its own', async () => {
    const call = newCall('get-lead', { responseHeaders: { 'RateLimit-Limit': '600' } });
    const response = await replyResponse(call, {
      status: 201,
      body: { lead: { name: 'आशा 🎓' } },
      headers: { Location: '../leads/5' },
    });
    expect(response).toEqual({
      statusCode: 201,
      headers: {
        'Content-Type': 'application/json',
        'Cache-Control': 'no-store',
        'X-Request-Id': 'request-1',
        'RateLimit-Limit': '600',
        Location: '../leads/5',
      },
      body: '{"lead":{"name":"आशा 🎓"}}',
    });
  });

  test('leaves one line in the log, with the caller and nothing of the answer', async () => {
    const consumedCapacity = { calls: 2, readUnits: 0.5, writeUnits: 2 };
    await replyResponse(newCall('get-lead', { caller: caller as never, consumedCapacity }), {
      status: 200,
      body: { lead: { name: 'Asha', phone: '+919876543210' } },
    });
    expect(lines).toHaveLength(1);
    expect(logged()[0]).toEqual({
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
  const answered = async (caller: object) => {
    await replyResponse(newCall('get-lead', { caller: caller as never }), {
      status: 200,
      body: {},
    });
    return logged()[0];
  };

  test('says cold start once in the life of a function', async () => {
    vi.resetModules();
    const fresh = await import('../../../shared/middleware/respond.ts');
    for (let calls = 0; calls < 3; calls += 1)
      await fresh.replyResponse(newCall(), { status: 200, body: {} });
    expect(logged().map(({ coldStart }) => coldStart)).toEqual([1, undefined, undefined]);
  });

  test.each([
    ['NOT_READY', 'notReady'],
    ['IDEMPOTENCY_IN_PROGRESS', 'contended'],
    ['RATE_LIMITED', 'rateLimited'],
    ['UNAUTHORIZED', 'unauthorized'],
  ] as const)('names the code %s and counts it as %s', async (code, figure) => {
    await errorResponse(newCall(), new ApiError(code));
    expect(logged()[0]).toMatchObject({ code, [figure]: 1 });
  });

  test.each([
    ['UNAUTHORIZED', 'capturesUnauthorized'],
    ['FORBIDDEN', 'capturesUnauthorized'],
    ['INVALID_JSON', 'capturesInvalid'],
    ['VALIDATION_FAILED', 'capturesInvalid'],
    ['RATE_LIMITED', 'capturesRateLimited'],
    ['IDEMPOTENCY_IN_PROGRESS', undefined],
    ['NOT_FOUND', undefined],
  ] as const)('a capture that is refused with %s counts as %s', async (code, metric) => {
    await errorResponse(newCall('capture-lead'), new ApiError(code));
    await errorResponse(newCall('create-lead'), new ApiError(code));

    const captures = logged().map((line) =>
      Object.keys(line).filter((name) => name.startsWith('captures')),
    );
    expect(captures).toEqual([metric ? [metric] : [], []]);
  });

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

  test.each([
    [400, 'INVALID_JSON', 1],
    [429, 'RATE_LIMITED', 1],
    [500, 'INTERNAL', undefined],
    [503, 'NOT_READY', undefined],
  ] as const)('a %i is counted as refused, if the caller caused it: %s', async (_, code, count) => {
    await errorResponse(newCall(), new ApiError(code));
    expect(logged()[0]?.refused).toBe(count);
  });

  test.each([
    ['13 days', 13, 1],
    ['15 days', 15, undefined],
  ])('tells that the key expires when it has %s left: %s', async (_, days, expected) => {
    expect(
      (await answered({ ...caller, expiresAt: Date.now() + days * dayMs }))?.keyExpiresSoon,
    ).toBe(expected);
  });

  test('does not tell that a key expires which was made for an hour', async () => {
    const now = Date.now();
    const forAnHour = { createdAt: new Date(now).toISOString(), expiresAt: now + 3_600_000 };

    expect((await answered({ ...caller, ...forAnHour }))?.keyExpiresSoon).toBeUndefined();
  });
});

describe('a refusal', () => {
  test('keeps its details, keys that objects inherit too, and its own sentence', async () => {
    const fields = Object.fromEntries([
      ['__proto__', 'is unknown.'],
      ['name', 'is required.'],
    ]);
    const { body } = await errorResponse(
      newCall(),
      new ApiError('VALIDATION_FAILED', { fields }, 'name is required.'),
    );
    expect(body).toBe(
      '{"error":{"code":"VALIDATION_FAILED","message":"name is required.","details":{"fields":{"__proto__":"is unknown.","name":"is required."}}}}',
    );
  });
});
