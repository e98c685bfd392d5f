import { expect, test } from 'vitest';
import { adminJson, runAdmin } from '../../../support/admin.ts';
import { givenLead } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';

const list = ({ id }: GivenOrganization, ...more: string[]) =>
  adminJson('lead', 'list', '--organization', String(id), ...more);

const idsIn = ({ items }: { items: { leadId: number }[] }): number[] =>
  items.map(({ leadId }) => leadId);

test('lead list filters by stage, owner and source, live and archived leads alike', async () => {
  const organization = await givenOrganization();
  const one = await givenLead(organization, { fields: { assigned_to: 7, source: 1 } });
  const two = await givenLead(organization, { stageId: 12, fields: { assigned_to: 8, source: 3 } });
  const three = await givenLead(organization, {
    stageId: 12,
    fields: { assigned_to: 7, source: 3 },
  });
  const archived = await givenLead(organization, { stageId: 12, fields: { assigned_to: 7 } });
  const own = ['--organization', String(organization.id)];
  await adminJson('lead', 'archive', ...own, '--lead', String(archived.id));

  expect(idsIn(await list(organization, '--stage', '12'))).toEqual([three.id, two.id]);
  expect(idsIn(await list(organization, '--owner', '7'))).toEqual([three.id, one.id]);
  expect(idsIn(await list(organization, '--source', '3', '--owner', '8'))).toEqual([two.id]);
  expect(await list(organization, '--source', '3', '--limit', '1')).toMatchObject({
    items: [{ leadId: three.id }],
    more: true,
  });
  expect(idsIn(await list(organization, '--owner', '7', '--archived'))).toEqual([archived.id]);
  expect(await list(organization, '--stage', '21')).toEqual({ items: [], more: false });
});

test('lead list --updated-since has the leads that changed then or later', async () => {
  const organization = await givenOrganization();
  await givenLead(organization);
  const { id, updatedAt } = await givenLead(organization);

  expect(idsIn(await list(organization, '--updated-since', updatedAt))).toEqual([id]);
  expect(idsIn(await list(organization, '--updated-since', '2020-01-01'))).toHaveLength(2);
  expect(idsIn(await list(organization, '--updated-since', '2999-01-01T00:00:00+05:30'))).toEqual(
    [],
  );
});

test.each([
  [
    ['--stage', '99'],
    1,
    /has no stage 99: its stages are 11 \(New\), 12 \(Enrolled\), 21 \(Enquiry\)\.$/,
  ],
  [['--owner', '99'], 1, /has no user 99: its users are 7 \(Asha Rao\), /],
  [['--source', '99'], 1, /has no source 99: its sources are 1 \(Website\), /],
  [['--stage', 'New'], 2, /It must be an integer from 1 to 2147483647\./],
  [['--updated-since', '31.01.2026'], 2, /It must be a date, or a date-time with an offset/],
  [['--stages', '11'], 2, /Did you mean --stage\?/],
])('lead list %j ends in one sentence', async (options, status, message) => {
  const { id } = await givenOrganization();

  const reply = await runAdmin(['lead', 'list', '--organization', String(id), ...options]);

  expect(reply).toMatchObject({ status, stdout: '' });
  expect(reply.stderr.trim()).toMatch(message);
});
