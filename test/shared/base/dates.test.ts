import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDateTime } from '../../../shared/base/dates.ts';

describe('a date-time', () => {
  test.each([
    ['2026-01-31T09:30:00+05:30', '2026-01-31T04:00:00.000Z'],
    ['2026-01-31T09:30:00-08:00', '2026-01-31T17:30:00.000Z'],
    ['2026-01-31t09:30:00z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:00.123999999Z', '2026-01-31T09:30:00.123Z'],
    ['2026-01-31T09:30:00.5Z', '2026-01-31T09:30:00.500Z'],
    ['2026-12-31T23:59:59.9999Z', '2026-12-31T23:59:59.999Z'],
  ])('%s is %s', (text, moment) => {
    expect(new Date(parseDateTime(text) as number).toISOString()).toBe(moment);
  });

  test.each([
    '2026-01-31',
    '2026-01-31T09:30:00',
    '2026-01-31 09:30:00Z',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T23:60:00Z',
    '2026-01-31T23:59:60Z',
    '2026-01-31T09:30:00+24:00',
    '2026-01-31T09:30:00+05:60',
    '2026-01-31T09:30:00 05:30',
    '0000-01-01T00:00:00Z',
  ])('%s is not a date-time', (text) => {
    expect(parseDateTime(text)).toBeUndefined();
  });

  test('a date that Date prints is read as the same moment', () => {
    fc.assert(
      fc.property(
        fc.date({
          min: new Date('0001-01-01T00:00:00Z'),
          max: new Date('9999-12-31T23:59:59.999Z'),
          noInvalidDate: true,
        }),
        (date) => {
          expect(parseDateTime(date.toISOString())).toBe(date.getTime());
        },
      ),
    );
  });
});
