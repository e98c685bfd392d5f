import { expect, test } from 'vitest';
import { givenLead } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';
import { captureLead, json, run } from '../commands.ts';

interface Listed {
  readonly items: readonly { readonly leadId: number }[];
  readonly more: boolean;
}
const idsIn = ({ items }: Listed): number[] => items.map(({ leadId }) => leadId);

test('lead list filters by stage, owner and source, live and archived leads alike', async () => {
  const organization = await givenOrganization();
  const one = await givenLead(organization, { fields: { assigned_to: 7, source: 1 } });
  const two = await givenLead(organization, { stageId: 12, fields: { assigned_to: 8, source: 3 } });
  const three = await givenLead(organization, {
    stageId: 12,
    fields: { assigned_to: 7, source: 3 },
  });
  const archived = await givenLead(organization, { stageId: 12, fields: { assigned_to: 7 } });
  await json(organization, 'lead archive', '--lead', archived.id);

  expect(idsIn(await json(organization, 'lead list', '--stage', 'enrolled'))).toEqual([
    three.id,
    two.id,
  ]);
  expect(idsIn(await json(organization, 'lead list', '--owner', '7'))).toEqual([three.id, one.id]);
  expect(
    idsIn(await json(organization, 'lead list', '--source', 'Facebook Ads', '--owner', '8')),
  ).toEqual([two.id]);
  expect(await json(organization, 'lead list', '--source', '3', '--limit', '1')).toMatchObject({
    items: [{ leadId: three.id }],
    more: true,
  });
  expect(idsIn(await json(organization, 'lead list', '--owner', '7', '--archived'))).toEqual([
    archived.id,
  ]);
  expect(await json(organization, 'lead list', '--stage', '21')).toEqual({
    items: [],
    more: false,
  });
});

test('lead list --updated-since has the leads that changed then or later', async () => {
  const organization = await givenOrganization();
  await givenLead(organization);
  const { id, updatedAt } = await givenLead(organization);

  expect(idsIn(await json(organization, 'lead list', '--updated-since', updatedAt))).toEqual([id]);
  expect(
    idsIn(await json(organization, 'lead list', '--updated-since', '2020-01-01')),
  ).toHaveLength(2);
  expect(
    idsIn(await json(organization, 'lead list', '--updated-since', '2999-01-01T00:00:00+05:30')),
  ).toEqual([]);
});

test('lead find finds live and archived leads by part of a name, ignoring case and accents, newest first', async () => {
  const organization = await givenOrganization();
  const one = await givenLead(organization, { fields: { name: 'Zo\u00eb M\u00fcller' } });
  const two = await givenLead(organization, { fields: { name: 'Anna Mu\u0308ller-Lund' } });
  await givenLead(organization, { fields: { name: 'Anna Miller' } });
  await json(organization, 'lead archive', '--lead', one.id);

  const found = await json(organization, 'lead find', '--name', 'MULLER');
  const first = await json(organization, 'lead find', '--name', 'm\u00fcller', '--limit', '1');
  const none = await run(organization, 'lead find', '--name', 'nobody');

  expect(found).toEqual({
    items: [
      expect.objectContaining({ leadId: two.id, archived: false }),
      expect.objectContaining({ leadId: one.id, name: 'Zo\u00eb M\u00fcller', archived: true }),
    ],
    more: false,
  });
  expect(first).toMatchObject({ items: [{ leadId: two.id }], more: true });
  expect(none).toMatchObject({
    status: 0,
    stdout: `Organization ${organization.id} has no lead whose name contains "nobody".\n`,
  });
});

test.each([
  ['--name weiss', true],
  ['--name WEISS', true],
  ['--name wei', true],
  ['--name \u0930\u0940\u092e', true],
  ['--name \u0930\u092e', false],
  ['--phone 2345678', true],
  ['--phone 0151-2345', true],
  ['--phone 5678-9', true],
  ['--phone 00000', false],
  ['--phone 9876', false],
])('lead find %s searches names without accents and phones by digits', async (args, isFound) => {
  const organization = await givenOrganization();
  const fields = { name: 'Ana Wei\u00df \u0930\u0940\u092e\u093e', phone: '+4915123456789' };
  const { id } = await givenLead(organization, { fields });

  const found = await json(organization, 'lead find', ...args.split(' '));

  expect(idsIn(found)).toEqual(isFound ? [id] : []);
});

test('lead find --country reads a phone as a number of the country', async () => {
  const organization = await givenOrganization();
  const { id } = await givenLead(organization, { fields: { phone: '+4915123456789' } });
  const args = ['--phone', '0151 23456789', '--country', 'de'];

  expect(await json(organization, 'lead find', ...args)).toMatchObject({ leadId: id });
});

test('a printed table cuts long names and replaces control characters; JSON has all of it', async () => {
  const organization = await givenOrganization();
  const name = `\u001B[2J${'x'.repeat(150)}`;
  await captureLead(organization, { ...person(), name });

  const forPeople = await run(organization, 'lead list');
  const { json } = await run(organization, 'lead list', '--json');

  expect(forPeople.stdout).toContain(`  \uFFFD[2J${'x'.repeat(35)}…  +91`);
  expect(json.items[0].name).toBe(name);
});

test('a lead is found by its phone in any spelling, and by its email in any case, archived or not', async () => {
  const organization = await givenOrganization();
  const somebody = person();
  const leadId = await captureLead(organization, somebody);
  await run(organization, 'lead archive', '--lead', leadId);

  const byPhone = await run(
    organization,
    'lead find',
    '--phone',
    `0${somebody.phone.slice(3, 8)} ${somebody.phone.slice(8)}`,
    '--json',
  );
  const byEmail = await run(
    organization,
    'lead find',
    '--email',
    somebody.email.toUpperCase(),
    '--json',
  );
  const forPeople = await run(organization, 'lead find', '--phone', somebody.phone);

  expect(byPhone.json).toEqual({
    leadId,
    ...somebody,
    archived: true,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect(byEmail.json).toEqual(byPhone.json);
  expect(forPeople.stdout.split('\n')).toEqual([
    expect.stringMatching(/^LEAD +NAME +PHONE +EMAIL +STAGE +OWNER +CREATED +STATE$/),
    expect.stringMatching(new RegExp(`^${leadId} +${somebody.name} .* New +Asha Rao .*archived$`)),
    '',
  ]);
});

test('the newest leads are listed, archived ones apart, as many as asked for', async () => {
  const organization = await givenOrganization();
  const ids: number[] = [];
  for (let lead = 0; lead < 3; lead += 1) ids.push((await givenLead(organization)).id);
  await json(organization, 'lead archive', '--lead', ids[1] ?? 0);
  const listed = async (...more: string[]) => {
    const list: Listed = await json(organization, 'lead list', ...more);
    return { ids: idsIn(list), more: list.more };
  };

  expect(await listed()).toEqual({ ids: [ids[2], ids[0]], more: false });
  expect(await listed('--limit', '1')).toEqual({ ids: [ids[2]], more: true });
  expect(await listed('--archived')).toEqual({ ids: [ids[1]], more: false });
  expect((await run(organization, 'lead list', '--limit', '1')).stdout).toMatch(
    / live\n\nThere are more leads: use a higher --limit\.\n$/,
  );
  expect((await run(await givenOrganization(), 'lead list', '--archived')).stdout).toMatch(
    /has no archived leads\.\n$/,
  );
});
