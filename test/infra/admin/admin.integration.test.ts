import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parseApiKey } from '../../../shared/organization/api-key.ts';
import { smallFile } from '../../shared/organization/settings-cases.ts';
import { runAdmin, spawnAdmin } from '../../support/admin.ts';
import { newSettings } from '../../support/organizations.ts';
import { useFolder } from '../given-folder.ts';

const files = useFolder();

async function givenFile(content: object): Promise<string> {
  const file = files.path(`${Math.random()}.json`);
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

test('the process of a command ends with its status, and prints to its own stdout and stderr', async () => {
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
