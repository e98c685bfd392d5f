import { expect, test } from 'vitest';
import { smallFile } from '../../shared/organization/settings-cases.ts';
import { runAdmin, spawnAdmin } from '../../support/admin.ts';
import { givenOrganization, newSettings } from '../../support/organizations.ts';
import { useFolder } from '../given-folder.ts';

const files = useFolder();
const givenFile = (content: object) => files.write('settings.json', content);

test('organization apply refuses a file with keys unless told to ignore them', async () => {
  const file = await givenFile({ ...smallFile(), id: newSettings().id });

  const refused = await runAdmin(['organization', 'apply', file]);
  const ignored = await runAdmin(['organization', 'apply', file, '--ignore-keys']);

  expect([refused.status, ignored.status]).toEqual([1, 0]);
  expect(refused.stderr).toMatch(/--ignore-keys/);
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
