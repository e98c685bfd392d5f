import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import type { Settings } from '../../../../shared/organization/organization.ts';
import { checkTable } from '../../../../shared/store/check/check-table.ts';
import { applySettings } from '../../../../shared/store/organizations/apply-settings.ts';
import {
  readKeptSettings,
  versionsKept,
} from '../../../../shared/store/organizations/audit-log.ts';
import { adminJson, runAdmin } from '../../../support/admin.ts';
import { startDynamodbProxy } from '../../../support/faults/proxy.ts';
import { faultOnce } from '../../../support/faults/rules.ts';
import { modelTable } from '../../../support/model-table.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { service } from '../../../support/service.ts';
import { table } from '../../../support/table.ts';
import { commandOf, json, run } from '../commands.ts';
import { apply, useEditedSettings } from './edited-settings.ts';

useOwnTable();
const edited = useEditedSettings();

const fair = { id: 9, name: 'Fair', active: true };
const show = ({ id }: GivenOrganization, ...more: string[]) =>
  adminJson('organization', 'show', String(id), ...more);
/** What `organization show` prints now, as a file after an edit: it has the version in force. */
async function saved(
  organization: GivenOrganization,
  edit: (draft: Settings) => void,
): Promise<string> {
  return edited({ settings: await show(organization) }, edit, (await show(organization)).version);
}

const renamed =
  (name: string) =>
  (draft: Settings): void => {
    draft.name = name;
  };

/** Another administrator adds a source. */
async function addSource(organization: GivenOrganization): Promise<void> {
  const file = await saved(organization, ({ sources }) => void sources.push(fair));
  expect((await apply(file)).status).toBe(0);
}

test('a file of an older version is refused with the differences, unless it may overwrite', async () => {
  const organization = await givenOrganization();
  const file = await saved(organization, renamed('Southwind'));
  await addSource(organization);

  const dry = await apply(file, '--dry-run', '--json');
  const refused = await apply(file, '--json');
  const between = await show(organization);
  const withFair = await edited(organization, (draft) => draft.sources.push(fair), 1);
  await apply(await saved(organization, renamed('Between')));
  const overwritten = await apply(withFair, '--overwrite', '--json');

  const changed = '  $.name changed: from "Northwind Academy" to "Southwind"';
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr.trim().split('\n')).toEqual([
    'Nothing was applied: the file has settings version 1, but version 2 is in force; merge the changes, or add --overwrite.',
    'The file would change:',
    changed,
    '  $.sources[id=9] removed: "Fair"',
    `To see what others changed: npm run admin -- organization diff ${organization.id} --from 1`,
    `To merge, save the output of organization show ${organization.id}, repeat your change in it, and apply that.`,
  ]);
  expect(dry).toMatchObject({ status: 1, stderr: '' });
  expect(dry.json.refusals).toEqual([
    { path: '$.version', message: expect.stringMatching(/^is 1, but version 2 .*--overwrite$/) },
  ]);
  expect(between).toMatchObject({ version: 2, name: 'Northwind Academy' });
  expect(between.sources).toContainEqual(fair);
  expect(overwritten).toMatchObject({ status: 0, json: { organization: { id: organization.id } } });
  expect(await show(organization)).toMatchObject({ version: 4, name: 'Northwind Academy' });
});

test('a file applies without a version or with one never in force; unchanged, it makes no new version', async () => {
  const organization = await givenOrganization();
  const same = await apply(await saved(organization, () => undefined), '--json');
  const draft = { settings: { ...organization.settings, $schema: 'x' } };
  const versioned = await saved(organization, renamed('Southwind'));
  const plain = await edited(organization, (settings) => settings.sources.push(fair));
  const ofFuture = await edited(
    draft,
    (settings) => {
      settings.name = 'Westwind';
      settings.sources.push(fair); // to drop it would take the eleven seconds of the longest request
    },
    7,
  );

  const replies = [];
  for (const file of [versioned, versioned, plain, ofFuture]) replies.push(await apply(file));

  expect(replies.map(({ status }) => status)).toEqual([0, 0, 0, 0]);
  expect(replies[1]?.stdout).toMatch(/already has these settings, version 2/);
  expect(same).toMatchObject({ json: { organization: { id: organization.id } }, stderr: '' });
  expect(await show(organization)).toMatchObject({ name: 'Westwind', version: 4 });
  const first = await show(organization, '--version', '1');
  expect(first).toEqual({ ...organization.settings, version: 1 });
  expect(Object.keys(first).slice(0, 3)).toEqual(['id', 'version', 'name']);
});

test('a difference between versions has a place and a kind', async () => {
  const organization = await givenOrganization();
  await addSource(organization);
  await apply(
    await saved(organization, (draft) => {
      draft.users[1]!.active = false;
      draft.sources = [draft.sources[1]!, draft.sources[0]!, ...draft.sources.slice(2)];
    }),
  );

  const added = { path: '$.sources[id=9]', kind: 'added' };
  const [user, order] = ['$.users[id=8]', '$.sources'].map((path) => ({ path, kind: 'changed' }));
  const { id } = organization;
  const back = `Organization ${id}, from version 2 to version 1:`;
  const unknown = /^Version 7 of .* is not kept: choose one of the last 20 before version 3,/;
  for (const [options, expected] of [
    ['--from 1 --to 2 --json', { json: { changes: [added] } }],
    ['--from 1 --json', { json: { changes: [user, added, order] } }],
    ['--from 2 --to 1', { stdout: `${back}\n  $.sources[id=9] removed: "Fair"\n` }],
    ['--from 3 --to 3', { stdout: expect.stringContaining('3 and 3 have the same settings') }],
    ['--from 7', { status: 1, stdout: '', stderr: expect.stringMatching(unknown) }],
  ] as const) {
    const reply = await runAdmin(['organization', 'diff', String(id), ...options.split(' ')]);
    expect(reply).toMatchObject(expected);
  }
});

const action = { who: 'a test', what: 'organization apply' };
const applyChanges = ({ settings }: GivenOrganization, changes: object, on = table()) =>
  applySettings(on, { ...settings, ...changes }, { action, wait: async () => undefined });
const history = async (organization: GivenOrganization) =>
  (await json(organization, 'organization history')).items;
const undo = (organization: GivenOrganization, options: string) =>
  run(organization, 'organization undo', ...options.split(' ').filter(Boolean));

test('undo restores the previous settings, a second undo reverts it, --to N restores any kept version', async () => {
  const organization = await givenOrganization();
  const nothing = await undo(organization, '--yes');
  for (const name of ['Once', 'Twice']) await applyChanges(organization, { name });

  expect(nothing).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/no settings before version 1/),
  });
  const own = 'Northwind Academy';
  const planned = /settings of version 2:\n {2}\$\.name changed: .*Add --yes/s;
  const undone = `{"organization":{"id":${organization.id}}}\n`;
  for (const [options, stream, printed, name, version] of [
    ['', 'stderr', planned, 'Twice', 3],
    ['--yes --json', 'stdout', undone, 'Once', 4],
    ['--yes --json', 'stdout', undone, 'Twice', 5],
    ['--to 1 --yes --json', 'stdout', undone, own, 6],
    ['--to 1 --yes', 'stdout', /already has/, own, 6],
    ['--to 6 --yes', 'stderr', /^Version 6 of the settings is in force already\.\n$/, own, 6],
  ] as const) {
    const { status, ...reply } = await undo(organization, options);
    expect([status, reply[stream]]).toEqual([
      stream === 'stderr' ? 1 : 0,
      expect.stringMatching(printed),
    ]);
    expect(await show(organization)).toEqual({ ...organization.settings, name, version });
  }
  const what = 'organization undo, back to version';
  const entries: { versionAfter?: number }[] = await history(organization);
  expect(entries.filter(({ versionAfter }) => versionAfter)).toMatchObject([
    { versionBefore: 5, versionAfter: 6, what: `${what} 1` },
    { versionBefore: 4, versionAfter: 5, what: `${what} 3`, who: `user ${userInfo().username}` },
    { versionBefore: 3, versionAfter: 4, what: `${what} 2` },
    { versionBefore: 2, versionAfter: 3, ...action },
    { versionBefore: 1, versionAfter: 2, ...action },
    { versionAfter: 1 },
  ]);
  expect((await run(organization, 'organization history')).stdout).toMatch(
    /WHEN +WHAT +WHO +SETTINGS +ENDED\n.*organization undo/,
  );
});

test('an undo skips the intermediate version of an apply that removed items', async () => {
  const organization = await givenOrganization();
  const { sources } = organization.settings;
  await applyChanges(organization, { sources: sources.filter(({ id }) => id !== 3) });

  await undo(organization, '--yes');

  expect(await history(organization)).toMatchObject([
    {},
    { versionAfter: 3 },
    { versionAfter: 2, isBetween: true },
    { versionAfter: 1 },
  ]);
  expect((await show(organization)).sources).toEqual(sources);
});

/** An apply that removes a source and is killed between its steps. */
async function interruptRemoval({ settings }: GivenOrganization, changes: object = {}) {
  const sources = settings.sources.filter(({ id }) => id !== 3);
  const killed = new Error('The command was killed.');
  const wait = () => Promise.reject(killed);
  const interrupted = applySettings(table(), { ...settings, ...changes, sources }, { wait });
  await expect(interrupted).rejects.toBe(killed);
}

test('an undo skips an earlier version that has the same settings as the one in force', async () => {
  const organization = await givenOrganization();
  const once = { name: 'Once' };
  await applyChanges(organization, once);
  await interruptRemoval(organization, once);
  await applyChanges(organization, once);

  await undo(organization, '--yes');

  expect((await show(organization)).name).toBe('Northwind Academy');
  const { items } = await json(organization, 'organization history', '--limit', '2');
  expect(items).toMatchObject([{ versionAfter: 5 }, { versionAfter: 4 }]);
});

test('an apply that ended between its steps does not make a file outdated', async () => {
  const organization = await givenOrganization();
  const file = await saved(organization, renamed('Southwind'));

  await interruptRemoval(organization);
  const repeated = await apply(file);

  expect(await history(organization)).toMatchObject([
    { versionAfter: 3 },
    { versionAfter: 2, isBetween: true },
    { versionAfter: 1 },
  ]);
  expect(repeated.status).toBe(0);
  expect((await apply(await edited(organization, renamed('Eastwind'), 1))).status).toBe(1);
});

test.each<[what: string, argsOf: (organization: GivenOrganization) => Promise<string[]>]>([
  ['an undo', async (organization) => commandOf(organization, 'organization undo', '--yes')],
  [
    'an apply of a file',
    async (organization) => [
      ...['organization', 'apply'],
      await saved(organization, renamed('Southwind')),
    ],
  ],
])('%s that others overtake changes nothing, and says so', async (_, argsOf) => {
  const organization = await givenOrganization();
  await applyChanges(organization, { name: 'Renamed' });
  const args = await argsOf(organization);
  const proxy = await startDynamodbProxy(service().environment.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  proxy.rule = faultOnce(({ operation }) => operation === 'TransactWriteItems', {
    kind: 'cut',
    applied: false,
    before: () => applyChanges(organization, { modules: [], name: 'Between' }),
  });

  const answer = await runAdmin(args, {
    environment: { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint },
  });
  await proxy.stop();

  expect(answer).toMatchObject({ status: 1, stdout: '' });
  expect(answer.stderr).toContain(
    `The settings of organization ${organization.id} were changed meanwhile: see what was applied`,
  );
  expect(await show(organization)).toMatchObject({ name: 'Between', modules: [] });
});

test('an organization keeps a bounded number of versions, and check knows them', async () => {
  const on = modelTable();
  const organization = await givenOrganization({}, on);
  for (let turn = 0; turn < versionsKept + 2; turn += 1)
    await applyChanges(organization, { name: `Name ${turn}` }, on);
  const nameIn = async (version: number) =>
    (await readKeptSettings(on, organization.id, version))?.name;

  expect([await nameIn(2), await nameIn(3)]).toEqual([undefined, 'Name 1']);
  expect(await nameIn(versionsKept + 2)).toBe(`Name ${versionsKept}`);
  expect((await checkTable(on)).violations).toEqual([]);
});
