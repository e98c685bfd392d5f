import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminJson, runAdmin } from '../../../support/admin.ts';
import { givenLead, leadsOf } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'export-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

const own = ({ id }: GivenOrganization) => ['--organization', String(id)];
const fieldsOf = async (organization: GivenOrganization) =>
  (await leadsOf(organization)).map(({ fields }) => fields);

test.each([
  ['comma', ','],
  ['semicolon', ';'],
  ['tab', '\t'],
])(
  'an export for a spreadsheet with the separator %s has a mark, phones as text and no formula, and is imported again as it was',
  async (separator, delimiter) => {
    const organization = await givenOrganization();
    const hard = {
      city: '=HYPERLINK("http://x")',
      remarks: 'one; "two",\tthree\r\n=4',
      guardian_phone: '+919811111111',
      budget: -1250.5,
      hasOwnProperty: '-5',
    };
    const { phone } = await givenLead(organization, { fields: hard });
    await givenLead(organization, { fields: { city: "'+5", interests: ['hostel', 'loan'] } });
    const file = join(folder, `${separator}.csv`);
    const form = ['--excel', '--separator', separator, '--out', file];

    const first = await adminJson('lead', 'export', ...own(organization), ...form);
    const third = await givenLead(organization);
    const resumed = await adminJson('lead', 'export', ...own(organization), ...form, '--resume');
    const text = await readFile(file, 'utf8');
    const other = await givenOrganization();
    const imported = await adminJson('lead', 'import', ...own(other), file);

    expect([first.leads, resumed.leads]).toEqual([2, 1]);
    expect(text.startsWith(`\uFEFFlead id${delimiter}lead service export${delimiter}`)).toBe(true);
    expect(text.split('\r\n')[0]).toMatch(/old_notes$/);
    for (const cell of [`'${phone}`, "'+919811111111", "'-5", `"'=HYPERLINK(""http://x"")"`])
      expect(text).toContain(`${delimiter}${cell}${delimiter}`);
    expect(text).toContain(`${delimiter}-1250.5${delimiter}`);
    expect(text).toContain(`'${third.phone}`);
    expect(imported).toMatchObject({ imported: 3, refused: 0 });
    const byPhone = (a: { phone?: unknown }, b: { phone?: unknown }) =>
      String(a.phone).localeCompare(String(b.phone));
    expect((await fieldsOf(other)).sort(byPhone)).toEqual(
      (await fieldsOf(organization)).sort(byPhone),
    );
  },
);

test('an export for a spreadsheet that was broken off within its byte order mark goes on', async () => {
  const organization = await givenOrganization();
  await givenLead(organization);
  const [whole, broken] = [join(folder, 'whole.csv'), join(folder, 'broken.csv')];
  const exportTo = (file: string, ...more: string[]) =>
    adminJson('lead', 'export', ...own(organization), '--excel', '--out', file, ...more);
  await exportTo(whole);
  const bytes = await readFile(whole);

  for (const length of [1, 2, 3]) {
    await writeFile(broken, bytes.subarray(0, length));
    await exportTo(broken, '--resume');
    expect(await readFile(broken)).toEqual(bytes);
  }
});

test.each([
  [['--separator', 'tab'], /^Option '--separator' needs --excel\./],
  [['--excel', '--format', 'jsonl'], /^Option '--excel' writes CSV/],
  [['--excel', '--out', 'leads.jsonl'], /^Option '--excel' writes CSV/],
  [['--excel', '--out', 'leads.xlsx'], /^Option '--excel' writes CSV/],
  [['--excel', '--separator', ';'], /Allowed choices are comma, semicolon, tab/],
  [['--out', 'leads.txt'], /must end in \.csv or \.jsonl/],
])('lead export %j is wrong usage', async (options, message) => {
  const reply = await runAdmin(['lead', 'export', '--organization', '1', ...options]);

  expect(reply).toMatchObject({ status: 2, stdout: '' });
  expect(reply.stderr).toMatch(message);
});
