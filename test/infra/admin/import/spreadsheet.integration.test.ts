import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { adminJson, runAdmin } from '../../../support/admin.ts';
import { givenLead, storedLeads, timelineOf } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { germanFile, germanOptions } from './german-file.ts';
import { countLeads, fieldsOf, givenFile, importJson, useGivenFiles } from './given-files.ts';

useOwnTable();
useGivenFiles();

const importText = ({ id }: GivenOrganization, file: string, ...more: string[]) =>
  runAdmin(['lead', 'import', '--organization', String(id), file, ...more]);

test('a German spreadsheet is imported whole by one command: semicolons, windows-1252, dates, decimal commas, ja and nein, notes', async () => {
  const organization = await givenOrganization();
  const file = await givenFile('kunden.csv', '');
  await writeFile(file, germanFile(120, 10));

  const counts = await importJson(organization, file, ...germanOptions);
  const report = new TextDecoder('windows-1252').decode(await readFile(counts.report));
  const other = ['--value', 'Quelle:Website=Facebook Ads'];
  const again = await importJson(organization, file, ...germanOptions, ...other);
  const stored = await storedLeads(organization);

  expect(counts).toMatchObject({ rows: 120, imported: 110, alreadyThere: 0, refused: 10 });
  // Every second row of the 110 is of the source Website, which is another value now.
  expect(again).toMatchObject({ imported: 0, alreadyThere: 55, refused: 65 });
  const [lead] = stored.filter(
    ({ lead: { fields } }) => (fields as { name: string }).name === 'Jürgen Groß-7',
  );
  expect(lead?.lead).toMatchObject({
    createdAt: '2025-08-08T09:07:00.000Z',
    fields: {
      phone: '+491705000007',
      start_on: '2025-08-08',
      budget: 8107.07,
      wants_call: true,
      source: 1,
    },
  });
  expect(stored.map(({ lead: { fields } }) => (fields as { source: number }).source)).toContain(3);
  expect(lead?.timeline).toMatchObject([
    { type: 'lead_created' },
    {
      type: 'note_added',
      at: '2025-08-08T09:07:00.000Z',
      via: 'import',
      text: 'Wünscht Rückruf für "Größe 7"; zahlt in €\nab 08.08.2025',
    },
  ]);
  expect(report).toMatch(
    /^refused row;refused because;Kunde;Telefon;.*;Angelegt am\r\n112;"phone \(column ""Telefon""\) belongs to lead \d+: .*;Jürgen Groß-110;/,
  );
  const own = ['--organization', String(organization.id)];
  expect(await adminJson('check', ...own)).toMatchObject({ violations: [] });
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

  const { status, stdout } = await importText(organization, file);
  const ofOne = await importText(organization, one, '--dry-run');

  expect(status).toBe(0);
  expect(stdout.trimEnd().split('\n').slice(1)).toEqual([
    `3 phones have no country code and are read as Indian, such as ${first} as ${first.replace('0', '+91')}. Write the country code in the file if that is wrong.`,
  ]);
  expect(ofOne.stdout).toMatch(/\n1 phone has no country code and is read as Indian, such as 0/);
});

test('a refusal counts the most frequent reasons, and names the option that every refused value of a column needs', async () => {
  const organization = await givenOrganization();
  const rows = Array.from({ length: 8 }, (_, row) =>
    [
      person().name,
      row < 3 ? '+91' : person().phone,
      '21.11.2026',
      '12.500,00',
      row % 2 ? 'ja' : 'nein',
      'Messe',
    ].join(';'),
  );
  const file = await givenFile(
    'kunden.csv',
    ['name;phone;start_on;budget;wants_call;source', ...rows].join('\r\n'),
  );

  const { status, stdout } = await importText(organization, file);

  expect(status).toBe(1);
  expect(await countLeads(organization)).toBe(0);
  const lines = stdout.split('\n');
  expect(lines[0]).toMatch(/: 8 rows, 0 imported, 8 refused\.$/);
  expect(lines.slice(1, 6)).toEqual([
    expect.stringMatching(/^ {2}8 × source is "Messe", which is not a source of the organization/),
    expect.stringMatching(/^ {2}8 × start_on must be a date that exists/),
    '  8 × budget must be a number.',
    expect.stringMatching(/^ {2}8 × wants_call must be true or false/),
    expect.stringMatching(/^ {2}3 × phone must be a phone number/),
  ]);
  expect(lines.slice(6, 10)).toEqual([
    'Column "source": 8 rows refused, such as row 2 with "Messe". ' +
      "Add --value 'source:Messe=VALUE', with one of these for VALUE: Website, Facebook Ads.",
    'Column "start_on": 8 rows refused, such as row 2 with "21.11.2026". Add --dates dd.mm.yyyy.',
    'Column "budget": 8 rows refused, such as row 2 with "12.500,00". Add --decimal comma.',
    'Column "wants_call": 8 rows refused, such as row 2 with "nein". ' +
      "Add --value 'wants_call:nein=VALUE' --value 'wants_call:ja=VALUE', with one of these for VALUE: yes, no.",
  ]);
  expect(lines[10]).toMatch(/^Refused rows and their reasons: /);
});

test('no option is offered for a date with a time, which a date field does not take', async () => {
  const organization = await givenOrganization();
  const row = [person().name, person().phone, '21.11.2026 14:30'].join(',');
  const file = await givenFile('leads.csv', `name,phone,start_on\n${row}\n`);

  const { stdout } = await importText(organization, file, '--dry-run', '--dates', 'dd.mm.yyyy');

  expect(stdout).toContain('start_on must be a date that exists, without a time');
  expect(stdout).not.toContain('Add --dates');
});

test('a date that may have the day or the month first is offered in both ways', async () => {
  const organization = await givenOrganization();
  const row = [person().name, person().phone, '03/04/2026'].join(',');
  const file = await givenFile('leads.csv', `name,phone,start_on\n${row}\n`);

  const { stdout } = await importText(organization, file, '--dry-run');

  expect(stdout).toMatch(
    /Add --dates dd\/mm\/yyyy, or --dates mm\/dd\/yyyy if the month comes first\.\n/,
  );
});

test('a report has the byte order mark, line ends and delimiter of its file', async () => {
  const organization = await givenOrganization();
  const file = await givenFile('leads.csv', '\uFEFFname\tphone\r\nZoë\t12\r\n');

  const { report } = await importJson(organization, file);

  expect(await readFile(report, 'utf8')).toMatch(
    /^\uFEFFrefused row\trefused because\tname\tphone\r\n2\t[^\t]+\tZoë\t12\r\n$/,
  );
});

test('values of a list and of an empty cell are replaced; a colon may be part of a heading', async () => {
  const organization = await givenOrganization();
  const rows = [`A,${person().phone},"Wohnheim, abroad",`, `B,${person().phone},hostel,Delhi`];
  const file = await givenFile('leads.csv', `name,phone,Bitte: wählen,city\n${rows.join('\n')}\n`);

  await importJson(
    ...([organization, file, '--map', 'Bitte: wählen=interests', '--value', 'city:=Pune'] as const),
    ...['--value', 'Bitte: wählen:wohnheim=hostel'],
  );

  const fields = (await fieldsOf(organization)).sort((a, b) => (a.name! < b.name! ? -1 : 1));
  expect(fields).toMatchObject([
    { interests: ['hostel', 'abroad'], city: 'Pune' },
    { interests: ['hostel'], city: 'Delhi' },
  ]);
});

test('a note in JSON lines is on the timeline, and one that is too long refuses its row', async () => {
  const organization = await givenOrganization();
  const lines = [
    { ...person(), note: ' Call after six. ' },
    { ...person(), note: 'x'.repeat(5001) },
    { ...person(), note: '' },
  ];
  const file = await givenFile('leads.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));

  const { report, ...counts } = await importJson(organization, file);
  const [first = 0] = (await storedLeads(organization)).map(({ lead }) => Number(lead.sk));

  expect(counts).toMatchObject({ imported: 2, refused: 1 });
  expect(await readFile(report, 'utf8')).toMatch(/note must be a text of at most 5000 characters/);
  const timelines = await Promise.all([first, first + 1].map((id) => timelineOf(organization, id)));
  expect(timelines.flat().filter(({ type }) => type === 'note_added')).toEqual([
    expect.objectContaining({
      text: 'Call after six.',
      actor: { userId: null, name: 'administrator' },
    }),
  ]);
});

test.each([
  [
    ['--dates', 'dd-mm-yyyy'],
    2,
    /Allowed choices are dd\/mm\/yyyy, mm\/dd\/yyyy, dd\.mm\.yyyy, yyyy-mm-dd/,
  ],
  [['--encoding', 'latin1'], 2, /Allowed choices are utf-8, windows-1252/],
  [['--value', 'city'], 2, /such as 'Newsletter:ja=yes'/],
  [['--value', 'ctiy:a=b'], 1, /the file has no column "ctiy"; did you mean "city"\?$/],
  [
    ['--encoding', 'windows-1252'],
    1,
    /begins with the mark of UTF-8, so it is not windows-1252: remove --encoding/,
  ],
])('lead import %j is refused in one sentence', async (options, status, message) => {
  const organization = await givenOrganization();
  const file = await givenFile('leads.csv', '\uFEFFname,phone,city\nA,1,B\n');

  const reply = await importText(organization, file, ...options);

  expect(reply).toMatchObject({ status, stdout: '' });
  expect(reply.stderr.trim()).toMatch(message);
});

test('a number that can be read twice is refused without --decimal, with the column and both options', async () => {
  const organization = await givenOrganization();
  const rows = ['12.500', '1.250', '900', '12.5'].map(
    (budget) => `${person().name};${person().phone};${budget}`,
  );
  const file = await givenFile('kunden.csv', ['name;phone;Umsatz', ...rows].join('\n'));
  const map = ['--map', 'Umsatz=budget'];

  const { status, stdout } = await importText(organization, file, ...map);

  expect(status).toBe(1);
  expect(stdout.split('\n').slice(0, 3)).toEqual([
    expect.stringMatching(/: 4 rows, 2 imported, 2 refused\.$/),
    '  2 × budget (column "Umsatz") can be read as two numbers: add --decimal comma or --decimal point.',
    'Column "Umsatz": 2 rows refused, such as row 2 with "12.500". Add --decimal comma, or --decimal point if the point marks decimals.',
  ]);
  const budgets = (await fieldsOf(organization)).map(({ budget }) => budget);
  expect(budgets.sort()).toEqual([12.5, 900]);
});

test('--decimal comma alone is offered if one value of the column is a number only with it', async () => {
  const organization = await givenOrganization();
  const rows = ['12.500', '1.250,50'].map(
    (budget) => `${person().name};${person().phone};${budget}`,
  );
  const file = await givenFile('kunden.csv', ['name;phone;budget', ...rows].join('\n'));

  const { stdout } = await importText(organization, file, '--dry-run');

  expect(stdout).toMatch(/with "12\.500"\. Add --decimal comma\.\n/);
});

test('an export of a number that can be read twice is imported as it is, and so is a number in JSON lines', async () => {
  const organization = await givenOrganization();
  await givenLead(organization, { fields: { budget: 1.125 } });
  const own = ['--organization', String(organization.id)];
  const exported = `${await givenFile('leads', '')}.csv`;
  await adminJson('lead', 'export', ...own, '--out', exported);
  const other = await givenOrganization();
  const line = { ...person(), budget: 1.125 };
  const lines = await givenFile('leads.jsonl', JSON.stringify(line));

  expect(await importJson(other, exported)).toMatchObject({ imported: 1, refused: 0 });
  expect(await importJson(other, lines)).toMatchObject({ imported: 1, refused: 0 });

  const budgets = (await fieldsOf(other)).map(({ budget }) => budget);
  expect(budgets).toEqual([1.125, 1.125]);
});
