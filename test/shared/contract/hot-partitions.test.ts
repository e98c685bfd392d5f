import { expect, test } from 'vitest';
import { limits } from '../../../shared/contract/limits.ts';
import { requestsPerWindowMax } from '../../../shared/contract/rate-limits.ts';

/**
 * No index partition is driven to the 1,000 writes a second that a partition takes. A write of a lead costs its own partition
 * (`LEADS#<organization>`) two units, being in a transaction; what it costs one index partition is at most two units as well, where its
 * entry moves within it (`UPDATED#<organization>`: one entry goes, one comes) and one elsewhere. So an index partition is never hotter than
 * the leads' own, which pushes back first, and a window's tokens are at most two units each: 3,000 an hour are 6,000 units, 1.7 a second on
 * average. Spent as fast as the leads' partition allows, 500 updates a second, they last six seconds, once an hour.
 */
test('an index partition gets far fewer than 1,000 writes a second at the highest limits that can be set', () => {
  const unitsPerWrite = 2;
  const seconds = limits.windowMs / 1000;

  expect((limits.requestsPerOrganizationPerWindow * unitsPerWrite) / seconds).toBeLessThan(
    1000 / 500,
  );
  expect((requestsPerWindowMax * unitsPerWrite) / seconds).toBeLessThanOrEqual(1000 / 5);
});
