import { describe, expect, test } from 'vitest';
import { rateLimitsIn, readRateLimits, requestsPerWindowMax } from '../../shared/rate-limits.ts';

describe('the hourly limits', () => {
  test("are the contract's where the environment sets none", () => {
    expect(readRateLimits({})).toEqual({
      requestsPerKeyPerWindow: 600,
      requestsPerOrganizationPerWindow: 3000,
    });
  });

  test('are those of the environment, each for itself', () => {
    expect(readRateLimits({ REQUESTS_PER_KEY_PER_HOUR: '50' })).toEqual({
      requestsPerKeyPerWindow: 50,
      requestsPerOrganizationPerWindow: 3000,
    });
    expect(
      readRateLimits({ REQUESTS_PER_ORGANIZATION_PER_HOUR: String(requestsPerWindowMax) }),
    ).toMatchObject({
      requestsPerOrganizationPerWindow: requestsPerWindowMax,
    });
  });

  test('that an environment does not set are unknown to an administrator', () => {
    expect(rateLimitsIn({})).toEqual({});
    expect(rateLimitsIn({ REQUESTS_PER_KEY_PER_HOUR: '50' })).toEqual({
      requestsPerKeyPerWindow: 50,
    });
    expect(() => rateLimitsIn({ REQUESTS_PER_KEY_PER_HOUR: '0' })).toThrow(
      'must be a whole number',
    );
  });

  test.each(['', '0', '-1', '1.5', '1e3', 'many', '360001', '99999999999'])(
    'a function with %j for one does not start, and names the variable',
    (text) => {
      expect(() => readRateLimits({ REQUESTS_PER_KEY_PER_HOUR: text })).toThrow(
        `REQUESTS_PER_KEY_PER_HOUR is '${text}': it must be a whole number from 1 to 360000.`,
      );
    },
  );
});
