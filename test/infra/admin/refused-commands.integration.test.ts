import { beforeAll, expect, test } from 'vitest';
import { runAdmin } from '../../support/admin.ts';
import { givenOrganization } from '../../support/organizations.ts';
import { useOwnTable } from '../../support/own-table.ts';

useOwnTable();

let organizationId: number;
beforeAll(async () => {
  organizationId = (
    await givenOrganization({
      users: [
        { id: 7, name: 'Asha Rao' },
        { id: 8, name: 'Ravi Iyer' },
        { id: 9, name: 'Meera Das', active: false },
      ],
    })
  ).id;
});

/** Status 1: what the command names is not there, or the file is refused. `O` stands for `--organization` and an organization. */
const refused: [command: string, sentence: RegExp][] = [
  ['organization show 999', /^There is no organization 999 .*\.$/],
  ['key list --organization 999', /no organization 999/],
  ['organization apply nothing.json', /nothing\.json cannot be read: the file does not exist/],
  ['organization apply test', /it is a folder/],
  ['key revoke O --key nothing000', /no API key with the ID nothing000/],
  ['key create O --type website-form --label w --created-by 999', /no user 999/],
  ['lead archive O --lead 2000000000', /no lead 2000000000/],
  ['lead show O --lead 99', /^Organization \d+ has no lead 99\.$/],
  [
    'lead edit O --lead 1 --set budget=12.500',
    /^budget can be read as two numbers\. Write it like 12500\.5\.$/,
  ],
  ['lead edit O --lead 1 --owner Nobody', /has no user "Nobody": its users are 7/],
  ['lead find O --phone +919812300000', /has no lead with the phone \+919812300000\.$/],
  ['lead find O --email nobody@example.com', /has no lead with the email nobody@example\.com\.$/],
  [
    'lead list O --stage 99',
    /has no stage 99: its stages are 11 \(New\), 12 \(Enrolled\), 21 \(Enquiry\)\.$/,
  ],
  ['lead list O --owner 99', /has no user 99: its users are 7 \(Asha Rao\), /],
  [
    'lead reassign O --from 7 --yes --to 9',
    /^User 9 \(Meera Das\) is inactive and cannot be given leads: name active users with --to\.$/,
  ],
  [
    'lead reassign O --from 7 --yes --to 8,7',
    /^User 7 already owns these leads: name other users with --to\.$/,
  ],
];

/** Status 2. */
const wrongUsage: [command: string, sentence: RegExp][] = [
  ['orgnization show 1', /Did you mean organization\?/],
  ['organization show 1 --jsno', /Did you mean --json\?/],
  ['organization show', /^Required option '--organization <ID>' not specified\. See: /],
  ['organization show 1 --organization 1', /^Name one organization, by --organization ID or /],
  ['lead import a.csv 1 2', /^Too many arguments for 'import'\. .*\. See: /],
  ['lead show 1', /^Required option '--lead <ID>' not specified\. See: /],
  [
    'organization show abc',
    /value 'abc' is invalid .* It must be an integer from 1 to 2147483647\. See: /,
  ],
  [
    'lead reassign O',
    /^Required options '--from <USER>', '--to <USER>' not specified\. See: npm run admin -- lead reassign --help$/,
  ],
  [
    'lead list --organisation 1',
    /^Unknown option '--organisation' \(Did you mean --organization\?\) See: npm run admin -- lead list --help$/,
  ],
  ['lead list --organisation=1', /Did you mean --organization\?/],
  ['lead list --organization', /^Option '--organization <ID>' needs a value\. See: /],
  ['lead list O --updated-since 31.01.2026', /It must be a date, or a date-time with an offset/],
  ['lead list O --limit 0', /It must be an integer from 1 to 10000\./],
  ['lead list O --limit 1.5', /It must be an integer from 1 to 10000\./],
  [
    'lead archive O --lead 2 --yes',
    /^Unknown option '--yes'\. See: npm run admin -- lead archive --help$/,
  ],
  ['lead archive O --lead 1,,2', /It must be /],
  ['lead edit O --lead 1', /^Name what to change, such as --set city=Pune\. See: /],
  ['lead edit O --lead 1 --set city', /It must be a field key and a value: city=Pune\./],
  ['lead edit O --lead 1 --note %20', /It must be a text of 1 to 5000 characters\./],
  ['--organization 1 lead list', /^Unknown option '--organization'\. See: /],
  [
    'request --stack leads -JKJaXmPLvHcESHA=',
    /^Unknown option '-JKJaXmPLvHcESHA='\. An ID that begins with - comes after --\. See: /,
  ],
  ['lead delete', /^Unknown command 'delete'\. See: npm run admin -- lead --help$/],
  ['key revoke O --key leads_live_SECRET0000_x', /argument 'leads_live_…' is invalid\. It must be/],
  ['key create O --type app --label w --created-by 1', /website-form, application/],
  ['key create O --type application --label w --created-by 1', /at least one/],
  [
    'key create O --type website-form --scopes leads.read --label w --created-by 1',
    /only leads\.capture/,
  ],
  [
    'key create O --type application --scopes lead.read --label w --created-by 1',
    /Did you mean leads\.read\?/,
  ],
  [
    'lead find O',
    /^Give exactly one of --phone, --email and --name\. See: npm run admin -- lead find /,
  ],
  ['lead find O --phone +919812300000 --email a@b.co', /^Give exactly one of --phone/],
  ['lead find O --phone 12', /must be a phone number, such as .* or at least 4 digits of one\./],
  ['lead find O --email nobody', /must be an email address, such as/],
  ['lead find O --name %20', /must be a part of a name/],
  [
    'lead export O --out leads.txt',
    /'--out leads\.txt' must end in \.csv, \.jsonl or \.xlsx, or add --format csv or --format jsonl\./,
  ],
  ['lead export O --separator tab', /^Option '--separator' needs --excel\./],
  ['lead export O --excel --format jsonl', /^Option '--excel' writes CSV/],
  ['lead timelines O --resume', /needs --out/],
  [
    'lead import O leads.csv --dates dd-mm-yyyy',
    /Allowed choices are dd\/mm\/yyyy, mm\/dd\/yyyy, dd\.mm\.yyyy, yyyy-mm-dd/,
  ],
  ['lead import O leads.csv --value city', /such as 'Newsletter:ja=yes'/],
  ['lead import O leads.csv --rate 5000', /integer from 1 to 400/],
  ['lead import O leads.csv --map a', /such as 'Full name=name'/],
  ['lead import O leads.csv --map a=name --map a=city', /"a" is already mapped/],
  ['check --rate 0', /It must be an integer from 1 to 40000\./],
];

test.each([
  ...refused.map(([command, sentence]) => ({ command, status: 1, sentence })),
  ...wrongUsage.map(([command, sentence]) => ({ command, status: 2, sentence })),
])('$command ends with status $status and one sentence', async ({ command, status, sentence }) => {
  const args = command.replace(' O', ` --organization ${organizationId}`).split(' ');

  const { stdout, stderr, ...reply } = await runAdmin(args.map(decodeURIComponent));

  expect({ status: reply.status, stdout }).toEqual({ status, stdout: '' });
  expect(stderr.trim()).toMatch(sentence);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test.each([
  ...['organization apply', 'organization show', 'organization list', 'key create', 'key list'],
  ...['key revoke', 'lead archive', 'lead restore', 'lead timeline', 'lead find', 'lead list'],
  ...['lead show', 'lead reassign', 'check'],
])('%s --help shows an example of it', async (command) => {
  const { status, stdout } = await runAdmin([...command.split(' '), '--help']);

  expect(status).toBe(0);
  expect(stdout).toMatch(
    new RegExp(`Examples?:\\n(.*\\n)*? +npm run (--silent )?admin -- ${command}`),
  );
});

test('help shows --json, which options are required, and what they include', async () => {
  const { stdout } = await runAdmin(['key', 'create', '--help']);

  expect(stdout).toMatch(/--json/);
  expect(stdout).toMatch(/--label <L> .*\(required\)\n/);
  expect(stdout).toMatch(/leads\.write includes leads\.read\n/);
  expect(stdout).toMatch(/730 days for website-form, 90 for\s+application/);
});
