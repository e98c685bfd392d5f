import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { storedLeads } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';
import { useFolder } from '../../given-folder.ts';
import { run } from '../commands.ts';
import { importJson } from './given-files.ts';

const { write: givenFile } = useFolder();

const wrongFiles: [name: string, content: string | Buffer, args: string[], message: RegExp][] = [
  ['nophone.csv', 'name,email\nA,a@example.com\n', [], /no column for phone.*--map 'COLUMN=phone'/],
  ['twice.csv', 'name,phone,Phone \nA,1,2\n', [], /more than one column for phone/],
  [
    'title.csv',
    'Customers;;\na;phone;city\n',
    ['--map', 'a=name'],
    /has one cell, "Customers".*Delete the title .* another sheet of a workbook with --sheet\.$/,
  ],
  ['empty.csv', '', [], /is empty/],
  ['quotes.csv', 'name,phone\n"A,1\n', [], /is not a CSV file: Quote Not Closed/],
  [
    'latin1.csv',
    Buffer.from([
      0x6e, 0x61, 0x6d, 0x65, 0x2c, 0x70, 0x68, 0x6f, 0x6e, 0x65, 0x0a, 0xe9, 0x2c, 0x31, 0x0a,
    ]),
    [],
    /is not UTF-8/,
  ],
  ['zip.csv', 'PK\u0003\u0004', [], /zip\.csv is an \.xlsx workbook: name it \.xlsx\.$/],
  ['leads.xls', 'x', [], /must end in \.xlsx, \.csv or \.jsonl: save a table as \.xlsx/],
  ['leads.xlsx', 'x', [], /is not an \.xlsx workbook: save it as \.xlsx/],
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
    /the file has no column "ctiy"; did you mean "city"\?$/,
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

test.each(wrongFiles)(
  'refuses %s in one sentence that says what would do',
  async (name, content, args, message) => {
    const organization = await givenOrganization();
    const file = await givenFile(name, content);

    const answer = await run(organization, 'lead import', file, ...args);

    expect({ status: answer.status, stdout: answer.stdout }).toEqual({ status: 1, stdout: '' });
    expect(answer.stderr.trim()).toMatch(message);
    expect(answer.stderr.trim().split('\n')).toHaveLength(1);
    expect(await storedLeads(organization)).toEqual([]);
  },
);

test('a file of another system is refused with all that is wrong with its columns, a line each', async () => {
  const organization = await givenOrganization();
  const file = await givenFile('foreign.csv', 'Lead ID,nme,scholarship,phone\n5,A,x,1\n');

  const { status, stderr } = await run(organization, 'lead import', file);

  expect(status).toBe(1);
  expect(stderr.trimEnd().split('\n')).toEqual([
    `${file} has 2 unknown columns. Name the field with --map 'COLUMN=FIELD', keep a text as a note with --map 'COLUMN=note', or ignore the column with --ignore 'COLUMN'.`,
    '  "nme" is not a field of the organization; did you mean "name"?',
    '  "scholarship" is not a field of the organization.',
    expect.stringMatching(
      /^ {2}The fields are name, phone, email, .*; other columns can be owner, stage, .*, archived at, note\.$/,
    ),
    expect.stringMatching(/has "Lead ID", but not .*--ignore 'Lead ID'/),
  ]);
});

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
