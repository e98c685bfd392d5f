import { beforeEach, expect, test } from 'vitest';
import { RateLimiter } from '../../../shared/client/connection.ts';
import { virtualClock } from './virtual-clock.ts';

const headers = (remaining: number, resetSeconds = 600): Headers =>
  new Headers({
    'RateLimit-Limit': '600',
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
  });
const hour = 3_600_000;

beforeEach(() => {
  virtualClock();
});

test('requests are not delayed while more than a tenth of the window is left, or nothing is known', () => {
  const limiter = new RateLimiter();

  expect(limiter.reserve(hour)).toBe(0);
  limiter.observe(headers(61));
  expect([limiter.reserve(hour), limiter.reserve(hour)]).toEqual([0, 0]);
  limiter.observe(new Headers());
  expect(limiter.reserve(hour)).toBe(0);
});

test('the last requests of a window are spread over the rest of it, and requests in parallel take turns', () => {
  const limiter = new RateLimiter();
  limiter.reserve(hour);

  limiter.observe(headers(59)); // 600 s for 60 intervals

  expect([limiter.reserve(hour), limiter.reserve(hour), limiter.reserve(hour)]).toEqual([
    10_000, 20_000, 30_000,
  ]);
});

test('an exhausted window is waited out, and the next one starts without a delay', async () => {
  const limiter = new RateLimiter();
  limiter.reserve(hour);

  limiter.observe(headers(0));

  expect([limiter.reserve(hour), limiter.reserve(hour)]).toEqual([600_000, 600_000]);
  await virtualClock().advance(600_000);
  expect(limiter.reserve(hour)).toBe(0);
});

test('a wait that is too long is left to the service', () => {
  const limiter = new RateLimiter();
  limiter.reserve(hour);

  limiter.observe(headers(0));

  expect(limiter.reserve(60_000)).toBe(0);
});
