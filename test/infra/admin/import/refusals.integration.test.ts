import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runAdmin } from '../../../support/admin.ts';
import { storedLeads } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';
import { givenFile, importJson, useGivenFiles } from './given-files.ts';

useGivenFiles();

const wrongFiles: [
  name: string,
  content: string | Buffer,
  args: string[],
  status: number,
  message: RegExp,
][] = [
  [
    'columns.csv',
    'nme,phone\nA,1\n',
    [],
    1,
    /"nme" is not a field of the organization; did you mean "name"\? .*--map.*--ignore/,
  ],
  [
    'nophone.csv',
    'name,email\nA,a@example.com\n',
    [],
    1,
    /no column for phone.*--map 'COLUMN=phone'/,
  ],
  ['twice.csv', 'name,phone,Phone \nA,1,2\n', [], 1, /more than one column for phone/],
  ['empty.csv', '', [], 1, /is empty/],
  ['quotes.csv', 'name,phone\n"A,1\n', [], 1, /is not a CSV file: Quote Not Closed/],
  [
    'latin1.csv',
    Buffer.from([
      0x6e, 0x61, 0x6d, 0x65, 0x2c, 0x70, 0x68, 0x6f, 0x6e, 0x65, 0x0a, 0xe9, 0x2c, 0x31, 0x0a,
    ]),
    [],
    1,
    /is not UTF-8/,
  ],
  ['leads.xlsx', 'x', [], 1, /must end in \.csv or \.jsonl/],
  [
    'map.csv',
    'a,phone\nA,1\n',
    ['--map', 'a=nmae'],
    1,
    /--map "a=nmae": "nmae" is not a field .* did you mean "name"\?/,
  ],
  [
    'maptypo.csv',
    'Full name,phone\nA,1\n',
    ['--map', 'Ful name=name'],
    1,
    /--map "Ful name=name": \S+ has no column "Ful name"; did you mean "Full name"\?$/,
  ],
  [
    'mapnone.csv',
    'name,phone\nA,1\n',
    ['--map', 'Mobile=phone'],
    1,
    /has no column "Mobile"; its columns are "name", "phone"\.$/,
  ],
  [
    'ignore.csv',
    'name,phone,city\nA,1,B\n',
    ['--ignore', 'ciyt'],
    1,
    /--ignore "ciyt": .* did you mean "city"\?$/,
  ],
  [
    'maptwice.csv',
    'a,phone\nA,1\n',
    ['--map', 'a=name', '--map', 'a=city'],
    2,
    /"a" is mapped already/,
  ],
  ['map2.csv', 'a,phone\nA,1\n', ['--map', 'a'], 2, /such as 'Full name=name'/],
  ['rate.csv', 'name,phone\n', ['--rate', '5000'], 2, /integer from 1 to 400/],
  [
    'folder.csv',
    'name,phone\n',
    ['--report', tmpdir()],
    1,
    /The report \S+ cannot be written: it is not a file\.$/,
  ],
  [
    'nofolder.csv',
    'name,phone\n',
    ['--report', join(tmpdir(), 'absent', 'r.csv')],
    1,
    /its folder does not exist\.$/,
  ],
];

test.each(wrongFiles)(
  'refuses %s in one sentence that says what would do',
  async (name, content, args, status, message) => {
    const organization = await givenOrganization();
    const file = await givenFile(name, content);

    const answer = await runAdmin([
      'lead',
      'import',
      '--organization',
      String(organization.id),
      file,
      ...args,
    ]);

    expect({ status: answer.status, stdout: answer.stdout }).toEqual({ status, stdout: '' });
    expect(answer.stderr.trim()).toMatch(message);
    expect(answer.stderr.trim().split('\n')).toHaveLength(1);
    expect(await storedLeads(organization)).toEqual([]);
  },
);

test('a file of another system is refused with all that is wrong with its columns, a line each', async () => {
  const organization = await givenOrganization();
  const file = await givenFile('foreign.csv', 'Lead ID,nme,scholarship,phone\n5,A,x,1\n');
  const args = ['lead', 'import', '--organization', String(organization.id), file];

  const { status, stderr } = await runAdmin(args);

  expect(status).toBe(1);
  expect(stderr.trimEnd().split('\n')).toEqual([
    `${file} has 2 unknown columns. Name the field with --map 'COLUMN=FIELD', keep a text as a note with --map 'COLUMN=note', or ignore the column with --ignore 'COLUMN'.`,
    '  "nme" is not a field of the organization; did you mean "name"?',
    '  "scholarship" is not a field of the organization.',
    expect.stringMatching(
      /^ {2}The fields are name, phone, email, source, assigned_to, lead_type, .*\.$/,
    ),
    expect.stringMatching(/has "Lead ID", but not .*--ignore 'Lead ID'/),
  ]);
});

test('a line of a JSONL file that is none, or says something unknown, is refused by itself', async () => {
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
