import { expect, test } from 'vitest';
import { adminJson, runAdmin } from '../../support/admin.ts';
import { givenLead } from '../../support/leads.ts';
import { givenOrganization } from '../../support/organizations.ts';
import { useOwnTable } from '../../support/own-table.ts';

useOwnTable();

test('--rate slows the reads of a command down', async () => {
  const organization = await givenOrganization();
  await givenLead(organization);
  const begun = performance.now();

  // About 60 read units.
  expect(await adminJson('check', '--rate', '30')).toEqual({ leads: 1, violations: [] });

  expect(performance.now() - begun).toBeGreaterThan(1000);
});

test.each([
  ['check'],
  ['lead erase --organization 1 --lead 1'],
  ['lead export --organization 1'],
  ['lead find --organization 1 --name Asha'],
  ['lead list --organization 1'],
  ['lead reassign --organization 1 --from 1 --to 2'],
  ['lead timelines --organization 1'],
  ['organization apply settings.json'],
])('%s --rate 0 is wrong usage', async (command) => {
  const reply = await runAdmin([...command.split(' '), '--rate', '0']);

  expect(reply).toMatchObject({ status: 2, stdout: '' });
  expect(reply.stderr).toMatch(/It must be an integer from 1 to 40000\./);
});
