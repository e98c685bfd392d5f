import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type DateFormat,
  dateFormats,
  lacksZone,
  writtenDate,
  writtenTime,
} from '../../../../infra/admin/files/written-times.ts';

const at = '2026-03-14T18:22:00Z';

test.each([
  ['2026-03-14 18:22:00', at],
  ['2026-03-14T18:22', at],
  ['2026-03-14 18:22:00.123', at],
  ['2026-03-14 18:22 UTC', at],
  ['2026-03-14T18:22:00+0000', at],
  ['2026-03-14 23:52 +05:30', at],
  ['2026-03-14 18:22:00+00', at],
  ['2026/03/14 11:52:00 PM GMT+5:30', at],
  ['2026/3/14 6:22 PM', at],
  ['14-Mar-2026 18:22', at],
  ['14 March 2026, 6:22 p.m.', at],
  ['14. März 2026 18:22', at],
  ['Sat, 14 Mar 2026 18:22:00 +0000', at],
  ['March 14, 2026 at 6:22 PM', at],
  ['14-Mar-2026', '2026-03-14T00:00:00Z'],
  ['14-mai-2026', '2026-05-14T00:00:00Z'],
  ['१४-Mar-2026', '2026-03-14T00:00:00Z'],
  ['2026-03-14 12:30 AM', '2026-03-14T00:30:00Z'],
  ['2026-03-14 12:30 PM', '2026-03-14T12:30:00Z'],
])('%s can be read in one way, as %s, and needs no form', (text, expected) => {
  expect(writtenTime(text, undefined)).toBe(expected);
  for (const format of dateFormats) expect(writtenTime(text, format)).toBe(expected);
});

test.each([
  '03/04/2026',
  '13/04/2026',
  '03-04-2026',
  '14.03.2026',
  '14-Mar-26',
  '14-Foo-2026',
  '31-Feb-2026',
  '2026-02-30',
  '2026-03-14 13:00 PM',
  '2026-03-14 0:30 AM',
  '2026-03-14 24:00',
  '2026-03-14 18:22 IST',
  '2026-03-14 18:22 +25:00',
  '2026-03',
  '20260314',
  '46095',
  'yesterday',
])('%s is not read without its form', (text) => {
  expect(writtenTime(text, undefined)).toBeUndefined();
});

test.each<[format: DateFormat, text: string]>([
  ['dd/mm/yyyy', '14/3/2026 6:22 pm'],
  ['mm/dd/yyyy', '3/14/2026 6:22 PM'],
  ['dd.mm.yyyy', '14.03.2026 18.22'],
  ['dd-mm-yyyy', '14-03-2026 18:22:00'],
  ['dd-mm-yyyy', '14-03-2026 23:52 GMT+0530'],
])('with %s, %s is read, and with the other forms it is not', (format, text) => {
  const reading = dateFormats.filter((one) => writtenTime(text, one) === at);

  expect(reading).toEqual([format]);
});

test('a time without a zone has the named zone, and is refused if its clocks skip or repeat it', () => {
  const berlin = (text: string) => writtenTime(text, undefined, 'Europe/Berlin');

  expect(writtenTime('2026-03-14 23:52', undefined, 'Asia/Kolkata')).toBe(at);
  expect(writtenTime('2026-03-14 18:22 UTC', undefined, 'Asia/Kolkata')).toBe(at);
  expect(berlin('2026-07-05 02:30')).toBe('2026-07-05T00:30:00Z');
  expect([berlin('2026-03-29 02:30'), berlin('2026-10-25 02:30')]).toEqual([undefined, undefined]);
  expect(
    ['2026-03-14', '2026-03-14 18:22', '2026-03-14T18:22Z'].map((text) =>
      lacksZone(text, undefined),
    ),
  ).toEqual([true, true, false]);
});

test('a date may have midnight as its time, and no other time', () => {
  expect(writtenDate('2026-03-14 00:00:00', undefined)).toBe('2026-03-14');
  expect(writtenDate('14-03-2026', 'dd-mm-yyyy')).toBe('2026-03-14');
  expect(writtenDate('2026-03-14 00:00:01', undefined)).toBeUndefined();
});

test('no date of the year is read as two moments, in any written form', () => {
  const days = fc.date({
    min: new Date('1950-01-01'),
    max: new Date('2050-12-31'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(days, fc.constantFrom(...dateFormats), (day, format) => {
      const iso = day.toISOString().slice(0, 10);
      const [year = '', month = '', date = ''] = iso.split('-');
      const text = format.replace('yyyy', year).replace('mm', month).replace('dd', date);

      expect(writtenDate(text, format)).toBe(iso);
    }),
  );
});
