import { expect, test } from 'vitest';
import { comparison } from './comparison.ts';

const before = {
  counts: { 'get: read units': 1, 'note: write units, table': 6, 'only before: calls': 2 },
};

test('a benchmark run with more read units than an earlier run is reported as more', () => {
  const { text, hasMore } = comparison(before, {
    counts: { ...before.counts, 'get: read units': 2 },
  });

  expect(hasMore).toBe(true);
  expect(text).toContain('| get: read units | 1 | 2 | × 2.00 | MORE |');
});

test('a benchmark run with fewer units than an earlier run is not reported as more', () => {
  const { text, hasMore } = comparison(before, {
    counts: { 'get: read units': 1, 'note: write units, table': 4 },
  });

  expect(hasMore).toBe(false);
  expect(text).toContain('Counts: 2 compared, 1 different');
});
