import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Formats,
  hintFor,
  readCell,
  replacementHint,
  writtenNumber,
} from '../../../../infra/admin/files/cell-formats.ts';
import { replacing } from '../../../../infra/admin/import/plan.ts';
import { targetNamed } from '../../../../shared/leads/transfer/import-columns.ts';
import { customField, sampleOrganization } from '../../../support/settings.ts';

test('a heading that equals two labels only in comparable form names neither', () => {
  const labels = [
    customField('mixed', 'text', { label: 'Straße' }),
    customField('capitals', 'text', { label: 'STRASSE' }),
  ];
  const organization = sampleOrganization({ fields: labels });
  const named = ['Straße', 'STRASSE', 'strasse'].map(
    (name) => targetNamed(organization, name)?.name,
  );

  expect(named).toEqual(['mixed', 'capitals', undefined]);
});

const dates = (formats: string) => ` Add --dates ${formats}.`;
const noDay = ' It is not a day of the calendar.';
const eitherDate = dates('dd/mm/yyyy or --dates mm/dd/yyyy');
const fourDigits = ' Write the year with four digits.';
const eitherMark = ' Add --decimal comma or --decimal point.';
const onlyNumber = ' Write only the number, such as 1250.5.';
const replace = (text: string) =>
  ` Add --value 'L'\\''école:${text}=VALUE', where VALUE is what it means.`;
test.each<[name: string, text: string, hint: string, formats?: Formats]>([
  ['start_on', '03/04/2026', eitherDate],
  ['start_on', '03/04/2026', '', { dates: 'dd.mm.yyyy' }],
  ['start_on', '21.04.2026', dates('dd.mm.yyyy')],
  ['start_on', '2026-04-31', ''],
  ['start_on', '21.04.2026 14:30', ''],
  ['created at', '21.04.2026 14:30', dates('dd.mm.yyyy')],
  ['created at', '21.04.2026 14:30', '', { dates: 'mm/dd/yyyy' }],
  ['created at', '31/02/2026', noDay, { dates: 'dd/mm/yyyy' }],
  ['created at', '12/31/2026 10:00', noDay, { dates: 'dd/mm/yyyy' }],
  ['created at', '2026-02-30', noDay],
  ['created at', '01/02/2026 25:00', '', { dates: 'dd/mm/yyyy' }],
  ['created at', 'soon', '', { dates: 'dd/mm/yyyy' }],
  ['created at', '14-mars-2026', ''],
  ['created at', '14-Mar-26', fourDigits],
  ['start_on', '14/03/26', fourDigits, { dates: 'dd/mm/yyyy' }],
  ['budget', '12.500', eitherMark],
  ['budget', '1.250.000', ' Add --decimal comma.'],
  ['budget', '1.250.000', '', { decimal: 'point' }],
  ['budget', '1,250.5', ' Add --decimal point.'],
  ['budget', '1250.5', ''],
  ['budget', 'a lot', onlyNumber],
  ['budget', '₹ 500', onlyNumber],
  ['budget', '(5)', onlyNumber],
  ['wants_call', 'ja', replace('ja')],
  ['course', 'mba1', replace('mba1'), { dates: 'dd.mm.yyyy', decimal: 'comma' }],
  ['interests', 'hostel; loan', " Add --list-separator ';'."],
  ['interests', 'hostel; loan', replace('hostel; loan'), { listSeparator: '|' }],
  ['stage', 'Neu', replace('Neu')],
  ['guardian_phone', 'keins', replace('keins')],
  ['guardian_phone', '12', ''],
  ['city', 'x', ''],
  ['lead id', 'x', ''],
])('the refusal of $0 $1 ends in the hint $2', (name, text, hint, formats = {}) => {
  const target = targetNamed(sampleOrganization(), name) ?? expect.fail();

  const replacement = replacementHint({ name: "L'école", target }, text, undefined, false);
  expect(hintFor(target, text, formats) || replacement).toBe(hint);
});

test('every number in the formats of Germany and the United States is read correctly', () => {
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

const twice = 'can be read as two numbers.';
const notWithComma = 'must be a number with a decimal comma, such as 1.250,50.';
const severalPhones = 'holds more than one phone number: keep one.';
const notOfForm = (forms: string) =>
  `must be a date that exists, without a time, in the form ${forms}.`;
/** What is read, or the sentence of the refusal. */
test.each<[name: string, text: string, formats: Formats, read: string | null]>([
  ['budget', '12.500', {}, twice],
  ['budget', ' -1,250 ', {}, twice],
  ['budget', '１２.５００', {}, twice],
  ['budget', '0.500', {}, '0.500'],
  ['budget', '12.500', { decimal: 'comma' }, '12500'],
  ['budget', '12.500', { decimal: 'point' }, '12.500'],
  ['budget', '1,250.5', {}, '1250.5'],
  ['budget', '1 250', {}, '1250'],
  ['budget', '12,5', {}, '12,5'],
  ['budget', '1.250.000', {}, '1.250.000'],
  ['budget', '1250.5', { decimal: 'comma' }, notWithComma],
  ['city', '12.500', {}, '12.500'],
  ['budget', "12'500,5", { decimal: 'comma' }, '12500.5'],
  ['budget', '12\u00a0500', { decimal: 'comma' }, '12500'],
  ['budget', ',5', { decimal: 'comma' }, '.5'],
  ['budget', '1.2345', { decimal: 'comma' }, notWithComma],
  ['budget', '1,2,3', { decimal: 'comma' }, notWithComma],
  ['budget', '1e5', { decimal: 'comma' }, notWithComma],
  ['start_on', '21.11.2026', { dates: 'dd.mm.yyyy' }, '2026-11-21'],
  ['start_on', ' 2026-11-21 ', { dates: 'dd.mm.yyyy' }, ' 2026-11-21 '],
  ['start_on', '21.11.2026 00:00', { dates: 'dd.mm.yyyy' }, '2026-11-21'],
  ['start_on', '31.02.2026', { dates: 'dd.mm.yyyy' }, notOfForm('DD.MM.YYYY or YYYY-MM-DD')],
  ['start_on', '21.11.2026 14:30', { dates: 'dd.mm.yyyy' }, notOfForm('DD.MM.YYYY or YYYY-MM-DD')],
  ['start_on', '2026-02-30', { dates: 'yyyy-mm-dd' }, notOfForm('YYYY-MM-DD')],
  ['created at', ' 1.3.2026 ', { dates: 'dd.mm.yyyy' }, '2026-03-01T00:00:00Z'],
  ['created at', '21.11.2026 14:30', { dates: 'dd.mm.yyyy' }, '2026-11-21T14:30:00Z'],
  ['created at', '21/11/2026 9:05:07', { dates: 'dd/mm/yyyy' }, '2026-11-21T09:05:07Z'],
  ['created at', '11/21/2026 14:30', { dates: 'mm/dd/yyyy' }, '2026-11-21T14:30:00Z'],
  ['created at', '21.11.26', { dates: 'dd.mm.yyyy' }, '21.11.26'],
  ['created at', '21/11/2026', { dates: 'dd.mm.yyyy' }, '21/11/2026'],
  ['created at', '21.11.2026 24:00', { dates: 'dd.mm.yyyy' }, '21.11.2026 24:00'],
  ['city', '', { values: replacing({ '': 'Pune' }) }, 'Pune'],
  ['city', 'Delhi', { values: replacing({ '': 'Pune' }) }, 'Delhi'],
  ['city', 'Zu\u0308rich\u00a0', { values: replacing({ ZÜRICH: 'Zurich' }) }, 'Zurich'],
  ['start_on', '२१.११.२०२६\u200e', { dates: 'dd.mm.yyyy' }, '2026-11-21'],
  ['budget', '\u22121.250,5', { decimal: 'comma' }, '-1250.5'],
  ['created at', '2026-03-14', { timeZone: 'Asia/Kolkata' }, '2026-03-13T18:30:00Z'],
  ['interests', 'none, -', { values: replacing({ none: null, '-': '' }) }, null],
  ['interests', 'Wohnheim, loan', { values: replacing({ wohnheim: 'hostel' }) }, 'hostel,loan'],
  ['phone', 'Tel.: 0151 23456782', { country: 'DE' }, '+4915123456782'],
  ['phone', 'tel. 0151 23456782', {}, 'tel. 0151 23456782'],
  ['phone', '+49 151 23456782 / 030 1234567', { country: 'DE' }, severalPhones],
  ['phone', '12 / 34', {}, '12 / 34'],
  ['phone', '+49 151 anrufen', { country: 'DE' }, 'holds letters: write only the number.'],
  ['phone', '+91 91 98765 43210', { country: 'DE' }, '+91 91 98765 43210'],
  ['phone', '4,91511E+12', {}, 'lost digits in a spreadsheet: import the .xlsx file itself.'],
  ['phone', '+9.198E11', {}, 'lost digits in a spreadsheet: import the .xlsx file itself.'],
  ['phone', '  ', { country: 'DE' }, '  '],
  ['phone', 'x', { country: 'DE' }, 'holds letters: write only the number.'],
])('$0 $1, $2: $3', (name, text, formats, expected) => {
  const target = targetNamed(sampleOrganization(), name) ?? expect.fail();

  const value = readCell(target, text, formats);

  expect(value).toEqual(
    typeof value === 'string' || value === null
      ? expected
      : expect.objectContaining({ sentence: expected }),
  );
});
