import { expect, test } from 'vitest';
import { CellFormats } from '../../../../infra/admin/import/cell-formats.ts';
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

test.each(['21.11.2026', '2026-11-21', ' 2026-11-21 ', '21.11.2026 00:00'])(
  'the date %j is read under --dates dd.mm.yyyy',
  (text) => {
    const formats = new CellFormats(sampleOrganization(), { dates: 'dd.mm.yyyy' }, undefined);

    const read = formats.read('Start', { kind: 'field', fieldKey: 'start_on' }, text);
    expect(String(read).trim()).toBe('2026-11-21');
  },
);
