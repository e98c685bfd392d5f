import { expect, test } from 'vitest';
import { adminJson, runAdmin } from '../../../support/admin.ts';
import { call } from '../../../support/call.ts';
import { givenLead } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';

test('several leads are archived and restored at once; one that does not exist is named, and the others are done', async () => {
  const organization = await givenOrganization();
  const [one, two] = [await givenLead(organization), await givenLead(organization)];
  const run = (command: string, lead: string, ...more: string[]) =>
    runAdmin([
      ...['lead', command, '--organization', String(organization.id), '--lead', lead, ...more],
    ]);
  const statusOf = async (leadId: number) =>
    (await call('get-lead', { apiKey: organization.reader, leadId })).status;

  const archived = await run('archive', `${two.id},${one.id}, 999999,${two.id}`, '--json');
  const whileArchived = [await statusOf(one.id), await statusOf(two.id)];
  const restored = await run('restore', `${one.id},${two.id}`);
  const none = await run('restore', '999998,999999', '--json');
  const noneForPeople = await run('archive', '999998,999999');
  const history = await adminJson(
    ...['organization', 'history', '--organization', String(organization.id), '--limit', '4'],
  );

  expect(archived).toMatchObject({
    status: 1,
    json: {
      items: [
        { leadId: two.id, archived: true },
        { leadId: one.id, archived: true },
      ],
    },
    stderr: `Organization ${organization.id} has no lead 999999.\n`,
  });
  expect(whileArchived).toEqual([404, 404]);
  expect(restored).toMatchObject({
    status: 0,
    stdout: `Restored lead ${one.id}: the API returns it again.\nRestored lead ${two.id}: the API returns it again.\n`,
  });
  expect([await statusOf(one.id), await statusOf(two.id)]).toEqual([200, 200]);
  expect(none).toMatchObject({ status: 1, json: { items: [] } });
  expect(noneForPeople).toMatchObject({ status: 1, stdout: 'No lead was archived.\n' });
  expect(history.items.map(({ what }: { what: string }) => what)).toEqual([
    'lead archive of no lead',
    'lead restore of no lead',
    `lead restore ${one.id}, ${two.id}`,
    `lead archive ${two.id}, ${one.id}`,
  ]);
});

test.each(['1,,2', '1,x', '', '0,1'])('lead archive --lead %j is wrong usage', async (lead) => {
  const reply = await runAdmin(['lead', 'archive', '--organization', '1', '--lead', lead]);

  expect(reply).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(/It must be /),
  });
});
