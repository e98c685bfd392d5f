import { expect, test } from 'vitest';
import { limits } from '../../shared/limits.ts';
import { requestsPerWindowMax } from '../../shared/rate-limits.ts';
import { arrivingCall } from '../support/faults/calls.ts';
import { type Fault, type FaultRule, faultSchedule } from '../support/faults/rules.ts';

const transaction = {
  TransactItems: [{ Put: { Item: { pk: { S: 'LEADS#1' }, sk: { S: '0000000001' } } } }],
};
const calls = Array.from({ length: 500 }, (_, position) =>
  arrivingCall('TransactWriteItems', transaction, position),
);
const faultsBy = (rule: FaultRule): string[] =>
  calls.map((call) => JSON.stringify(rule(call) ?? null));

test('a schedule with the same seed lets the same calls fail in the same ways', () => {
  expect(faultsBy(faultSchedule(7, 0.3))).toEqual(faultsBy(faultSchedule(7, 0.3)));
  expect(faultsBy(faultSchedule(7, 0.3))).not.toEqual(faultsBy(faultSchedule(8, 0.3)));
});

test('a schedule lets about the share of calls fail that it was told, in every way such a call can', () => {
  const rule = faultSchedule(1, 0.3);

  const faults = calls
    .map((call) => rule(call))
    .filter((fault): fault is Fault => fault !== undefined);

  expect(faults.length).toBeGreaterThan(0.2 * calls.length);
  expect(faults.length).toBeLessThan(0.4 * calls.length);
  expect(new Set(faults.map((fault) => ('name' in fault ? fault.name : fault.kind)))).toEqual(
    new Set([
      'delay',
      'cut',
      'silence',
      'stall',
      'ThrottlingException',
      'ProvisionedThroughputExceededException',
      'InternalServerError',
      'TransactionCanceledException',
      'TransactionInProgressException',
    ]),
  );
});

/**
 * No index partition is driven to the 1,000 writes a second that a partition takes. Each write of a lead costs its own partition
 * (`LEADS#<organization>`) two units, being in a transaction; what it costs one index partition is at most two units as well, where its
 * entry moves within it (`UPDATED#<organization>`: one entry goes, one comes) and one elsewhere. So an index partition is never hotter than the
 * leads' own, which pushes back first, and a window's tokens are at most two units each: 3,000 an hour are 6,000 units, 1.7 a second on
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
