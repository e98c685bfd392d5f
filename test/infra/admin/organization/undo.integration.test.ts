import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import { applySettings } from '../../../../shared/store/organizations/apply-settings.ts';
import {
  readKeptSettings,
  versionsKept,
} from '../../../../shared/store/organizations/audit-log.ts';
import { adminJson, runAdmin } from '../../../support/admin.ts';
import { startDynamodbProxy } from '../../../support/faults/proxy.ts';
import { faultOnce } from '../../../support/faults/rules.ts';
import { givenLead } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { service } from '../../../support/service.ts';
import { table } from '../../../support/table.ts';
import { commandOf, doneTo, json, run, violationsIn } from '../commands.ts';

useOwnTable();

const action = { who: 'a test', what: 'organization apply' };
const apply = ({ settings }: GivenOrganization, changes: object) =>
  applySettings(table(), { ...settings, ...changes }, { action, wait: async () => undefined });
const history = async (organization: GivenOrganization) =>
  (await json(organization, 'organization history')).items;
const undo = (organization: GivenOrganization) => json(organization, 'organization undo', '--yes');
const shown = ({ id }: GivenOrganization) => adminJson('organization', 'show', String(id));

test('an undo brings back the settings before, at once for the service, and another undo those after', async () => {
  const organization = await givenOrganization();
  await apply(organization, { name: 'Renamed' });

  const undone = await undo(organization);
  const first = await shown(organization);
  const again = await undo(organization);
  const second = await shown(organization);

  expect(undone).toEqual({ organization: { id: organization.id } });
  expect(first).toEqual({ ...organization.settings, version: 3 });
  expect(again).toEqual(undone);
  expect(second).toEqual({ ...first, name: 'Renamed', version: 4 });
  expect(
    (await history(organization)).filter(
      ({ versionAfter }: { versionAfter?: number }) => versionAfter,
    ),
  ).toMatchObject([
    {
      versionBefore: 3,
      versionAfter: 4,
      what: 'organization undo, back to version 2',
      who: `user ${userInfo().username}`,
    },
    { versionBefore: 2, versionAfter: 3, what: 'organization undo, back to version 1' },
    { versionBefore: 1, versionAfter: 2, ...action },
    { versionAfter: 1 },
  ]);
});

test('an undo passes over the steps of an apply that dropped something', async () => {
  const organization = await givenOrganization();
  const { sources } = organization.settings;
  await apply(organization, { sources: sources.filter(({ id }) => id !== 3) });

  await undo(organization);

  expect(await history(organization)).toMatchObject([
    {},
    { versionAfter: 3 },
    { versionAfter: 2, isBetween: true },
    { versionAfter: 1 },
  ]);
  expect((await shown(organization)).sources).toEqual(sources);
});

test('an undo that was confirmed for a version which no longer holds changes nothing, and says so', async () => {
  const organization = await givenOrganization();
  await apply(organization, { name: 'Renamed' });
  const proxy = await startDynamodbProxy(service().environment.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  proxy.rule = faultOnce(({ operation }) => operation === 'TransactWriteItems', {
    kind: 'cut',
    applied: false,
    before: () => apply(organization, { modules: [], name: 'Between' }),
  });

  const answer = await runAdmin(commandOf(organization, 'organization undo', '--yes'), {
    environment: { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint },
  });
  await proxy.stop();

  expect(answer).toMatchObject({ status: 1, stdout: '' });
  expect(answer.stderr).toContain(
    `Organization ${organization.id} no longer has version 2 of its settings: see what was applied`,
  );
  expect(await shown(organization)).toMatchObject({ name: 'Between', modules: [] });
});

test('an organization keeps a bounded number of versions, and check knows them', async () => {
  const organization = await givenOrganization();
  for (let turn = 0; turn < versionsKept + 2; turn += 1)
    await apply(organization, { name: `Name ${turn}` });
  const nameIn = async (version: number) =>
    (await readKeptSettings(table(), organization.id, version))?.name;

  expect([await nameIn(2), await nameIn(3)]).toEqual([undefined, 'Name 1']);
  expect(await nameIn(versionsKept + 2)).toBe(`Name ${versionsKept}`);
  expect(await violationsIn(organization)).toEqual([]);
});

test('organization undo says so when there is no version before, and when it cannot ask', async () => {
  const organization = await givenOrganization();

  const nothing = await run(organization, 'organization undo', '--yes');
  await apply(organization, { name: 'Renamed' });
  const unasked = await run(organization, 'organization undo');

  expect(nothing).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/no settings before version 1/),
  });
  expect(unasked).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/settings of version 1:\n {2}\$\.name changed: .*Add --yes/s),
  });
});

test('what is done to leads is told without a person’s data', async () => {
  const organization = await givenOrganization();
  const lead = await givenLead(organization);

  await run(organization, 'lead archive', '--lead', lead.id);
  await run(organization, 'lead erase', '--lead', lead.id, '--yes');
  const { stdout } = await run(organization, 'organization history');

  expect((await doneTo(organization)).slice(0, 2)).toEqual([
    `lead erase ${lead.id}`,
    `lead archive ${lead.id}`,
  ]);
  expect(stdout).toMatch(/WHEN +ENDED +SETTINGS +WHAT +WHO\n.*lead erase/);
  expect(stdout).not.toContain(lead.phone);
});
