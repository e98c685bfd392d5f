import { expect, test } from 'vitest';
import { usageIssues } from '../../../../shared/store/check/item-issues.ts';

const now = Date.UTC(2026, 0, 31, 9, 30);
const current = now + 60_000;
const over =
  'Organization 1 has used 101 requests of its window, more than the limit in force, 100: if the limit was lowered in the last hour, check again after 2026-01-31T09:31:00.000Z.';
const overAny =
  'Organization 1 has used 360001 requests of a window; no deployment may allow more than 360000.';

test.each<[string, { used: unknown; windowEndsAt: unknown }, number | undefined, string[]]>([
  ['at the limit in force is sound', { used: 100, windowEndsAt: current }, 100, []],
  [
    'over the limit in force is an issue that names it',
    { used: 101, windowEndsAt: current },
    100,
    [over],
  ],
  [
    'of a window that has ended may have had a higher limit',
    { used: 101, windowEndsAt: now },
    100,
    [],
  ],
  [
    'is compared with the highest limit when that in force is unknown',
    { used: 360_000, windowEndsAt: current },
    undefined,
    [],
  ],
  [
    'over the highest limit is an issue',
    { used: 360_001, windowEndsAt: current },
    undefined,
    [overAny],
  ],
  [
    'over the highest limit is an issue of an ended window too',
    { used: 360_001, windowEndsAt: now },
    100,
    [overAny],
  ],
  [
    'that is not a number is the issue of another rule',
    { used: 'many', windowEndsAt: current },
    100,
    [],
  ],
])('usage %s', (_, bucket, limit, issues) => {
  expect([...usageIssues('Organization 1', bucket, limit, now)]).toEqual(issues);
});
