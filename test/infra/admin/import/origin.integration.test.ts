import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { expect, test } from 'vitest';
import { runAdmin } from '../../../support/admin.ts';
import { changeSettings, givenLead, storedLeads } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';
import { useFolder } from '../../given-folder.ts';
import { commandOf, json } from '../commands.ts';
import { fieldsOf, importJson, refusedIn } from './given-files.ts';

const files = useFolder();
const givenFile = files.write;

const importArgs = (organization: GivenOrganization, file: string, ...more: string[]) =>
  commandOf(organization, 'lead import', file, ...more);

/** An organization in which city is asked for and the source Facebook Ads is not active any more. */
async function strictOrganization(): Promise<GivenOrganization> {
  const organization = await givenOrganization();
  await changeSettings(organization, strict(organization));
  return organization;
}
const strict = ({ settings }: GivenOrganization) => ({
  sources: settings.sources.map((source) => ({ ...source, active: source.id === 1 })),
  fields: settings.fields.map((field) =>
    field.key === 'city' ? { ...field, requiredOnCreate: true } : field,
  ),
});

test('a file of another system with a column "Lead ID" is not mistaken for an export', async () => {
  const organization = await strictOrganization();
  const [one, two] = [person(), person()];
  const file = await givenFile(
    'leads.csv',
    [
      'Lead ID,Name,Phone,source,city',
      `17,No city,${one.phone},,`,
      `18,Inactive source,${one.phone},Facebook Ads,Pune`,
      `19,Right,${two.phone},,Pune`,
    ].join('\n'),
  );

  const unsaid = await runAdmin(importArgs(organization, file, '--keep-ids'));
  const ignored = await importJson(organization, file, '--ignore', 'Lead ID');
  const report = await refusedIn(ignored.report);

  expect(unsaid).toMatchObject({ status: 1, stdout: '' });
  expect(unsaid.stderr.trim()).toMatch(
    /has "Lead ID", but not "lead service export".*with --ignore 'Lead ID', or .*with --map 'Lead ID=FIELD'\.$/,
  );
  expect(ignored).toMatchObject({ rows: 3, imported: 1, refused: 2 });
  expect(report.map((row) => row['refused because'])).toEqual([
    expect.stringMatching(/^city/),
    expect.stringMatching(/^source is Facebook Ads, a source that is not active/),
  ]);
  expect(await fieldsOf(organization)).toMatchObject([{ phone: two.phone, city: 'Pune' }]);
});

test('a column "Lead ID" may be mapped: to a field, or to the lead’s id, and the rules hold all the same', async () => {
  const organization = await strictOrganization();
  const [one, two] = [person(), person()];
  const file = (phone: string) =>
    givenFile(
      'leads.csv',
      `Lead ID,Name,Phone,city\n17,Someone,${phone},Pune\n18,No city,${one.phone},\n`,
    );
  const toField = ['--map', 'Lead ID=remarks'];
  const toId = ['--map', 'Lead ID=lead id', '--keep-ids'];

  const answers = [
    await importJson(organization, await file(one.phone), ...toField),
    await importJson(organization, await file(two.phone), ...toId),
  ];

  for (const answer of answers) expect(answer).toMatchObject({ rows: 2, imported: 1, refused: 1 });
  const leads = (await storedLeads(organization)).map(({ lead }) => lead);
  expect(leads.map(({ fields }) => fields)).toEqual([
    expect.objectContaining({ remarks: '17', assigned_to: expect.any(Number) }),
    expect.objectContaining({ phone: two.phone, assigned_to: expect.any(Number) }),
  ]);
  expect(Number(leads[1]?.sk)).toBe(17);
});

test('a line of another system with a lead id is refused, and accepted when the id is ignored', async () => {
  const organization = await strictOrganization();
  const [one, two] = [person(), person()];
  const lines = [
    { leadId: 5, ...one, city: 'Pune' },
    { leadId: 6, stageId: 11, createdAt: '2026-01-01T00:00:00.000Z', fields: two },
  ];
  const file = await givenFile(
    'leads.jsonl',
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  );

  const unsaid = await importJson(organization, file);
  const reasons = (await readFile(unsaid.report, 'utf8')).trim().split('\n');
  const ignored = await importJson(organization, file, '--ignore', 'leadId');

  expect(unsaid).toMatchObject({ imported: 0, refused: 2 });
  for (const line of reasons)
    expect(JSON.parse(line)['refused because']).toMatch(
      /^The line has "leadId".*--ignore 'leadId'/,
    );
  expect(ignored).toMatchObject({ imported: 1, refused: 1 });
});

/** What a spreadsheet makes of a CSV file that is opened and saved. */
const resaved = (text: string): string =>
  `\uFEFF${stringify(parse(text), { delimiter: ';', record_delimiter: 'windows' })}`;
const remarks = `a;=1+1\n＝1\r\n- x;'=1;"=1`;

test('an export that a spreadsheet has saved is taken as it was, also with what is no longer active', async () => {
  const organization = await givenOrganization();
  const { settings } = organization;
  await givenLead(organization, { fields: { source: 3, remarks } });
  const exported = files.newPath('leads.csv');
  await json(organization, 'lead export', '--out', exported);
  const other = await givenOrganization({ ...settings, ...strict(organization), id: undefined });
  const file = await files.write('leads.csv', resaved(await files.read(exported)));

  const answer = await importJson(other, file);

  expect(answer).toMatchObject({ imported: 1, refused: 0 });
  expect(await fieldsOf(other)).toEqual(await fieldsOf(organization));
});

test.each([
  ['that says in other words that it is an export’s', '5,yes', 'lead service export must be empty'],
  ['added by hand to an export', ',', 'city is required'],
  [
    'with a lead id that would leave none for new leads',
    '2147483647,organization 1',
    'lead id must be an integer from 1 to 1000000000.',
  ],
])('a row %s is refused', async (_, ids, reason) => {
  const organization = await strictOrganization();
  const rows = `lead id,lead service export,name,phone,city\n${ids},Someone,${person().phone},\n`;
  const { report, ...answer } = await importJson(
    organization,
    await givenFile('leads.csv', rows),
    '--keep-ids',
  );

  expect(answer).toMatchObject({ imported: 0, refused: 1 });
  expect(await readFile(report, 'utf8')).toContain(reason);
});
