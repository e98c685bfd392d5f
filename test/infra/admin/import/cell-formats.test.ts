import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  cellReader,
  type DateFormat,
  type DecimalMark,
  hasTwoReadings,
  hintFor,
  writtenNumber,
  writtenTime,
} from '../../../../infra/admin/import/cell-formats.ts';
import { targetNamed } from '../../../../shared/leads/transfer/import-columns.ts';
import { sampleOrganization } from '../../../support/settings.ts';

test.each<[string, DateFormat, string | undefined]>([
  ['21.11.2026', 'dd.mm.yyyy', '2026-11-21T00:00:00Z'],
  [' 1.3.2026 ', 'dd.mm.yyyy', '2026-03-01T00:00:00Z'],
  ['21.11.2026 14:30', 'dd.mm.yyyy', '2026-11-21T14:30:00Z'],
  ['21/11/2026 9:05:07', 'dd/mm/yyyy', '2026-11-21T09:05:07Z'],
  ['11/21/2026 2:30 PM', 'mm/dd/yyyy', '2026-11-21T14:30:00Z'],
  ['11/21/2026 12:30 am', 'mm/dd/yyyy', '2026-11-21T00:30:00Z'],
  ['11/21/2026 13:30 pm', 'mm/dd/yyyy', undefined],
  ['2026-11-21', 'yyyy-mm-dd', '2026-11-21T00:00:00Z'],
  ['31.02.2026', 'dd.mm.yyyy', undefined],
  ['21/11/2026', 'mm/dd/yyyy', undefined],
  ['21.11.26', 'dd.mm.yyyy', undefined],
  ['21/11/2026', 'dd.mm.yyyy', undefined],
  ['21.11.2026 24:00', 'dd.mm.yyyy', undefined],
])('%j as %s is %s', (text, format, expected) => {
  expect(writtenTime(text, format)).toBe(expected);
});

const dates = (formats: string) => ` Add --dates ${formats}.`;
const eitherDate = dates('dd/mm/yyyy, or --dates mm/dd/yyyy if the month comes first');
const eitherMark = ' Add --decimal comma, or --decimal point if the point marks decimals.';
test.each([
  ['start_on', '03/04/2026', eitherDate],
  ['start_on', '21/04/2026', dates('dd/mm/yyyy')],
  ['start_on', '21.04.2026', dates('dd.mm.yyyy')],
  ['start_on', '04.21.2026', ''],
  ['start_on', '2026-04-31', ''],
  ['start_on', '21.04.2026 14:30', ''],
  ['created at', '21.04.2026 14:30', dates('dd.mm.yyyy')],
  ['budget', '12.500', eitherMark],
  ['budget', '1.250.000', ' Add --decimal comma.'],
  ['budget', '1,250.5', ' Add --decimal point.'],
  ['budget', '1250.5', ''],
  ['budget', 'a lot', ''],
  ['wants_call', 'ja', " Add --value 'Spalte:TEXT=VALUE' to read TEXT as VALUE."],
  ['course', 'mba1', " Add --value 'Spalte:TEXT=VALUE' to read TEXT as VALUE."],
  ['stage', 'Neu', " Add --value 'Spalte:TEXT=VALUE' to read TEXT as VALUE."],
  ['city', 'x', ''],
  ['lead id', 'x', ''],
])('the refusal of %s with %j ends in the hint %j', (name, text, hint) => {
  const organization = sampleOrganization();

  expect(hintFor(organization, targetNamed(organization, name), 'Spalte', text)).toBe(hint);
});

test('a hint quotes a heading for the shell', () => {
  const organization = sampleOrganization();

  expect(hintFor(organization, targetNamed(organization, 'course'), "L'école", 'x')).toBe(
    " Add --value 'L'\\''école:TEXT=VALUE' to read TEXT as VALUE.",
  );
});

test.each([
  ['12.500,00', '12500.00'],
  ['1.234.567', '1234567'],
  ["12'500,5", '12500.5'],
  ['12\u00a0500', '12500'],
  ['-2,5', '-2.5'],
  [',5', '.5'],
  ['1,200', '1.200'],
  ['12.5', undefined],
  ['1.2345', undefined],
  ['1,2,3', undefined],
  ['12,500.00', undefined],
  ['', undefined],
  ['1e5', undefined],
])('with a decimal comma %j is %s', (text, expected) => {
  expect(writtenNumber(text, 'comma')).toBe(expected);
});

test.each([
  ['12.500', true],
  ['1,250', true],
  [' -1.250 ', true],
  ['0.500', false],
  ['１２.５００', true],
  ['900', false],
  ['1 250', false],
  ['12.5', false],
  ['12,5', false],
  ['1250.500', false],
  ['1.250.000', false],
  ['1,250,000', false],
  ['1,250.50', false],
  ['1.250,50', false],
  ['1.250e3', false],
  ['a lot', false],
])('whether the two decimal marks read %j as different numbers: %s', (text, expected) => {
  expect(hasTwoReadings(text)).toBe(expected);
});

test('every number that Germany and the United States write is read as that number', () => {
  const numbers = fc.integer({ min: -1e12, max: 1e12 }).map((cents) => cents / 100);
  fc.assert(
    fc.property(numbers, (number) => {
      const written = (locale: string) =>
        number.toLocaleString(locale, { minimumFractionDigits: 2 }).replace('\u2212', '-');
      expect(Number(writtenNumber(written('de-DE'), 'comma'))).toBe(number);
      expect(Number(writtenNumber(written('en-US'), 'point'))).toBe(number);
      expect(Number(writtenNumber(written('de-CH'), 'point'))).toBe(number);
    }),
  );
});

test.each([
  ['31.02.2026', 'dd.mm.yyyy', 'DD.MM.YYYY or YYYY-MM-DD'],
  ['11/21/2026', 'dd/mm/yyyy', 'DD/MM/YYYY or YYYY-MM-DD'],
  ['21.11.2026 14:30', 'dd.mm.yyyy', 'DD.MM.YYYY or YYYY-MM-DD'],
  ['2026-02-30', 'yyyy-mm-dd', 'YYYY-MM-DD'],
] as const)(
  'the refusal of the date %s under --dates %s names the form %s',
  (text, dates, forms) => {
    const read = cellReader(sampleOrganization(), { dates }, undefined);

    expect(read('Start', { kind: 'field', fieldKey: 'start_on' }, text)).toMatchObject({
      sentence: `must be a date that exists, without a time, in the form ${forms}.`,
    });
  },
);

test.each<[text: string, decimal: DecimalMark | undefined, expected: string | RegExp]>([
  ['12.500', undefined, /^can be read as two numbers\.$/],
  ['1,250', undefined, /^can be read as two numbers\.$/],
  ['12.500', 'comma', '12500'],
  ['12.500', 'point', '12.500'],
  ['1,250.5', undefined, '1250.5'],
  ['1,250.5', 'point', '1250.5'],
  ['1,25,000', undefined, '1,25,000'],
  ['1 250', undefined, '1250'],
  ['12,5', undefined, '12,5'],
  ['1.250.000', undefined, '1.250.000'],
  ['1250.5', 'comma', /decimal comma/],
])('the number %j with the decimal mark %s is %s', (text, decimal, expected) => {
  const read = cellReader(sampleOrganization(), { decimal }, undefined);

  const budget = read('Umsatz', { kind: 'field', fieldKey: 'budget' }, text);

  if (typeof expected === 'string') expect(budget).toBe(expected);
  else expect(budget).toMatchObject({ sentence: expect.stringMatching(expected) });
});

test('a text of another type that looks like a number with two readings is left alone', () => {
  const read = cellReader(sampleOrganization(), {}, undefined);

  expect(read('city', { kind: 'field', fieldKey: 'city' }, '12.500')).toBe('12.500');
});

test.each(['21.11.2026', '2026-11-21', ' 2026-11-21 ', '21.11.2026 00:00'])(
  'the date %j is read under --dates dd.mm.yyyy',
  (text) => {
    const read = cellReader(sampleOrganization(), { dates: 'dd.mm.yyyy' }, undefined);

    const date = read('Start', { kind: 'field', fieldKey: 'start_on' }, text);
    expect(String(date).trim()).toBe('2026-11-21');
  },
);
