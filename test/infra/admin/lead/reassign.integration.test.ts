import { expect, test } from 'vitest';
import { adminJson, runAdmin } from '../../../support/admin.ts';
import { call } from '../../../support/call.ts';
import { givenLead, timelineOf } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { commandOf, doneTo, json } from '../commands.ts';
import { killedAtWrite } from '../import/killed-import.ts';

useOwnTable();

const users = [
  { id: 7, name: 'Asha Rao' },
  { id: 8, name: 'Ravi Iyer' },
  { id: 9, name: 'Meera Das', active: false },
  { id: 10, name: 'Omar Khan' },
];

/** Leads of user 7. */
async function givenLeads(organization: GivenOrganization, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let lead = 0; lead < count; lead += 1)
    ids.push((await givenLead(organization, { fields: { assigned_to: 7 } })).id);
  return ids;
}

const argsOf = (organization: GivenOrganization, ...more: string[]) =>
  commandOf(organization, 'lead reassign', '--from', '7', ...more);

const listed = async ({ id }: GivenOrganization, owner: string): Promise<number[]> => {
  const args = ['lead', 'list', '--organization', String(id), '--owner', owner];
  const { items } = await adminJson(...args, '--limit', '100');
  return items.map(({ leadId }: { leadId: number }) => leadId).reverse();
};

test("lead reassign gives a user's leads to others in turn, and records it on each timeline", async () => {
  const organization = await givenOrganization({ users });
  const [a = 0, b = 0, c = 0] = await givenLeads(organization, 3);
  const other = await givenLead(organization, { fields: { assigned_to: 10 } });
  await json(organization, 'lead archive', '--lead', b);
  const args = argsOf(organization, '--to', 'ravi iyer,10');

  const planned = await runAdmin([...args, '--dry-run']);
  const plan = await adminJson(...args, '--dry-run');
  const unconfirmed = await runAdmin(args);
  const before = await listed(organization, '7');
  const reassigned = await adminJson(...args, '--yes');
  const again = await adminJson(...args, '--yes');

  expect(planned.stdout).toBe(
    'User 7 (Asha Rao) has 3 leads, 1 archived lead among them:\n' +
      '  2 leads to user 8 (Ravi Iyer)\n  1 lead to user 10 (Omar Khan)\nNothing was changed.\n',
  );
  expect(unconfirmed).toMatchObject({ status: 1, stderr: expect.stringMatching(/Add --yes/) });
  expect(before).toEqual([a, c]);
  expect([plan, reassigned, again]).toEqual([
    { reassigned: 3 },
    { reassigned: 3 },
    { reassigned: 0 },
  ]);
  expect(await listed(organization, '7')).toEqual([]);
  expect(await listed(organization, '8')).toEqual([a, c]);
  expect(await listed(organization, '10')).toEqual([other.id]);
  const { lead } = await json(organization, 'lead show', '--lead', b);
  expect(lead.owner).toEqual({ id: 10, name: 'Omar Khan' });
  const { updatedAt } = (await call('get-lead', { apiKey: organization.reader, leadId: a })).body
    .lead;
  const { items } = await json(organization, 'organization history', '--limit', '1');
  expect((await timelineOf(organization, a)).at(-1)).toEqual({
    type: 'lead_updated',
    at: updatedAt,
    actor: { userId: null, name: 'administrator' },
    by: items[0].who,
    via: 'admin',
    changes: [{ field: 'assigned_to', from: 7, to: 8 }],
  });
  expect(items[0].what).toBe('lead reassign from 7 to 8, 10, 3 leads');
  expect(await json(organization, 'check')).toMatchObject({ violations: [] });
});

test('with --stage only the leads of that stage are reassigned', async () => {
  const organization = await givenOrganization({ users });
  const [first] = await givenLeads(organization, 1);
  const enrolled = await givenLead(organization, { stageId: 12, fields: { assigned_to: 7 } });

  await adminJson(...argsOf(organization, '--to', '8', '--stage', '12', '--yes'));

  expect(await listed(organization, '7')).toEqual([first]);
  expect(await listed(organization, '8')).toEqual([enrolled.id]);
});

test('a reassignment that was killed is in the history, and a repeat completes it', async () => {
  const organization = await givenOrganization({ users });
  const ids = await givenLeads(organization, 12);
  const args = argsOf(organization, '--to', '8,10', '--yes');

  await killedAtWrite(5, args);
  const left = await listed(organization, '7');
  const repeated = await adminJson(...args);

  expect(left.length).toBeGreaterThan(0);
  expect(left.length).toBeLessThan(ids.length);
  expect(repeated).toEqual({ reassigned: left.length });
  const now = [...(await listed(organization, '8')), ...(await listed(organization, '10'))];
  expect(now.sort((a, b) => a - b)).toEqual(ids);
  for (const id of ids)
    expect(
      (await timelineOf(organization, id)).filter(({ type }) => type === 'lead_updated'),
    ).toHaveLength(1);
  expect((await doneTo(organization)).slice(0, 2)).toEqual([
    `lead reassign from 7 to 8, 10, ${left.length} leads`,
    'lead reassign from 7 to 8, 10 begun',
  ]);
});
