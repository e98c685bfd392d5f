import { copyFile } from 'node:fs/promises';
import { readSheet } from 'read-excel-file/node';
import { expect, test } from 'vitest';
import { storedLeads } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { useFolder } from '../../given-folder.ts';
import { run } from '../commands.ts';
import { importJson } from './given-files.ts';

const files = useFolder();
const programs = ['libreoffice', 'gnumeric'];

/** A file that the program saved. Phones and dates are numbers there, a city is a formula, and the last column has no heading. */
async function givenWorkbook(program: string): Promise<string> {
  const file = files.path(`${program}.xlsx`);
  await copyFile(new URL(`${program}.xlsx`, import.meta.url), file);
  return file;
}

const columns = {
  Telefon: 'phone',
  Beginn: 'start_on',
  Umsatz: 'budget',
  Newsletter: 'wants_call',
};
const others = { Stadt: 'city', 'Angelegt am': 'created at', Bemerkung: 'note' };
const mapping = Object.entries({ Vorname: 'name', Nachname: 'name', ...columns, ...others });
const options = ['--country', 'DE', ...mapping.flatMap(([from, to]) => ['--map', `${from}=${to}`])];

test.each(programs)(
  'a workbook of %s is read as its cells hold it, and so is its report',
  async (program) => {
    const organization = await givenOrganization();
    const file = await givenWorkbook(program);

    const dry = await importJson(organization, file, ...options, '--dry-run');
    const counts = await importJson(organization, file, ...options);
    const report = await readSheet(counts.report);
    const again = await importJson(organization, file, ...options);
    const corrected = [...options, '--value', 'Telefon:unbekannt=0170 5000010'];
    const repeated = await importJson(organization, counts.report, ...corrected);

    expect(dry).toMatchObject({ rows: 3, imported: 2, refused: 1 });
    expect(counts).toMatchObject({ rows: 3, imported: 2, refused: 1 });
    expect(again).toMatchObject({ imported: 0, alreadyThere: 2, refused: 1 });
    expect(report[1]).toEqual([
      5,
      'phone (column "Telefon") holds letters: write only the number. Add --value \'Telefon:TEXT=VALUE\' to read TEXT as VALUE.',
      ...['Ohne', 'Telefon', 'unbekannt', new Date('2026-01-02'), 0.3, true, null],
      expect.any(Date),
      null,
    ]);
    expect(repeated).toMatchObject({ imported: 1, refused: 0 });
    const [first, second, third] = await storedLeads(organization);
    expect(first?.lead).toMatchObject({
      createdAt: '2025-11-21T14:30:00.000Z',
      fields: {
        name: 'Jürgen Groß',
        phone: '+4915112345678',
        start_on: '2026-11-21',
        budget: 1.125,
        wants_call: true,
        city: 'Jürgenstadt',
      },
    });
    expect(first?.timeline).toContainEqual(
      expect.objectContaining({ type: 'note_added', text: 'Zeile 1\nZeile 2 😀' }),
    );
    expect(second?.lead).toMatchObject({
      createdAt: '2025-08-09T00:00:00.000Z',
      fields: { name: 'Käthe', phone: '+491705000008', start_on: '2024-02-29', wants_call: false },
    });
    expect(third?.lead).toMatchObject({
      createdAt: '2025-11-21T09:05:07.000Z',
      fields: { phone: '+491705000010', budget: 0.3, start_on: '2026-01-02' },
    });
  },
);

test('--sheet names the sheet of a workbook; the refusal of another name lists them', async () => {
  const organization = await givenOrganization();
  const file = await givenWorkbook('libreoffice');

  const absent = await run(organization, 'lead import', file, '--sheet', 'Messe');

  expect(await importJson(organization, file, '--sheet', 'Messe 2026')).toMatchObject({
    imported: 1,
  });
  expect(absent).toMatchObject({ status: 1, stdout: '' });
  expect(absent.stderr).toMatch(
    /Sheet not found: Messe\. Available sheets: Kunden, Messe 2026\.\n$/,
  );
});
