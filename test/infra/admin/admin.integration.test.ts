import { expect, test } from 'vitest';
import { smallFile } from '../../shared/organization/settings-cases.ts';
import { runAdmin, spawnAdmin } from '../../support/admin.ts';
import { givenOrganization, newSettings, useOrganization } from '../../support/organizations.ts';
import { useOwnTable } from '../../support/own-table.ts';
import { useFolder } from '../given-folder.ts';

useOwnTable();
const files = useFolder();
const givenFile = (content: object) => files.write('settings.json', content);

test('organization apply refuses a file with keys unless told to ignore them', async () => {
  const file = await givenFile({ ...smallFile(), id: newSettings().id });

  const refused = await runAdmin(['organization', 'apply', file]);
  const ignored = await runAdmin(['organization', 'apply', file, '--ignore-keys']);

  expect([refused.status, ignored.status]).toEqual([1, 0]);
  expect(refused.stderr).toMatch(/--ignore-keys/);
});

test('organization apply prints each problem of a refused file on its own line', async () => {
  const file = await givenFile({ ...newSettings(), modules: 'crm', extra: 1 });

  const { status, stdout, stderr } = await runAdmin(['organization', 'apply', file, '--json']);

  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr.trim().split('\n')).toEqual([
    'The settings file has 2 problems.',
    expect.stringMatching(/^ {2}\$\.extra is not a property/),
    expect.stringMatching(/^ {2}\$\.modules must be a list/),
  ]);
});

test.each([
  'organization show',
  'organization history',
  'organization diff --from 1',
  'key list',
  'lead list',
  'lead import nothing.csv',
])('%s reads its organization from --organization or from an argument', async (command) => {
  const { id } = await givenOrganization();
  const args = command.split(' ');

  const withArgument = await runAdmin([...args, String(id)]);

  expect(withArgument).toEqual(await runAdmin([...args, '--organization', String(id)]));
  expect(withArgument.stdout + withArgument.stderr).toMatch(
    /"version"|WHEN|versions 1|KEY ID|no leads|nothing.csv/,
  );
});

test('the process of a command ends with its status, and prints to its own stderr', async () => {
  const { status, stdout, stderr } = await spawnAdmin(['organization', 'show', '999']).ended;

  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^There is no organization 999 .*\n$/);
});

test.each([
  [
    'no LEADS_TABLE and no local service',
    { LEADS_TABLE: '' },
    /^LEADS_TABLE is not set, and no local service runs on \.local: start it with npm start/,
  ],
  ['another table', { LEADS_TABLE: 'nowhere' }, /^There is no table nowhere at http/],
  [
    'nobody at the address',
    { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' },
    /^DynamoDB cannot be reached at http:\/\/127\.0\.0\.1:1/,
  ],
  ['no region', { AWS_REGION: '' }, /^AWS_REGION is not set to a region/],
])('with %s it says so in one sentence', async (_, environment, message) => {
  const { status, stderr } = await runAdmin(['organization', 'show', '1'], { environment });

  expect(status).toBe(1);
  expect(stderr.trim()).toMatch(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

const organization = useOrganization();

/** Status 1: what the command names is not there, or the file is refused. `O` stands for `--organization` and an organization. */
const refused: [command: string, sentence: RegExp][] = [
  ['organization show 999', /^There is no organization 999 .*\.$/],
  [
    'organization apply nothing.json',
    /nothing\.json cannot be read: the file or its folder does not exist/,
  ],
  ['key revoke O --key nothing000', /no API key with the ID nothing000/],
  ['key create O --type website-form --label w --created-by 999', /no user 999/],
  ['lead archive O --lead 2000000000', /no lead 2000000000/],
  ['lead show O --lead 99', /^Organization \d+ has no lead 99\.$/],
  ['lead edit O --lead 1 --set budget=12.500', /^budget can be read as two .* like 12500\.5\.$/],
  [
    'lead edit O --lead 1 --owner Nobody',
    /has no user "Nobody": its active users are 7 \(Asha Rao\), 8 \(Ravi Iyer\)\.$/,
  ],
  ['lead find O --phone +919812300000', /has no lead with the phone \+919812300000\.$/],
  ['lead find O --email nobody@example.com', /has no lead with the email nobody@example\.com\.$/],
  ['lead list O --stage 99', /has no stage 99: its stages are 11 \(New\), 12 \(Enrolled\), 21 /],
  ['lead reassign O --from 7 --yes --to 9', /^User 9 \(Meera Das\) is inactive and cannot be /],
  ['lead reassign O --from 7 --yes --to 8,7', /^User 7 already owns these leads: name other /],
];

/** Status 2. */
const wrongUsage: [command: string, sentence: RegExp][] = [
  ['orgnization show 1', /Did you mean organization\?/],
  ['organization show 1 --jsno', /Did you mean --json\?/],
  ['organization show', /^Required option '--organization <ID>' not specified\. See: /],
  ['organization show 1 --organization 1', /^Name one organization, by --organization ID or /],
  ['organization show abc', /value 'abc' is invalid .* must be an integer from 1 to 2147483647\./],
  ['lead import a.csv 1 2', /^Too many arguments for 'import'\. .*\. See: /],
  ['lead reassign O', /^Required options '--from <USER>', '--to <USER>' not specified\. See: /],
  ['lead list --organisation=1', /^Unknown option .* \(Did you mean --organization\?\) See: /],
  ['lead list --organization', /^Option '--organization <ID>' needs a value\. See: /],
  ['lead list O --updated-since 31.01.2026', /It must be a date, or a date-time with an offset/],
  ['lead list O --limit 1.5', /It must be an integer from 1 to 10000\./],
  ['lead archive O --lead 1,,2', /It must be IDs separated by commas, such as 1,2,3\./],
  ['lead edit O --lead 1', /^Name what to change, such as --set city=Pune\. See: /],
  ['lead edit O --lead 1 --set city', /It must be a field key and a value: city=Pune\./],
  ['lead edit O --lead 1 --note %20', /It must have a character other than blanks\./],
  ['lead erase O', /^Give either '--lead' or '--inactive-since'\. See: /],
  ['lead erase O --lead 1 --inactive-since 2024-01-01', /^Give either/],
  ['lead erase O --lead 1 --archived', /'--archived' needs --inactive-since/],
  ['lead erase O --lead 1 --max 5', /'--max' needs --inactive-since/],
  ['request --stack leads -JKJaXm=', /^Unknown .* An ID that begins with - comes after --\. See: /],
  ['lead delete', /^Unknown command 'delete'\. See: npm run admin -- lead --help$/],
  ['key revoke O --key leads_live_SECRET0000_x', /argument 'leads_live_…' is invalid\. It must be/],
  ['key create O --type app --label w --created-by 1', /website-form, application/],
  ['key create O --type application --label w --created-by 1', /at least one/],
  [
    'key create O --type website-form --scopes leads.read --label w --created-by 1',
    /only leads\.c/,
  ],
  ['key create O --type application --scopes lead --label w --created-by 1', /or more of leads\.r/],
  ['key create O --type application --label %20 --created-by 1', /It must have 1 to 200 charact/],
  ['key rotate O --key nothing000 --expires-in 0d', /It must be a number of days, such as 30d\./],
  [
    'lead find O',
    /^Give exactly one of --phone, --email and --name\. See: npm run admin -- lead find /,
  ],
  ['lead find O --phone +919812300000 --email a@b.co', /^Give exactly one of --phone/],
  ['lead find O --phone 12', /must be a phone number, such as .* or at least 4 digits of one\./],
  [
    'lead find O --email no',
    /must be an email address, such as .* or at least 3 characters of one/,
  ],
  ['lead find O --name asha --anywhere', /^Give --anywhere with --phone or --email\./],
  ['lead find O --name %20', /must have a character other than blanks/],
  ['lead export O --out leads.txt', /must end in \.csv, \.jsonl or \.xlsx\./],
  ['lead export O --excel --out leads.jsonl', /^Option '--excel' writes CSV/],
  ['lead export O --excel --json', /^Option '--excel' writes CSV: remove --json, or name a file /],
  ['lead export O --out a.xlsx --resume', /^Option '--resume' continues \.csv and \.jsonl only/],
  ['lead timelines O --resume', /needs --out/],
  ['lead import O leads.csv --dates dd-mm-yy', /Allowed choices are dd\/mm\/yyyy, mm\/dd\/yyyy/],
  ['lead import O leads.csv --value city', /such as 'Newsletter:ja=yes'/],
  ['lead import O leads.csv --rate 5000', /integer from 1 to 400/],
  ['lead import O leads.csv --map a', /such as 'Full name=name'/],
  [
    'lead import O leads.csv --map a=name --map a=city',
    /'a=city' is invalid\. Its column is already mapped/,
  ],
  ['restore finish --from leads --keep-key x', /^Option '--keep-key <ID...>' cannot be used with /],
  ['restore finish --missing-out a.csv', /It must end in \.jsonl\./],
];

test.each([
  ...refused.map(([command, sentence]) => ({ command, status: 1, sentence })),
  ...wrongUsage.map(([command, sentence]) => ({ command, status: 2, sentence })),
])('$command ends with status $status and one sentence', async ({ command, status, sentence }) => {
  const args = command.replace(' O', ` --organization ${organization.id}`).split(' ');

  const { stdout, stderr, ...reply } = await runAdmin(args.map(decodeURIComponent));

  expect({ status: reply.status, stdout }).toEqual({ status, stdout: '' });
  expect(stderr.trim()).toMatch(sentence);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('help shows --json, which options are required, and what they include', async () => {
  const { stdout } = await runAdmin(['key', 'create', '--help']);

  expect(stdout).toMatch(/--json/);
  expect(stdout).toMatch(/--label <L> .*\(required\)\n/);
  expect(stdout).toMatch(/leads\.write includes leads\.read\n/);
  expect(stdout).toMatch(/730 days for website-form, 90 for\s+application/);
});
