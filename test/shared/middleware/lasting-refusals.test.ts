import { expect, test } from 'vitest';
import { ApiError, apiErrors, type ErrorCode } from '../../../shared/errors.ts';
import { errorResponse } from '../../../shared/middleware/respond.ts';
import { newCall } from './event.ts';
import { caller, keepLines, logged } from './logged-lines.ts';

keepLines();

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
    'was revoked eight days ago, and belongs to a thief by now',
    { ...caller, revokedAt: daysAgo(8) },
    { keyRefusal: 'revoked' },
  ],
  [
    'was made for an hour, as by npm run verify',
    { ...caller, ...forAnHour, revokedAt: daysAgo(0) },
    { keyRefusal: 'revoked' },
  ],
])(
  'a key that %s is named with the reason and counted, on every endpoint',
  async (_, who, line) => {
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
  },
);

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
  'a capture is counted for the alarms on lasting refusals by its reasons: %s',
  async (_, code, reasons, counted) => {
    const details = { fields: {}, reasons };
    for (const who of [caller, { ...caller, ...forAnHour }, undefined])
      await errorResponse(
        newCall('capture-lead', { caller: who as never }),
        new ApiError(code, details),
      );
    const lasting = logged().map((line) =>
      Object.fromEntries(
        Object.entries(line).filter(([name]) =>
          /^(knownKeyRefused|capturesMismatched)$/.test(name),
        ),
      ),
    );
    expect(lasting).toEqual([counted, {}, {}]);
  },
);
