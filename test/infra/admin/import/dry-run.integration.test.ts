import { expect, test } from 'vitest';
import { leadsOf } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';
import { useFolder } from '../../given-folder.ts';
import { run } from '../commands.ts';
import { fieldsOf, importJson, sheetRow, workbookOf } from './given-files.ts';

const files = useFolder();

test('hidden rows are left out and counted, and the first visible sheet is read and named', async () => {
  const organization = await givenOrganization();
  const [one, two] = [person(), person()];
  const rows = [
    sheetRow(1, ['name', 'phone']),
    sheetRow(2, ['Hidden', one.phone]).replace('<row ', '<row hidden="1" '),
    // Some programs leave the names of rows and cells out.
    sheetRow(3, ['Visible', two.phone]).replaceAll(/ r="\w+"/g, ''),
  ];
  const file = await files.write('hidden.xlsx', workbookOf(rows.join('')));

  const imported = await importJson(organization, file);

  expect(imported).toMatchObject({ rows: 1, imported: 1, hidden: 1, sheet: 'A & B' });
  expect(await fieldsOf(organization)).toMatchObject([{ name: 'Visible' }]);
});

test('a dry run shows rows as read, a correction for words that mean empty, and ignored columns', async () => {
  const organization = await givenOrganization();
  const rows = [1, 2, 3, 4].map((row) => `N${row},${person().phone},${row < 4 ? 'none' : 'x'},y`);
  const file = await files.write('none.csv', `name,phone,email,Junk\n${rows.join('\n')}\n`);

  const dry = await run(organization, 'lead import', file, '--ignore-others', '--dry-run');

  const lines = dry.stdout.split('\n');
  expect(lines[1]).toMatch(/^ {2}row 2: name: N1 · phone: \+91\d{10} · email: none$/);
  expect(lines[4]).toBe('Ignored columns: Junk.');
  expect(dry.stdout).toContain(
    `    3 rows with "none". Add to the plan: "values": {"none": null}; or add --value 'email:none='.\n`,
  );
  expect(
    await importJson(organization, file, '--ignore-others', '--value', 'email:none='),
  ).toMatchObject({ imported: 3, refused: 1, ignored: ['Junk'] });
});

test('a word for no value in a column of phones is not to be emptied, because every lead has a phone', async () => {
  const organization = await givenOrganization();
  const file = await files.write('na.csv', 'name,Mobile\nA,N/A\nB,N/A\nC,-\n');

  const dry = await run(organization, 'lead import', file, '--map', 'Mobile=phone', '--dry-run');

  expect(dry.stdout).toContain(
    '2 of 3 refused rows: phone (column "Mobile") holds letters: write only the number. Write a phone into the row, or leave the row out.\n',
  );
  expect(dry.stdout).toMatch(/1 of 3 refused rows: .* Write a phone into the row, or leave the /);
  expect(dry.stdout).not.toMatch(/null|--value/);
});

test('times without a zone are read as UTC, and the command says so, unless a zone is named', async () => {
  const organization = await givenOrganization();
  const [one, two] = [person(), person()];
  const file = (phone: string) =>
    files.write('zones.csv', `name,phone,created at\nA,${phone},2026-07-05 14:30:00\n`);

  const utc = await run(organization, 'lead import', await file(one.phone));
  const india = await run(
    organization,
    'lead import',
    await file(two.phone),
    '--time-zone',
    'Asia/Kolkata',
  );

  expect(utc.stderr).toContain(
    '1 row has a time without a zone, such as 2026-07-05 14:30:00: it is read as UTC. If that is wrong, name the zone: --time-zone Asia/Kolkata.',
  );
  expect(india).toMatchObject({ status: 0, stderr: '' });
  expect((await leadsOf(organization)).map(({ createdAt }) => createdAt)).toEqual([
    '2026-07-05T14:30:00.000Z',
    '2026-07-05T09:00:00.000Z',
  ]);
});

test('a time in a workbook has the named zone', async () => {
  const organization = await givenOrganization();
  const cell = '<c t="d"><v>2026-07-05T14:30:00</v></c>';
  const rows =
    sheetRow(1, ['name', 'phone', 'created at']) + sheetRow(2, ['A', person().phone, cell]);
  const file = await files.write('zone.xlsx', workbookOf(rows));

  await importJson(organization, file, '--time-zone', 'Asia/Kolkata');

  expect(await leadsOf(organization)).toMatchObject([{ createdAt: '2026-07-05T09:00:00.000Z' }]);
});

test('a row without its last cells is read, and a row with a value beyond the headings is refused', async () => {
  const organization = await givenOrganization();
  const [one, two] = [person(), person()];
  const file = await files.write(
    'cells.csv',
    `name,phone,city,email\nShort,${one.phone}\nEmpty,${two.phone},,,,\nLong,${two.phone},,,x\n`,
  );

  const { imported, report } = await importJson(organization, file);

  expect(imported).toBe(2);
  expect(await files.read(report)).toContain(
    '4,"The row has a value in its cell 5, but the file has 4 headings."',
  );
});

test('JSON lines need no plan, and their unknown properties can be left out', async () => {
  const organization = await givenOrganization();
  const { phone } = person();
  const file = await files.write('lines.jsonl', JSON.stringify({ name: 'A', phone, junk: 1 }));

  const planned = await run(
    organization,
    'lead import',
    file,
    '--plan',
    await files.write('p.json', { columns: {} }),
  );
  const unknown = await run(organization, 'lead import', file, '--json');
  const ignored = await importJson(organization, file, '--ignore-others');

  expect(planned).toMatchObject({ status: 1, stdout: '' });
  expect(planned.stderr).toMatch(/has no columns, so it needs no plan: remove --plan\.$/m);
  expect(unknown.json).toMatchObject({ imported: 0, refused: 1 });
  expect(ignored).toMatchObject({ imported: 1, ignored: ['junk'] });
});

test('an undo of a file with open columns asks for the plan of the import', async () => {
  const organization = await givenOrganization();
  const file = await files.write('undo.csv', `Full name,Mobile\nA,${person().phone}\n`);

  const answer = await run(organization, 'lead import', file, '--undo', '--yes');

  expect(answer).toMatchObject({ status: 1, stdout: '' });
  expect(answer.stderr).toMatch(/repeat the --plan, --map and --ignore of the import\.$/m);
});
