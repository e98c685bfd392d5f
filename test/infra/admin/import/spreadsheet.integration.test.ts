import { copyFile, readFile } from 'node:fs/promises';
import { readSheet } from 'read-excel-file/node';
import { expect, test } from 'vitest';
import { storedLeads } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { useFolder } from '../../given-folder.ts';
import { json, run } from '../commands.ts';
import { countLeads, importJson, sheetRow, workbookOf } from './given-files.ts';

useOwnTable();
const files = useFolder();
const givenFile = files.write;

/** As a German Excel saves a list of customers as "CSV": semicolons, windows-1252, CRLF, dd.mm.yyyy, decimal comma, ja and nein. */
const germanFile = Buffer.from(
  [
    'Kunde;Telefon;E-Mail;Beginn;Umsatz;Newsletter;Quelle;Bemerkung;Angelegt am',
    'Jürgen Groß;+49 (0)170/5000007;kunde@example.de;08.08.2025;8.107,07;ja;Website;"Wünscht ""Größe 7""; zahlt in €\nab 08.08.2025";08.08.2025 09:07',
    'Käthe;+49 (0)170/5000008;;;900;nein;Messe;;09.08.2025',
    'Doppelt;+49 (0)170/5000007;;;;;;;',
    '',
  ]
    .join('\r\n')
    // windows-1252 is Latin-1 but for a few characters.
    .replaceAll('€', '\u0080'),
  'latin1',
);
/** The options with which it is imported. */
const germanOptions = [
  ...['--encoding', 'windows-1252', '--dates', 'dd.mm.yyyy', '--decimal', 'comma'],
  ...['--value', 'Newsletter:ja=yes', '--value', 'Newsletter:nein=no'],
  ...['--value', 'Quelle:Messe=Facebook Ads', '--map', 'Kunde=name', '--map', 'Telefon=phone'],
  ...['--map', 'E-Mail=email', '--map', 'Beginn=start_on', '--map', 'Umsatz=budget'],
  ...['--map', 'Newsletter=wants_call', '--map', 'Quelle=source', '--map', 'Bemerkung=note'],
  ...['--map', 'Angelegt am=created at'],
];

test('one command imports a German spreadsheet: windows-1252, dates, decimal commas, ja and nein', async () => {
  const organization = await givenOrganization();
  const file = await givenFile('kunden.csv', germanFile);

  const counts = await importJson(organization, file, ...germanOptions);
  const report = await readFile(counts.report, 'utf8');
  const repeated = await importJson(organization, counts.report, ...germanOptions);
  const other = ['--value', 'Quelle:Website=Facebook Ads'];
  const again = await importJson(organization, file, ...germanOptions, ...other);
  const [first, second] = await storedLeads(organization);

  expect(counts).toMatchObject({ rows: 3, imported: 2, alreadyThere: 0, refused: 1 });
  // The source of the first row is another value now.
  expect(again).toMatchObject({ imported: 0, alreadyThere: 1, refused: 2 });
  expect(first?.lead).toMatchObject({
    createdAt: '2025-08-08T09:07:00.000Z',
    fields: {
      name: 'Jürgen Groß',
      phone: '+491705000007',
      start_on: '2025-08-08',
      budget: 8107.07,
      wants_call: true,
      source: 1,
    },
  });
  expect(second?.lead).toMatchObject({ fields: { wants_call: false, source: 3 } });
  expect(first?.timeline).toMatchObject([
    { type: 'lead_created' },
    {
      type: 'note_added',
      at: '2025-08-08T09:07:00.000Z',
      via: 'import',
      text: 'Wünscht "Größe 7"; zahlt in €\nab 08.08.2025',
    },
  ]);
  expect(repeated).toMatchObject({ rows: 1, imported: 0, refused: 1 });
  expect(report).toMatch(
    /^\uFEFFrefused row;refused because;Kunde;Telefon;.*;Angelegt am\r\n\d;"phone \(column ""Telefon""\) belongs to row 2: .*;Doppelt;/,
  );
  expect(await json(organization, 'check')).toMatchObject({ violations: [] });
});

test('an import says how many phones without a country code it read as Indian', async () => {
  const organization = await givenOrganization();
  const national = (): string => person().phone.replace('+91', '0');
  const [first, second, third] = [national(), national(), national()];
  const rows = [
    `A,${first},`,
    `B,${second},${third}`,
    `C,${person().phone},${person().phone.slice(1)}`,
  ];
  const file = await givenFile('phones.csv', ['name,phone,guardian_phone', ...rows].join('\n'));
  const one = await givenFile('one.csv', `name,phone\nD,${national()}`);

  const { status, stdout } = await run(organization, 'lead import', file);
  const ofOne = await run(organization, 'lead import', one, '--dry-run');

  expect(status).toBe(0);
  expect(stdout.trimEnd().split('\n').slice(1)).toEqual([
    `3 phones have no country code and are read as Indian, such as ${first} as ${first.replace('0', '+91')}. If that is wrong, name the country: --country DE.`,
    'To remove the leads that it created, run the same command with --undo.',
  ]);
  expect(ofOne.stdout).toMatch(/\n1 phone has no country code and is read as Indian, such as 0/);
});

test('a refusal counts the most frequent reasons, each with the option by which the values could be read', async () => {
  const organization = await givenOrganization();
  const rows = Array.from({ length: 8 }, (_, row) =>
    [
      person().name,
      row < 3 ? '+91' : person().phone,
      '21.11.2026',
      '12.500,00',
      row % 2 ? 'ja' : 'nein',
      'Messe',
      row < 2 ? 'x' : '',
    ].join(';'),
  );
  const file = await givenFile(
    'kunden.csv',
    ['name;phone;start_on;budget;wants_call;source;email', ...rows].join('\r\n'),
  );

  const { status, stdout } = await run(organization, 'lead import', file);

  expect(status).toBe(1);
  expect(await countLeads(organization)).toBe(0);
  const lines = stdout.split('\n');
  expect(lines[0]).toMatch(/: 8 rows, 0 imported, 8 refused\.$/);
  expect(lines.slice(1, 6)).toEqual([
    expect.stringMatching(
      /^ {2}8 of 8 refused rows: source is "Messe", which is not a source of .* Add --value 'source:Messe=VALUE', where VALUE is what it means\.$/,
    ),
    expect.stringMatching(
      /^ {2}8 of 8 refused rows: start_on must be a date .*\. Add --dates dd\.mm\.yyyy\.$/,
    ),
    '  8 of 8 refused rows: budget must be a number. Add --decimal comma.',
    expect.stringMatching(
      /^ {2}8 of 8 refused rows: wants_call must be true or false .*\. Add --value 'wants_call:\S+=VALUE', where /,
    ),
    expect.stringMatching(/^ {2}3 of 8 refused rows: phone is not a number of its country;/),
  ]);
  expect(lines[6]).toBe('  other reasons: 2');
  expect(lines[7]).toMatch(/^Refused rows and their reasons: /);
});

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
      'phone (column "Telefon") holds letters: write only the number. Write a phone into the row, or leave the row out.',
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

test('rows with formulas that no program has calculated are refused by cell, in the report too', async () => {
  const organization = await givenOrganization();
  const formula = '<c><f>UPPER("pune")</f><v></v></c>';
  const rows = [
    sheetRow(1, ['name', 'phone', 'city']),
    sheetRow(2, ['A', person().phone, formula]),
    sheetRow(3, [formula, formula, formula]),
    sheetRow(4, ['B', person().phone, 'Goa']),
  ];
  const file = await givenFile('openpyxl.xlsx', workbookOf(rows.join('')));

  const { stdout } = await run(organization, 'lead import', file);
  const report = await run(organization, 'lead import', file.replace('.xlsx', '.refused.xlsx'));

  expect(stdout).toMatch(/: 3 rows, 1 imported, 2 refused\.\n/);
  expect(report.stdout).toMatch(/: 2 rows, 0 imported, 2 refused\.\n/);
  for (const cell of ['C2', 'A3'])
    expect(stdout).toContain(
      `  1 of 2 refused rows: cell ${cell} has a formula without a result: open the file in a spreadsheet program and save it.`,
    );
});

test('--sheet names the sheet of a workbook; the refusal of another name lists them', async () => {
  const organization = await givenOrganization();
  const file = await givenWorkbook('libreoffice');

  const absent = await run(organization, 'lead import', file, '--sheet', 'Messe');

  expect(await importJson(organization, file, '--sheet', 'Messe 2026')).toMatchObject({
    imported: 1,
  });
  expect(absent).toMatchObject({ status: 1, stdout: '' });
  expect(absent.stderr).toMatch(/has no sheet "Messe": its sheets are "Kunden", "Messe 2026"\.\n$/);
});
