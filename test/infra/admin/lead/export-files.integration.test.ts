import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import readExcelFile from 'read-excel-file/node';
import { expect, test } from 'vitest';
import { setArchived } from '../../../../shared/store/leads/archive.ts';
import { adminJson, runAdmin } from '../../../support/admin.ts';
import { givenLead, leadsOf } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';
import { service } from '../../../support/service.ts';
import { inherited, node24, projectFolder } from '../../../support/service-process.ts';
import { customField, sampleSettings } from '../../../support/settings.ts';
import { table } from '../../../support/table.ts';
import { useFolder } from '../../given-folder.ts';
import { commandOf, doneTo, json, run } from '../commands.ts';

const files = useFolder();

const exportArgs = (organization: GivenOrganization, file: string, ...more: string[]) =>
  commandOf(organization, 'lead export', '--out', file, ...more);
async function idsIn(file: string): Promise<number[]> {
  const text = await readFile(file, 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).leadId]));
}
/** Imports a lead under an id that may be lower than existing ones. Any import or slow request can write such a lead. */
async function givenLeadWithId(organization: GivenOrganization, leadId: number): Promise<void> {
  const file = await files.write(
    'leads.jsonl',
    `${JSON.stringify({ leadId, leadServiceExport: 'organization 1', ...person() })}\n`,
  );
  const { imported } = await json(organization, 'lead import', file, '--keep-ids');
  expect(imported).toBe(1);
}

test('a resumed export continues after the last whole lead of the file', async () => {
  const organization = await givenOrganization();
  for (const leadId of [500, 300, 501]) await givenLeadWithId(organization, leadId);
  await setArchived(table(), organization.id, 300, { archived: true });
  const file = files.newPath('leads.jsonl');
  await adminJson(...exportArgs(organization, file));
  const first = await idsIn(file);
  // The last line is cut, as by a kill.
  await writeFile(file, (await readFile(file, 'utf8')).slice(0, -10));
  for (const leadId of [400, 502]) await givenLeadWithId(organization, leadId);

  const resumed = await adminJson(...exportArgs(organization, file, '--resume'));
  const again = await runAdmin(exportArgs(organization, file, '--resume'));

  expect(first).toEqual([500, 501]);
  expect(resumed).toEqual({ leads: 2, file, after: 500 });
  expect(again.stdout).toBe(`0 leads exported to ${file}, which already had 3 leads.\n`);
  expect(await idsIn(file)).toEqual([500, 501, 502]);
});

test.each(['csv', 'jsonl'])(
  'an export of one organization is not continued in the %s file of another',
  async (format) => {
    const [one, other] = [await givenOrganization(), await givenOrganization()];
    for (const organization of [one, other]) await givenLead(organization);
    const file = files.newPath(`leads.${format}`);
    await adminJson(...exportArgs(one, file));
    const whole = await readFile(file, 'utf8');

    const answer = await runAdmin(exportArgs(other, file, '--resume'));

    expect(answer).toMatchObject({ status: 1, stdout: '' });
    expect(answer.stderr.trim()).toBe(
      `${file} cannot be continued: Record 1 is not a lead of organization ${other.id} as this command writes it now. Start a new file.`,
    );
    expect(await readFile(file, 'utf8')).toBe(whole);
  },
);

test('the audit log records an export whose reader closed the pipe', async () => {
  const organization = await givenOrganization();
  for (let count = 0; count < 12; count += 1)
    await givenLead(organization, { fields: { remarks: 'x'.repeat(40_000) } });
  const child = spawn(node24, ['infra/admin/main.ts', ...commandOf(organization, 'lead export')], {
    cwd: projectFolder,
    env: { ...inherited(), ...service().environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  child.stdout.destroy();
  await once(child, 'close');

  expect(await doneTo(organization)).toEqual(['lead export begun', 'organization apply']);
});

const fieldsOf = async (organization: GivenOrganization) =>
  Object.fromEntries((await leadsOf(organization)).map(({ fields }) => [fields.phone, fields]));

test('an export for a spreadsheet has no formula, and is imported again as it was', async () => {
  const organization = await givenOrganization();
  const hard = {
    city: '=HYPERLINK("http://x")',
    remarks: 'one; "two",\tthree\r\n=4',
    guardian_phone: '+919811111111',
    budget: -1250.5,
    hasOwnProperty: '-5',
  };
  const { phone } = await givenLead(organization, { fields: hard });
  const values = { city: "'+5", remarks: '00411', interests: ['hostel', 'loan'] };
  await givenLead(organization, { fields: values });
  const file = files.newPath('leads.csv');
  const form = ['--excel', '--out', file];

  await json(organization, 'lead export', ...form);
  const third = await givenLead(organization);
  const resumed = await json(organization, 'lead export', ...form, '--resume');
  const text = await readFile(file, 'utf8');
  const other = await givenOrganization();
  const imported = await json(other, 'lead import', file);

  expect(resumed.leads).toBe(1);
  expect(text).toMatch(/^\uFEFFlead id,.*old_notes\r\n/);
  for (const cell of [
    `'${phone}`,
    "'00411",
    "'+919811111111",
    "'-5",
    `"'=HYPERLINK(""http://x"")"`,
  ])
    expect(text).toContain(`,${cell},`);
  expect(text).toContain(',-1250.5,');
  expect(text).toContain(`'${third.phone}`);
  expect(imported).toMatchObject({ imported: 3, refused: 0 });
  expect(await fieldsOf(other)).toEqual(await fieldsOf(organization));
});

test('an .xlsx file has labels as headings, names for IDs, and cells with types', async () => {
  const [label, value] = ['Start', '2026-02-28'];
  const dates = [customField('start_on', 'date', { label }), customField('founded_on', 'date')];
  const fields = [...dates, ...sampleSettings.fields.slice(4)];
  const organization = await givenOrganization({
    fields: [...sampleSettings.fields.slice(0, 3), ...fields],
  });
  const text = '=HYPERLINK("http://x")\nsecond <line> 😀';
  const values = {
    name: 'constructor',
    source: 3,
    city: text,
    budget: -1250.5,
    start_on: value,
    founded_on: '1900-02-28',
    course: 'design',
    interests: ['hostel', 'loan', 'abroad'],
    wants_call: false,
    hasOwnProperty: 'x'.repeat(32_768),
  };
  const { id, phone } = await givenLead(organization, { fields: values });
  const file = files.path('leads.xlsx');

  const answer = await run(organization, 'lead export', '--out', file);
  const [sheet] = await readExcelFile(file);
  const [headings = [], cells = []] = sheet?.data ?? [];
  const row = Object.fromEntries(headings.map((heading, at) => [heading, cells[at]]));
  const [{ createdAt = '' } = {}] = await leadsOf(organization);

  expect(answer).toMatchObject({ status: 0, stdout: `1 lead exported to ${file}.\n` });
  expect(answer.stderr).toContain(`these texts were cut: hasOwnProperty of lead ${id}.`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(headings.slice(0, 4)).toEqual(['Lead id', 'Pipeline', 'Stage', 'Created at (UTC)']);
  expect(row).toMatchObject({
    'Lead id': id,
    'lead service export': `organization ${organization.id}`,
    Stage: 'New',
    'Created at (UTC)': new Date(createdAt),
    'Archived at (UTC)': null,
    Name: 'constructor',
    Phone: phone,
    Source: 'Facebook Ads',
    Owner: 'Asha Rao',
    city: text,
    budget: -1250.5,
    Start: new Date(value),
    founded_on: '1900-02-28', // programs count the days before March 1900 in two ways
    course: 'Product Design',
    interests: 'Hostel, loan, Study abroad',
    wants_call: false,
  });
});

test.each(['csv', 'jsonl', 'xlsx'])(
  'a %s export has the columns that were named, of the leads in a stage and of an owner',
  async (format) => {
    const organization = await givenOrganization();
    const { id } = await givenLead(organization, { fields: { assigned_to: 7 } });
    await setArchived(table(), organization.id, id, { archived: true });
    await givenLead(organization, { stageId: 12, fields: { assigned_to: 8 } });
    const { phone } = await givenLead(organization, { stageId: 12, fields: { assigned_to: 7 } });
    const file = files.path(`chosen.${format}`);
    const chosen = ['--stage', 'enrolled', '--owner', '7', '--columns', 'Phone, owner,stage'];
    chosen.push('--archived');

    const exported = await json(organization, 'lead export', '--out', file, ...chosen);

    expect(exported.leads).toBe(1);
    const expected = {
      csv: `phone,assigned_to,stage\n${phone},Asha Rao,Enrolled\n`,
      jsonl: `${JSON.stringify({ stageId: 12, fields: { phone, assigned_to: 7 } })}\n`,
      xlsx: [
        ['Phone', 'Owner', 'Stage'],
        [phone, 'Asha Rao', 'Enrolled'],
      ],
    };
    const found =
      format === 'xlsx' ? (await readExcelFile(file))[0]?.data : await readFile(file, 'utf8');
    expect(found).toEqual(expected[format as keyof typeof expected]);
  },
);

test('an export with an unknown column or stage writes no file', async () => {
  const organization = await givenOrganization();
  const file = files.path('unknown.csv');
  const exported = (...options: string[]) =>
    run(organization, 'lead export', '--out', file, ...options);

  expect((await exported('--columns', 'phone,Stge')).stderr).toMatch(
    /^--columns: "Stge" is not .* did you mean "stage"\? The columns are lead id, .*, phone, /,
  );
  expect((await exported('--stage', 'Won')).status).toBe(1);
  expect(existsSync(file)).toBe(false);
});
