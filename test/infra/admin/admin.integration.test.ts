import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseApiKey } from '../../../shared/organization/api-key.ts';
import { smallFile } from '../../shared/organization/settings-cases.ts';
import { runAdmin, spawnAdmin } from '../../support/admin.ts';
import { newSettings } from '../../support/organizations.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'admin-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function givenFile(content: object): Promise<string> {
  const file = join(folder, `${Math.random()}.json`);
  await writeFile(file, JSON.stringify(content));
  return file;
}
async function givenOrganizationId(): Promise<string> {
  const settings = newSettings();
  expect(await runAdmin(['organization', 'apply', await givenFile(settings)])).toMatchObject({
    status: 0,
  });
  return String(settings.id);
}

test('applies a file, shows it in the form of the file, and takes that form as nothing new', async () => {
  const settings = newSettings();

  const applied = await runAdmin(['organization', 'apply', await givenFile(settings), '--json']);
  const shown = await runAdmin(['--json', 'organization', 'show', String(settings.id)]);
  const again = await runAdmin([
    'organization',
    'apply',
    await givenFile(JSON.parse(shown.stdout)),
  ]);

  expect(applied).toMatchObject({
    status: 0,
    stdout: `{"organization":{"id":${settings.id}}}\n`,
    stderr: '',
  });
  expect(JSON.parse(shown.stdout)).toEqual({ ...settings, version: 1 });
  expect(again.stdout).toMatch(/already has these settings, version 1/);
});

test('organization apply refuses a file with keys unless told to ignore them', async () => {
  const file = await givenFile({ ...smallFile(), id: newSettings().id });

  const refused = await runAdmin(['organization', 'apply', file]);
  const ignored = await runAdmin(['organization', 'apply', file, '--ignore-keys']);

  expect(refused).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/--ignore-keys/),
  });
  expect(ignored.status).toBe(0);
});

test('organization apply says every problem of a refused file on a line of its own', async () => {
  const file = await givenFile({ ...newSettings(), modules: 'crm', extra: 1 });

  const { status, stdout, stderr } = await runAdmin(['organization', 'apply', file, '--json']);

  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr.trim().split('\n')).toEqual([
    'The settings file has 2 problems.',
    expect.stringMatching(/^ {2}\$\.extra is not a property/),
    expect.stringMatching(/^ {2}\$\.modules must be a list/),
  ]);
});

test('the process of a command ends with the status of the command, and prints to its own stdout and stderr', async () => {
  const id = await givenOrganizationId();

  const [shown, refused] = await Promise.all(
    [id, '999'].map((one) => spawnAdmin(['organization', 'show', one, '--json']).ended),
  );

  expect(shown).toMatchObject({ status: 0, json: { id: Number(id) }, stderr: '' });
  expect(refused).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^There is no organization 999 .*\n$/),
  });
});

test('creates, lists and revokes a key', async () => {
  const id = await givenOrganizationId();
  const order = [
    '--organization',
    id,
    '--type',
    'application',
    '--scopes',
    'leads.write',
    '--label',
    'sync',
    '--created-by',
    '7',
  ];

  const created = JSON.parse((await runAdmin(['key', 'create', ...order, '--json'])).stdout);
  const revoked = JSON.parse(
    (await runAdmin(['key', 'revoke', '--organization', id, '--key', created.keyId, '--json']))
      .stdout,
  );
  const again = await runAdmin(['key', 'revoke', '--organization', id, '--key', created.keyId]);
  const listed = await runAdmin(['key', 'list', '--organization', id, '--json']);
  const forPeople = await runAdmin(['key', 'list', '--organization', id]);

  expect(parseApiKey(created.key)).toEqual({ keyId: created.keyId });
  expect(created).toMatchObject({
    scopes: ['leads.read', 'leads.write'],
    expiresAt: expect.stringMatching(/Z$/),
  });
  expect(revoked).toEqual({ keyId: created.keyId, revokedAt: expect.stringMatching(/Z$/) });
  expect(again.stdout).toBe(
    `API key ${created.keyId} was already revoked on ${revoked.revokedAt}: nothing to do.\n`,
  );
  expect(JSON.parse(listed.stdout).items).toEqual([
    {
      keyId: created.keyId,
      label: 'sync',
      type: 'application',
      scopes: ['leads.read', 'leads.write'],
      createdBy: 7,
      createdAt: expect.stringMatching(/Z$/),
      expiresAt: created.expiresAt,
      revokedAt: revoked.revokedAt,
      lastUsedAt: null,
    },
  ]);
  expect(forPeople.stdout).toMatch(/sync +application .*Asha Rao .*revoked/);
});

const failures: [args: string, status: number, stderr: RegExp][] = [
  ['organization show 999', 1, /^There is no organization 999 .*\.$/],
  ['key list --organization 999', 1, /no organization 999/],
  ['key revoke --organization 1 --key nothing000', 1, /no API key with the ID nothing000/],
  ['key create --organization 1 --type website-form --label w --created-by 999', 1, /no user 999/],
  ['lead timeline --organization 1 --lead 2000000000', 1, /no lead 2000000000/],
  ['lead archive --organization 1 --lead 2000000000', 1, /no lead 2000000000/],
  ['organization apply nothing.json', 1, /nothing\.json cannot be read: the file does not exist/],
  ['organization apply test', 1, /it is a folder/],
  ['orgnization show 1', 2, /Did you mean organization\?/],
  ['organization shwo 1', 2, /Did you mean show\?/],
  ['organization show 1 --jsno', 2, /Did you mean --json\?/],
  ['organization show', 2, /Missing required argument/],
  ['organization show 0', 2, /integer from 1 to 2147483647/],
  ['organization show 1 2', 2, /Too many arguments/],
  ['lead restore --organization 1 --lead abc', 2, /integer from 1/],
  ['lead restore --organization 1', 2, /--lead <ID>' not specified/],
  [
    'lead restore',
    2,
    /^Required options '--organization <ID>', '--lead <ID>' not specified\. See: npm run admin -- lead restore --help$/,
  ],
  [
    'lead list --organisation 1',
    2,
    /^Unknown option '--organisation'\. Did you mean --organization\? See: npm run admin -- lead list --help$/,
  ],
  ['lead list --organisation=1', 2, /Did you mean --organization\?/],
  ['lead list --org 1', 2, /Did you mean --organization\?/],
  ['lead list --organization', 2, /^Option '--organization <ID>' needs a value\. See: /],
  [
    'lead archive --organization 1 --lead 2 --yes',
    2,
    /'--yes': lead archive accepts --organization, --lead, --json, --stack, --help\. See: /,
  ],
  [
    '--organization 1 lead list',
    2,
    /^Option '--organization' must come after the command that it belongs to\. See: /,
  ],
  [
    'lead delete',
    2,
    /^Unknown command 'delete': the commands are archive, restore, .*erase\. See: npm run admin -- lead --help$/,
  ],
  [
    'archive --lead 1',
    2,
    /^Unknown command 'archive'\. Did you mean lead archive\? See: npm run admin -- --help$/,
  ],
  ['list', 2, /Did you mean organization list or key list or lead list\?/],
  [
    'check 1',
    2,
    /^Too many arguments: check accepts none; remove '1'\. See: npm run admin -- check --help$/,
  ],
  [
    'key revoke --organization 1 --key leads_live_SECRET0000_x',
    2,
    /argument 'leads_live_…' is invalid\. It must be the key's ID/,
  ],
  [
    'lead export --organization 1 --out leads.txt',
    2,
    /'--out leads\.txt' must end in \.csv or \.jsonl, or add --format csv or --format jsonl\./,
  ],
  [
    'key create --organization 1 --type app --label w --created-by 1',
    2,
    /website-form, application/,
  ],
  ['key create --organization 1 --type application --label w --created-by 1', 2, /at least one/],
  [
    'key create --organization 1 --type website-form --scopes leads.read --label w --created-by 1',
    2,
    /only leads\.capture/,
  ],
  [
    'key create --organization 1 --type application --scopes lead.read --label w --created-by 1',
    2,
    /Did you mean leads\.read\?/,
  ],
];

test.each(failures)('%s ends with status %i and one sentence', async (args, expected, message) => {
  const { status, stdout, stderr } = await runAdmin(args.split(' '));

  expect({ status, stdout }).toEqual({ status: expected, stdout: '' });
  expect(stderr.trim()).toMatch(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
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

test('help shows an example, --json, and which options are required', async () => {
  const { status, stdout } = await runAdmin(['key', 'create', '--help']);

  expect(status).toBe(0);
  expect(stdout).toMatch(/npm run admin -- key create --organization 1/);
  expect(stdout).toMatch(/--json/);
  expect(stdout).toMatch(/--label <L> .*\(required\)\n/);
  expect(stdout).toMatch(/leads\.write includes leads\.read\n/);
});
