import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { phonePrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { runAdmin } from '../../../support/admin.ts';
import { givenLead } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { table } from '../../../support/table.ts';
import { captureLead, commandOf, json, run } from '../commands.ts';

useOwnTable();

test('check says that there is no violation, and prints each as a sentence, with status 1', async () => {
  const organization = await givenOrganization();
  const { name, phone } = person();
  const leadId = await captureLead(organization, { name, phone });
  const clean = await run(organization, 'check');
  const key = phonePrimaryKey(organization.id, phone);
  await table().client.send(new DeleteCommand({ TableName: table().name, Key: { ...key } }));

  const forMachines = await run(organization, 'check', '--json');
  const forPeople = await run(organization, 'check');

  expect(clean).toMatchObject({
    status: 0,
    stdout: `No violations: 1 lead of organization ${organization.id} checked in table ${table().name}.\n`,
  });
  const sentence = `Lead ${leadId} of organization ${organization.id} has the phone ${phone}, but the item ${key.pk} / UNIQUE is not there.`;
  expect(forMachines).toMatchObject({
    status: 1,
    stderr: '',
    json: { leads: 1, violations: [sentence] },
  });
  expect(forPeople).toMatchObject({
    status: 1,
    stdout: `${sentence}\n\n1 violation: 1 lead of organization ${organization.id} checked in table ${table().name}.\n`,
  });
});

test('check of an organization that is not in the table is refused', async () => {
  const refused = await run({ id: 1 }, 'check');

  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toContain('There is no organization 1 in table');
});

test('a terminal shows the progress on a line that disappears at the end', async () => {
  const organization = await givenOrganization();
  await givenLead(organization);

  const { stderr } = await runAdmin(commandOf(organization, 'check'), { hasTerminal: true });

  expect(stderr).toMatch(/Checking: (0 leads|1 lead) and [\d,]+ other items? read/);
  // Every line overwrites the one before it, and the last one is empty.
  const [before, ...drawn] = stderr.split('\r\u001B[K');
  expect([before, drawn.at(-1)]).toEqual(['', '']);
  expect(drawn.join('')).not.toContain('\r');
});

test('--rate slows the reads of a command down', async () => {
  const organization = await givenOrganization();
  const begun = performance.now();

  // At least 10 read units.
  await json(organization, 'check', '--rate', '4');

  expect(performance.now() - begun).toBeGreaterThan(1000);
});
