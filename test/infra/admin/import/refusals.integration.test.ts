import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changeSettings, storedLeads } from '../../../support/leads.ts';
import {
  type GivenOrganization,
  givenOrganization,
  useOrganization,
} from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';
import { useFolder } from '../../given-folder.ts';
import { run } from '../commands.ts';
import { fieldsOf, importJson, refusedIn } from './given-files.ts';

const files = useFolder();
const givenFile = files.write;

const wrongFiles: [name: string, content: string | Buffer, args: string[], message: RegExp][] = [
  [
    'title.csv',
    'Customers;;\na;phone;city\n',
    ['--map', 'a=name'],
    /has one cell, "Customers".*Delete the title .* another sheet of a workbook with --sheet\.$/,
  ],
  ['empty.csv', '', [], /is empty/],
  ['quotes.csv', 'name,phone\n"A,1\n', [], /is not a CSV file: Quote Not Closed/],
  ['zip.csv', 'PK\u0003\u0004', [], /zip\.csv is an \.xlsx workbook: name it \.xlsx\.$/],
  ['leads.xls', 'x', [], /must end in \.xlsx, \.csv or \.jsonl: save a table as \.xlsx/],
  [
    'map.csv',
    'a,phone\nA,1\n',
    ['--map', 'a=nmae'],
    /--map "a=nmae": "nmae" is not a field .* did you mean "name"\?/,
  ],
  [
    'maptypo.csv',
    'Full name,phone\nA,1\n',
    ['--map', 'Ful name=name'],
    /--map "Ful name=name": \S+ has no column "Ful name"; did you mean "Full name"\?$/,
  ],
  [
    'ignore.csv',
    'name,phone,city\nA,1,B\n',
    ['--ignore', 'ciyt'],
    /--ignore "ciyt": .* did you mean "city"\?$/,
  ],
  [
    'value.csv',
    'name,phone,city\nA,1,B\n',
    ['--value', 'ctiy:a=b'],
    /value.csv has no column "ctiy"; did you mean "city"\?$/,
  ],
  [
    'id.csv',
    'Lead ID,Name,Phone\n17,A,1\n',
    ['--map', 'Lead ID=lead id'],
    /Add --keep-ids, or use --ignore "Lead ID"\./,
  ],
  [
    'folder.csv',
    'name,phone\n',
    ['--report', tmpdir()],
    /The report \S+ cannot be written: it is not a file\.$/,
  ],
  [
    'nofolder.csv',
    'name,phone\n',
    ['--report', join(tmpdir(), 'absent', 'r.csv')],
    /its folder does not exist\.$/,
  ],
];

const shared = useOrganization();
test.each(wrongFiles)(
  'refuses %s in one sentence that says what to do',
  async (name, content, args, message) => {
    const file = await givenFile(name, content);

    const answer = await run(shared, 'lead import', file, ...args);

    expect({ status: answer.status, stdout: answer.stdout }).toEqual({ status: 1, stdout: '' });
    expect(answer.stderr.trim()).toMatch(message);
    expect(answer.stderr.trim().split('\n')).toHaveLength(1);
    expect(await storedLeads(shared)).toEqual([]);
  },
);

test('a line of a JSONL file that is not an object, or names an unknown field, is refused by itself', async () => {
  const organization = await givenOrganization();
  const { phone } = person();
  const file = await givenFile(
    'lines.jsonl',
    `{"name":"A"\n[1]\n{"name":"B","phne":"${phone}"}\n{"name":{},"phone":"1"}\n{"name":"C","phone":"${phone}"}\n`,
  );

  const { report, ...counts } = await importJson(organization, file);
  const refused = (await readFile(report, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

  expect(counts).toMatchObject({ rows: 5, imported: 1, refused: 4 });
  expect(refused.map((row) => [row['refused row'], row['refused because']])).toEqual([
    [1, 'The line is not a JSON object.'],
    [2, 'The line is not a JSON object.'],
    [3, '"phne" is not a field of the organization; did you mean "phone"?'],
    [4, expect.stringMatching(/^name must be a string/)],
  ]);
});

/** An organization in which city is asked for and the source Facebook Ads is not active any more. */
async function strictOrganization(): Promise<GivenOrganization> {
  const organization = await givenOrganization();
  const { sources, fields } = organization.settings;
  await changeSettings(organization, {
    sources: sources.map((source) => ({ ...source, active: source.id === 1 })),
    fields: fields.map((field) =>
      field.key === 'city' ? { ...field, requiredOnCreate: true } : field,
    ),
  });
  return organization;
}

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

  const unsaid = await run(organization, 'lead import', file, '--keep-ids');
  const ignored = await importJson(organization, file, '--ignore', 'Lead ID');
  const report = await refusedIn(ignored.report);

  expect(unsaid).toMatchObject({ status: 1, stderr: '' });
  expect(unsaid.stdout).toMatch(/"Lead ID": ignored: it has the lead IDs of another system\n/);
  expect(ignored).toMatchObject({ rows: 3, imported: 1, refused: 2 });
  expect(report.map((row) => row['refused because'])).toEqual([
    expect.stringMatching(/^city/),
    expect.stringMatching(/^source is Facebook Ads, a source that is not active/),
  ]);
  expect(await fieldsOf(organization)).toMatchObject([{ phone: two.phone, city: 'Pune' }]);
});

test('a column "Lead ID" may be mapped to a field or to the lead’s ID, and the rules still hold', async () => {
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
