import { expect, test } from 'vitest';
import { CellFormats } from '../../../../infra/admin/import/cell-formats.ts';
import type { DecimalMark } from '../../../../shared/leads/transfer/cell-formats.ts';
import { sampleOrganization } from '../../../support/settings.ts';

test.each([
  ['31.02.2026', 'dd.mm.yyyy', 'DD.MM.YYYY or YYYY-MM-DD'],
  ['11/21/2026', 'dd/mm/yyyy', 'DD/MM/YYYY or YYYY-MM-DD'],
  ['21.11.2026 14:30', 'dd.mm.yyyy', 'DD.MM.YYYY or YYYY-MM-DD'],
  ['2026-02-30', 'yyyy-mm-dd', 'YYYY-MM-DD'],
] as const)(
  'the refusal of the date %s under --dates %s names the form %s',
  (text, dates, forms) => {
    const formats = new CellFormats(sampleOrganization(), { dates }, undefined);

    expect(formats.read('Start', { kind: 'field', fieldKey: 'start_on' }, text)).toMatchObject({
      sentence: `must be a date that exists, without a time, in the form ${forms}.`,
    });
  },
);

test.each<[text: string, decimal: DecimalMark | undefined, expected: string | RegExp]>([
  ['12.500', undefined, /^can be read as two numbers: add --decimal comma or --decimal point\.$/],
  ['1,250', undefined, /--decimal comma or --decimal point/],
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
  const formats = new CellFormats(sampleOrganization(), { decimal }, undefined);

  const read = formats.read('Umsatz', { kind: 'field', fieldKey: 'budget' }, text);

  if (typeof expected === 'string') expect(read).toBe(expected);
  else expect(read).toMatchObject({ sentence: expect.stringMatching(expected) });
});

test('a text of another type that looks like a number with two readings is left alone', () => {
  const formats = new CellFormats(sampleOrganization(), {}, undefined);

  expect(formats.read('city', { kind: 'field', fieldKey: 'city' }, '12.500')).toBe('12.500');
});

test.each(['21.11.2026', '2026-11-21', ' 2026-11-21 ', '21.11.2026 00:00'])(
  'the date %j is read under --dates dd.mm.yyyy',
  (text) => {
    const formats = new CellFormats(sampleOrganization(), { dates: 'dd.mm.yyyy' }, undefined);

    const read = formats.read('Start', { kind: 'field', fieldKey: 'start_on' }, text);
    expect(String(read).trim()).toBe('2026-11-21');
  },
);
