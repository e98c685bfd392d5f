import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { runAdmin } from '../../../support/admin.ts';
import { leadsOf, storedLeads } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';
import { useFolder } from '../../given-folder.ts';
import { json, run } from '../commands.ts';
import { fieldsOf, importJson } from './given-files.ts';

const files = useFolder();
type Organization = Awaited<ReturnType<typeof givenOrganization>>;

/** The plan that an import proposes for a file, and what it prints with `--json`. */
async function proposalFor(organization: Organization, file: string, ...more: string[]) {
  const { status, json: proposed } = await run(
    organization,
    'lead import',
    file,
    ...more,
    '--json',
  );
  return { status, ...proposed, file: JSON.parse(await files.read(proposed.plan)) };
}

test('a file with an inexact heading gets a plan beside it, and nothing is imported', async () => {
  const organization = await givenOrganization();
  const { phone } = person();
  const file = await files.write(
    'leads.csv',
    `Full name,Mobile,email,Counsellor,Row\nAsha,${phone},,Ravi Iyer,1\n`,
  );

  const { status, plan, open, rows, file: proposal } = await proposalFor(organization, file);

  expect(status).toBe(1);
  expect(plan).toBe(file.replace('.csv', '.plan.json'));
  expect(proposal).toEqual({
    columns: {
      'Full name': 'name',
      Mobile: 'phone',
      email: 'email',
      Counsellor: 'assigned_to',
      Row: null,
    },
  });
  expect(open.map(({ column }: { column: string }) => column)).toEqual([
    'Full name',
    'Mobile',
    'Counsellor',
    'Row',
  ]);
  expect(rows).toEqual([{ name: 'Asha', phone, email: null, assigned_to: 'Ravi Iyer' }]);
  expect(await storedLeads(organization)).toEqual([]);
  expect(await importJson(organization, file, '--plan', plan)).toMatchObject({ imported: 1 });
  expect(await fieldsOf(organization)).toMatchObject([{ name: 'Asha', phone, assigned_to: 8 }]);
});

test('an existing plan is neither used nor overwritten, and the sentence names it and --plan', async () => {
  const organization = await givenOrganization();
  const file = await files.write('twice.csv', `Full name,phone\nAsha,${person().phone}\n`);
  const { plan } = await proposalFor(organization, file);
  const before = await files.read(plan);

  const again = await run(organization, 'lead import', file);

  expect(again).toMatchObject({ status: 1, stdout: '' });
  expect(again.stderr).toContain(`add --plan ${plan}`);
  expect(await files.read(plan)).toBe(before);
});

test('lead IDs of another system are open, and proposed to be ignored', async () => {
  const organization = await givenOrganization();
  const file = await files.write('ids.csv', `Lead ID,name,phone\n1,A,${person().phone}\n`);

  const { open, file: proposal } = await proposalFor(organization, file);

  expect(open).toEqual([
    { column: 'Lead ID', why: 'ignored: it has the lead IDs of another system' },
  ]);
  expect(proposal.columns).toEqual({ 'Lead ID': null, name: 'name', phone: 'phone' });
});

test('a missing column is open too', async () => {
  const organization = await givenOrganization();
  const file = await files.write('nophone.csv', 'name,email\nA,a@example.com\n');

  const { open, file: proposal } = await proposalFor(organization, file);

  expect(open).toEqual([{ column: null, why: 'no column for phone' }]);
  expect(proposal.columns).toEqual({ name: 'name', email: 'email' });
});

test('a second column for a single target is open, and so is one with fewer values than its rival', async () => {
  const organization = await givenOrganization();
  const [one, two] = [person(), person()];
  const twice = await files.write('twice.csv', `name,phone,Phone,phone\nA,${one.phone},1,2\n`);
  const rivals = await files.write(
    'rivals.csv',
    `name,phone,Mobile\nA,,${one.phone}\nB,${two.phone},${two.phone}\n`,
  );

  const columns = async (file: string) => (await proposalFor(organization, file)).file.columns;

  expect(await columns(twice)).toEqual({
    name: 'name',
    phone: 'phone',
    Phone: null,
    'phone (2)': null,
  });
  expect(await columns(rivals)).toEqual({ name: 'name', phone: null, Mobile: 'phone' });
});

test('values identify a column if its heading does not', async () => {
  const organization = await givenOrganization();
  const rows = [1, 2, 3].map((day) => {
    const { phone, email } = person();
    return `N${day},${phone},${email},Asha Rao,Enrolled,Facebook Ads,MBA,hostel;loan,2${day}-01-2026`;
  });
  const file = await files.write('values.csv', `name,A,B,C,D,E,F,G,H\n${rows.join('\n')}\n`);

  const { file: proposal } = await proposalFor(organization, file);

  expect(proposal).toEqual({
    columns: {
      ...{ name: 'name', A: 'phone', B: 'email', C: 'assigned_to', D: 'stage', E: 'source' },
      ...{ F: 'course', G: 'interests', H: { to: 'created at', dates: 'dd-mm-yyyy' } },
    },
    listSeparator: ';',
  });
});

test.each([
  ['03/04/2026', ['"dd/mm/yyyy" or "mm/dd/yyyy"']],
  ['03-04-2026', ['"dd-mm-yyyy"']],
])('a form of dates is not guessed from %s', async (date, forms) => {
  const organization = await givenOrganization();
  const file = await files.write(
    'dates.csv',
    `name,phone,Enquiry date\nA,${person().phone},${date}\n`,
  );

  const { open, file: proposal } = await proposalFor(organization, file);

  expect(proposal.columns['Enquiry date']).toBe('created at');
  expect(open[0].why).toContain(
    `day and month cannot be told apart: write {"to": "created at", "dates": ${forms}}`,
  );
});

test('a plan is whole: columns join, values are replaced, and zone, list separator and dates hold', async () => {
  const organization = await givenOrganization();
  const [one, two] = [person(), person()];
  const file = await files.write(
    'whole.csv',
    [
      'First,Last,Mobile,When,Status,Likes,More,Remark,Remark,Fee,Junk',
      `Asha,Rao,${one.phone},5-7-2026 2:30 PM,Hot,hostel|loan,,Called,Twice,"1.250,5",x`,
      `Ravi,,${two.phone},14-Mar-2026,none,none,abroad,,,none,x`,
    ].join('\n'),
  );
  const plan = await files.write('whole.plan.json', {
    $schema: 'plan.schema.json',
    columns: {
      ...{ First: 'name', Last: 'name', Mobile: 'phone', Remark: 'note', 'Remark (2)': 'note' },
      ...{ When: { to: 'created at', dates: 'dd-mm-yyyy' }, Fee: 'budget' },
      ...{
        Status: { to: 'stage', values: { hot: 'Enrolled' } },
        Likes: 'interests',
        More: 'interests',
      },
    },
    ...{ others: 'ignore', timeZone: 'Asia/Kolkata', listSeparator: '|', decimal: 'comma' },
    values: { none: null },
  });

  const imported = await importJson(organization, file, '--plan', plan);
  const again = await importJson(organization, file, '--plan', plan);

  expect(imported).toMatchObject({ imported: 2, refused: 0, ignored: ['Junk'] });
  expect(again).toMatchObject({ imported: 0, alreadyThere: 2 });
  const [first, second] = await leadsOf(organization);
  expect(first).toMatchObject({
    fields: { name: 'Asha Rao', interests: ['hostel', 'loan'], budget: 1250.5 },
    ...{ stageId: 12, createdAt: '2026-07-05T09:00:00.000Z' },
  });
  expect(second).toMatchObject({
    fields: { name: 'Ravi', interests: ['abroad'] },
    ...{ stageId: 11, createdAt: '2026-03-13T18:30:00.000Z' },
  });
  expect(second?.fields).not.toHaveProperty('budget');
  const { items } = await json(organization, 'lead timeline', '--lead', first?.id ?? 0);
  expect(items[1]).toMatchObject({ type: 'note_added', text: 'Remark: Called\nRemark (2): Twice' });
  expect(await json(organization, 'lead import', file, '--plan', plan, '--undo', '--yes')).toEqual({
    removed: 2,
    kept: [],
  });
});

test('an option overrides the plan, even for the dates of a column', async () => {
  const organization = await givenOrganization();
  const { phone } = person();
  const file = await files.write('outrank.csv', `N,P,When,City\nA,${phone},3/4/2026,x\n`);
  const plan = await files.write('outrank.plan.json', {
    columns: { N: 'name', P: null, When: { to: 'created at', dates: 'dd/mm/yyyy' }, City: 'city' },
  });

  const options = ['--map', 'P=phone', '--dates', 'mm/dd/yyyy', '--ignore', 'City'];
  await importJson(organization, file, '--plan', plan, ...options);

  expect(await leadsOf(organization)).toMatchObject([{ createdAt: '2026-03-04T00:00:00.000Z' }]);
  expect(await fieldsOf(organization)).toEqual([expect.not.objectContaining({ city: 'x' })]);
});

test('a refused name is repeated with the name that was probably meant, as the plan would have it', async () => {
  const organization = await givenOrganization();
  const rows = ['A,98200 10001,Asha Ro', 'B,98200 10002,Zed'];
  const file = await files.write('near.csv', ['Name,Phone,Who', ...rows].join('\n'));
  const columns = { Name: 'name', Phone: 'phone', Who: 'owner' };
  const plan = await files.write('near.plan.json', { columns });

  const planned = await run(organization, 'lead import', file, '--plan', plan, '--dry-run');
  const mapped = await run(organization, 'lead import', file, '--map', 'Who=owner', '--dry-run');

  expect(planned.stdout).toContain(
    'did you mean Asha Rao? Add to the column in the plan: "values": {"Asha Ro": "Asha Rao"}.\n',
  );
  expect(planned.stdout).toContain(
    ' Add to the column in the plan: "values": {"Zed": "VALUE"}, where VALUE is what it means.\n',
  );
  expect(mapped.stdout).toContain("Asha Rao? Add --value 'Who:Asha Ro=Asha Rao'.\n");
});

test.each([
  [
    'lacks columns of the plan',
    { Name: 'name', Gone: null, Lost: 'city', Phone: 'phone', email: 'email' },
    /no column "Gone", "Lost"/,
  ],
  [
    'has columns that the plan does not name',
    { Name: 'name', Phone: 'phone' },
    /does not name "email": add each/,
  ],
  [
    'has a column for no field',
    { Name: 'nme', Phone: 'phone', email: null },
    /"nme" is not a field .* did you mean "name"\?/,
  ],
])('a file that %s is refused, and all are named', async (_, columns, message) => {
  const organization = await givenOrganization();
  const file = await files.write(
    'fit.csv',
    `Name,Phone,email\nA,${person().phone},a@example.com\n`,
  );
  const plan = await files.write('fit.plan.json', { columns });

  const answer = await run(organization, 'lead import', file, '--plan', plan);

  expect(answer).toMatchObject({ status: 1, stdout: '' });
  expect(answer.stderr).toMatch(message);
  expect(await storedLeads(organization)).toEqual([]);
});

test('a plan with unknown members is refused with each of them, by the printed schema', async () => {
  const organization = await givenOrganization();
  const file = await files.write('members.csv', `name,phone\nA,${person().phone}\n`);
  const wrong = {
    columns: { name: { to: 'name', form: 1 }, phone: 3 },
    ...{ other: 'ignore', dates: 'dd/mm', timeZone: 'Mars/Base', country: 'XX', encoding: 'utf-9' },
  };
  const plan = await files.write('members.plan.json', wrong);

  const answer = await run(organization, 'lead import', file, '--plan', plan);
  const schema = await runAdmin(['lead', 'import', '--plan-schema', '--json']);
  const matches = new Ajv2020({ allErrors: true }).compile(schema.json);

  expect(answer.status).toBe(1);
  for (const name of [
    'columns.name',
    'columns.phone',
    'other',
    'dates',
    'timeZone',
    'country',
    'encoding',
  ])
    expect(answer.stderr).toContain(`\n  $.${name} `);
  expect(schema.json.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
  expect(matches(wrong)).toBe(false);
  expect(
    matches({
      columns: { a: 'name', b: null, c: { to: 'stage', values: { x: null } } },
      others: 'ignore',
    }),
  ).toBe(true);
});
