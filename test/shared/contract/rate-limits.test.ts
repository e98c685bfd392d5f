import { describe, expect, test } from 'vitest';
import { rateLimitsIn, requestsPerWindowMax } from '../../../shared/contract/rate-limits.ts';

describe('the hourly limits', () => {
  test('come from the environment, each independently', () => {
    expect(rateLimitsIn({})).toEqual({});
    expect(rateLimitsIn({ REQUESTS_PER_KEY_PER_HOUR: '50' })).toEqual({
      requestsPerKeyPerWindow: 50,
    });
    expect(rateLimitsIn({ REQUESTS_PER_ORGANIZATION_PER_HOUR: '360000' })).toEqual({
      requestsPerOrganizationPerWindow: requestsPerWindowMax,
    });
  });

  test.each(['', '0', '1.5', '1e3', '360001', '99999999999'])(
    'a function with %j for one does not start, and names the variable',
    (text) => {
      expect(() => rateLimitsIn({ REQUESTS_PER_KEY_PER_HOUR: text })).toThrow(
        `REQUESTS_PER_KEY_PER_HOUR is '${text}': it must be a whole number from 1 to 360000.`,
      );
    },
  );
});
