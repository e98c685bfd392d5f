import { expect, test } from 'vitest';
import type { Settings } from '../../../../shared/organization/settings-types.ts';
import { runAdmin } from '../../../support/admin.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { apply, edited, useEditedSettings } from './edited-settings.ts';

useEditedSettings();

useOwnTable();

test.each<[state: string, edit: (draft: Settings) => void, warning: RegExp]>([
  [
    'the module crm is missing',
    (draft) => draft.modules.pop(),
    /^Warning: \$\.modules does not contain "crm": .*FORBIDDEN/,
  ],
  [
    'there is no default pipeline',
    (draft) => Object.assign(draft.pipelines[0]!, { isDefault: false }),
    /^Warning: \$\.pipelines has no default pipeline: .*NOT_READY/,
  ],
  [
    'the default pipeline has no starting stage',
    (draft) => Object.assign(draft.pipelines[0]!.stages[0]!, { active: false }),
    /^Warning: \$\.pipelines\[id=1\]\.stages has no active default stage: .*NOT_READY/,
  ],
  [
    'nobody is active',
    (draft) => {
      draft.users = draft.users.map((user) => ({ ...user, active: false }));
    },
    /^Warning: \$\.users has no active user .*NOT_READY/,
  ],
  [
    'no active source is named Website',
    (draft) => Object.assign(draft.sources[0]!, { name: 'Web' }),
    /^Warning: \$\.sources has no active "Website": .*have no source/,
  ],
])('apply warns on stderr when %s, and still applies the settings', async (_, edit, warning) => {
  const organization = await givenOrganization();
  const file = await edited(organization, edit);

  const dry = await apply(file, '--dry-run', '--json');
  const applied = await apply(file, '--json');
  const undone = await runAdmin([
    'organization',
    'undo',
    '--organization',
    String(organization.id),
    '--yes',
    '--json',
  ]);

  expect(dry).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(warning),
    json: { outcome: 'updated' },
  });
  expect(applied).toMatchObject({
    status: 0,
    stderr: dry.stderr,
    json: { organization: { id: organization.id } },
  });
  expect(applied.stderr.trim().split('\n')).toHaveLength(1);
  expect(undone).toMatchObject({ status: 0, stderr: '' });
});

test.each([
  [['organization', 'apply', 'x.json', '--dryrun'], /Did you mean --dry-run\?/],
  [['organization', 'lst'], /Did you mean list\?/],
  [['chek'], /Did you mean check\?/],
  [['lead', 'fnd'], /Did you mean find\?/],
  [['check', '--organisation', '1'], /Did you mean --organization\?/],
])('%j is wrong usage, with the probable spelling', async (args, message) => {
  expect(await runAdmin(args)).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(message),
  });
});

test.each([
  ['organization apply'],
  ['organization show'],
  ['organization list'],
  ['key create'],
  ['key list'],
  ['key revoke'],
  ['lead archive'],
  ['lead restore'],
  ['lead timeline'],
  ['lead find'],
  ['lead list'],
  ['lead show'],
  ['lead reassign'],
  ['check'],
])('%s --help shows an example of it', async (command) => {
  const { status, stdout } = await runAdmin([...command.split(' '), '--help']);

  expect(status).toBe(0);
  expect(stdout).toMatch(
    new RegExp(`Examples?:\\n(.*\\n)*? +npm run (--silent )?admin -- ${command}`),
  );
});
