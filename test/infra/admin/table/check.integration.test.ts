import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { phonePrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { adminJson, runAdmin } from '../../../support/admin.ts';
import { givenLead } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { table } from '../../../support/table.ts';
import { addNote, captureLead, json, run, update } from '../commands.ts';

useOwnTable();

const check = (organization: GivenOrganization, ...more: string[]) =>
  run(organization, 'check', ...more);

/** One of everything that writes, through HTTP. */
async function useOnce(organization: GivenOrganization): Promise<void> {
  const somebody = person();
  const enquiry = { ...somebody, externalId: somebody.phone, fields: { interests: ['hostel'] } };
  const leadId = await captureLead(organization, enquiry);
  await captureLead(organization, enquiry);
  await captureLead(organization, { ...somebody, fields: { city: 'Pune', budget: '4' } });
  const { id } = await givenLead(organization, { fields: { source: 3, mentor: 8 }, pipelineId: 2 });
  const { phone, email } = person();
  const changes = [
    await update(organization, leadId, {
      fields: { phone, email, assigned_to: null },
      stageId: 21,
    }),
    await update(organization, id, { fields: { email: null, source: null } }),
  ];
  expect(changes.map(({ status }) => status)).toEqual([200, 200]);
  await addNote(organization, leadId, 'Called.');
  await json(organization, 'lead archive', '--lead', leadId);
  await captureLead(organization, { name: 'Again', phone });
}

test('an organization that has been used through HTTP checks clean', async () => {
  const organization = await givenOrganization();
  await useOnce(organization);

  expect(await check(organization, '--json')).toMatchObject({
    status: 0,
    stderr: '',
    json: { leads: 2, violations: [] },
  });
  expect((await check(organization)).stdout).toBe(
    `No violations: 2 leads of organization ${organization.id} checked in table ${table().name}.\n`,
  );
});

test('check prints each violation as a sentence, with status 1', async () => {
  const organization = await givenOrganization();
  const { name, phone } = person();
  const leadId = await captureLead(organization, { name, phone });
  const key = phonePrimaryKey(organization.id, phone);
  await table().client.send(new DeleteCommand({ TableName: table().name, Key: { ...key } }));

  const [forMachines, forPeople] = await Promise.all([
    check(organization, '--json'),
    check(organization),
  ]);

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

test('a terminal sees how far it is, on a line that is gone at the end', async () => {
  const organization = await givenOrganization();
  await givenLead(organization);

  const { stderr } = await runAdmin(['check', '--organization', String(organization.id)], {
    hasTerminal: true,
  });

  expect(stderr).toMatch(/Checking: (0 leads|1 lead) and [\d,]+ other items? read/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal understands
  expect(stderr.replace(/\r\u001B\[K[^\r]*/g, '')).toBe('');
  expect(stderr.endsWith('\r\u001B[K')).toBe(true);
});

test('--rate slows the reads of a command down', async () => {
  const { id } = await givenOrganization();
  const begun = performance.now();

  // At least 10 read units.
  await adminJson('check', '--organization', String(id), '--rate', '4');

  expect(performance.now() - begun).toBeGreaterThan(1000);
});
