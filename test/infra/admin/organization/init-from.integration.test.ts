import { expect, test } from 'vitest';
import { adminJson, runAdmin } from '../../../support/admin.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { useFolder } from '../../given-folder.ts';
import { sheetRow, workbookOf } from '../import/given-files.ts';

const files = useFolder();

useOwnTable();

const headings =
  'Sr No,Student Name,Mobile No.,Counsellor,Lead Status,Enquiry Source,Course,Janm Tithi,Remarks';
const institute = () =>
  [
    headings,
    `1,Asha Rao,${person().phone},Meera Joshi,Contacted,Shiksha Mela,MBA,2001-05-17,Call after 5`,
    `2,Ravi Iyer,${person().phone},meera joshi,New,Website,MBA,2002-01-31,`,
    `3,संजय पाटील,${person().phone},Arun Nair,Enrolled,Shiksha Mela,BBA,,शुल्क विचारले`,
    `4,Kiran,${person().phone},,Not interested,,BBA,,`,
  ].join('\n');
const init = (file: string, list: string, ...more: string[]) =>
  runAdmin(['organization', 'init', file, '--from', list, ...more]);

test('init --from proposes settings that apply as they are, and a plan by which the list is imported', async () => {
  const list = await files.write('leads.csv', institute());
  const file = files.newPath('institute.json');

  const written = await init(file, list, '--json');
  const plan = list.replace('.csv', '.plan.json');
  const settings = JSON.parse(await files.read(file));
  const applied = await runAdmin(['organization', 'apply', file]);
  const ofOrganization = ['--organization', String(settings.id)];
  const imported = await adminJson('lead', 'import', list, ...ofOrganization, '--plan', plan);
  const { items } = await adminJson('lead', 'list', ...ofOrganization);

  expect(written).toMatchObject({ status: 0, json: { file, plan } });
  expect(settings).toMatchObject({
    users: ['Meera Joshi', 'Arun Nair'],
    stages: [
      'New',
      'Contacted',
      { name: 'Enrolled', meaning: 'won' },
      { name: 'Not interested', meaning: 'lost' },
    ],
    sources: ['Website', 'Shiksha Mela'],
    fields: [
      { key: 'course', type: 'select', options: [{ value: 'MBA' }, { value: 'BBA' }] },
      { key: 'janm_tithi', type: 'date' },
    ],
  });
  expect(settings.fields).toHaveLength(2);
  expect(JSON.parse(await files.read(plan)).columns).toEqual({
    'Sr No': null,
    'Student Name': 'name',
    'Mobile No.': 'phone',
    Counsellor: 'assigned_to',
    'Lead Status': 'stage',
    'Enquiry Source': 'source',
    Course: 'course',
    'Janm Tithi': 'janm_tithi',
    Remarks: 'note',
  });
  expect(applied.status).toBe(0);
  expect(imported).toMatchObject({ rows: 4, imported: 4, refused: 0 });
  expect(items).toHaveLength(4);
});

test('init --from overwrites neither the settings file nor a plan, and then writes nothing', async () => {
  const list = await files.write('leads.csv', institute());
  const plan = list.replace('.csv', '.plan.json');
  const [one, two] = [files.newPath('one.json'), files.newPath('two.json')];
  await init(one, list);
  const before = await files.read(plan);

  const planThere = await init(two, list);
  const other = await files.write('other.csv', institute());
  const fileThere = await init(one, other);

  expect([planThere.status, fileThere.status]).toEqual([1, 1]);
  expect(planThere.stderr).toContain(`${plan} cannot be written: a file is in the way.`);
  expect(await files.read(plan)).toBe(before);
  await expect(files.read(two)).rejects.toThrow('ENOENT');
  await expect(files.read(other.replace('.csv', '.plan.json'))).rejects.toThrow('ENOENT');
});

test('init --from reads the sheet and the encoding that are named, and its plan names them too', async () => {
  const book = await files.write('book.xlsx', workbookOf(sheetRow(1, ['Name', 'Mobile'])));
  const list = await files.write('latin.csv', Buffer.from('Naam,Straße,Z\nAsha,Süd,\n', 'latin1'));
  const [one, two] = [files.newPath('one.json'), files.newPath('two.json')];

  const ofSheet = await init(one, book, '--sheet', 'Absent');
  const ofText = await init(two, list, '--encoding', 'windows-1252');
  const alone = await runAdmin(['organization', 'init', one, '--encoding', 'utf-8']);

  expect(ofSheet.stderr).toContain('has no sheet "Absent": its sheets are ');
  expect(ofText.status).toBe(0);
  expect(JSON.parse(await files.read(two)).fields).toMatchObject([{ label: 'Straße' }]);
  const plan = JSON.parse(await files.read(list.replace('.csv', '.plan.json')));
  expect(plan.encoding).toBe('windows-1252');
  expect(alone).toMatchObject({ status: 2, stderr: expect.stringContaining('needs --from') });
});

test.each<[string, string, object]>([
  [
    'an exact heading of stages',
    'Stage\nHot\nNew lead\n',
    { stages: ['New lead', 'Hot'], fields: [] },
  ],
  [
    'stages that are numbers',
    'Stage\n12\n13\n',
    { stages: ['New', { name: 'Won' }, { name: 'Lost' }], fields: [] },
  ],
  [
    'two headings that people read alike',
    'Course,course\nA,x\n',
    { fields: [{ label: 'Course' }, { label: 'course_2' }] },
  ],
  ['a second phone by an exact heading', 'Mobile,Phone\n9822061001,9822061002\n', { fields: [] }],
  ['parts of a name', 'First name,Surname\nAsha,Rao\n', { fields: [] }],
  [
    'codes and numbers',
    'Pin,Marks\n411038,9\n411039,85.5\n',
    {
      fields: [
        { key: 'pin', type: 'text' },
        { key: 'marks', type: 'number' },
      ],
    },
  ],
])('init --from of a list with %s', async (_, rows, expected) => {
  const list = await files.write(
    'small.csv',
    rows.replace('\n', ',Z\n').replace(/([^Z\n])\n/g, '$1,\n'),
  );
  const file = files.newPath('small.json');

  const { status } = await init(file, list);
  const applied = await runAdmin(['organization', 'apply', file, '--dry-run']);

  expect([status, applied.status]).toEqual([0, 0]);
  expect(JSON.parse(await files.read(file))).toMatchObject(expected);
});
