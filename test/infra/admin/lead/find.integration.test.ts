import { expect, test } from 'vitest';
import { createLead } from '../../../../shared/store/leads/create-lead.ts';
import { givenLead } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';
import { table } from '../../../support/table.ts';
import { captureLead, json, run } from '../commands.ts';
import { newLead } from '../table/given-backup.ts';

interface Listed {
  readonly items: readonly { readonly leadId: number }[];
  readonly more: boolean;
}
const idsIn = ({ items }: Listed): number[] => items.map(({ leadId }) => leadId);

const found = async (...command: Parameters<typeof json>): Promise<number[]> =>
  idsIn(await json(...command));

test('lead list filters by stage, owner, source and time, live and archived leads alike', async () => {
  const organization = await givenOrganization();
  const of = (assigned_to: number, source: number, stageId: number) =>
    givenLead(organization, { stageId, fields: { assigned_to, source } });
  const one = await of(7, 1, 11);
  const two = await of(8, 3, 12);
  const three = await of(7, 3, 12);
  const archived = await of(7, 1, 12);
  await json(organization, 'lead archive', '--lead', archived.id);
  const list = (...options: string[]) => found(organization, 'lead list', ...options);

  expect(await list('--stage', 'enrolled')).toEqual([three.id, two.id]);
  expect(await list('--owner', '7')).toEqual([three.id, one.id]);
  expect(await list('--source', 'Facebook Ads', '--owner', '8')).toEqual([two.id]);
  expect(await list('--owner', '7', '--archived')).toEqual([archived.id]);
  expect(await list('--owner', '8', '--archived')).toEqual([]);
  expect(await list('--stage', '21')).toEqual([]);
  expect(await list('--updated-since', three.updatedAt)).toEqual([three.id]);
  expect(await list('--updated-since', '2020-01-01')).toHaveLength(3);
  expect(await list('--updated-since', '2999-01-01T00:00:00+05:30')).toEqual([]);
  expect(await json(organization, 'lead list', '--source', '3', '--limit', '1')).toMatchObject({
    items: [{ leadId: three.id }],
    more: true,
  });
});

test('lead find finds leads by part of a name or phone, ignoring case and accents, newest first', async () => {
  const organization = await givenOrganization();
  const one = await givenLead(organization, { fields: { name: 'Zo\u00eb M\u00fcller' } });
  const fields = { name: 'Ana Wei\u00df \u0930\u0940\u092e\u093e', phone: '+4915123456789' };
  const { id } = await givenLead(organization, { fields });
  const two = await givenLead(organization, { fields: { name: 'Anna Mu\u0308ller-Lund' } });
  await givenLead(organization, { fields: { name: 'Anna Miller' } });
  await json(organization, 'lead archive', '--lead', one.id);

  const all = await json(organization, 'lead find', '--name', 'MULLER');
  const first = await json(organization, 'lead find', '--name', 'm\u00fcller', '--limit', '1');
  const none = await run(organization, 'lead find', '--name', 'nobody');

  for (const args of ['--name weiss', '--name WEISS', '--name wei', '--name \u0930\u0940\u092e'])
    expect(await found(organization, 'lead find', ...args.split(' ')), args).toEqual([id]);
  for (const args of ['--phone 2345678', '--phone 0151-2345', '--phone 5678-9'])
    expect(await found(organization, 'lead find', ...args.split(' ')), args).toEqual([id]);
  for (const args of ['--name \u0930\u092e', '--phone 00000', '--phone 9876'])
    expect(await found(organization, 'lead find', ...args.split(' ')), args).toEqual([]);
  expect(all).toEqual({
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

test('lead find searches for a part of a phone or email, and says so first', async () => {
  const organization = await givenOrganization();
  const fields = { phone: '+4915123456789', email: 'Zoe.Mueller@example.com' };
  const { id } = await givenLead(organization, { fields });
  await givenLead(organization);

  for (const args of ['--email mueller', '--email @EXAMPLE.COM', '--phone 2345'])
    expect(await found(organization, 'lead find', ...args.split(' ')), args).toContain(id);
  expect(await found(organization, 'lead find', '--email', 'muller@')).toEqual([]);
  const { stderr } = await run(organization, 'lead find', '--email', 'mueller');
  expect(stderr).toBe(
    `Reading the leads of organization ${organization.id}, newest first, until 25 leads are found.\n`,
  );
});

test('a whole phone or email that no lead has is reported after one look-up, without a search', async () => {
  const organization = await givenOrganization();
  await givenLead(organization, { fields: { phone: '+4915123456789' } });

  // The number of India that these digits are is nobody's; a German lead's phone ends with them.
  const byPhone = await run(organization, 'lead find', '--phone', '51234 56789');
  const byEmail = await run(organization, 'lead find', '--email', 'nobody@example.com');

  expect([byPhone.status, byPhone.stderr]).toEqual([
    1,
    `Organization ${organization.id} has no lead with the phone +915123456789: name the country with --country, or search for the last digits.\n`,
  ]);
  expect([byEmail.status, byEmail.stderr]).toEqual([
    1,
    `Organization ${organization.id} has no lead with the email nobody@example.com.\n`,
  ]);
});

test('lead find looks up a stored phone that is no phone by the rules of today', async () => {
  const organization = await givenOrganization();
  const created = await newLead(table(), organization);
  const lead = { ...created, fields: { ...created.fields, phone: '+99912345' } };
  const opening = { type: 'lead_created', via: 'api', keyId: 'k', actorId: 7 } as const;
  await createLead(table(), () => ({ lead, opening: { ...opening, at: lead.createdAt } }));

  const { leadId } = await json(organization, 'lead find', '--phone', '+999 12345');

  expect(leadId).toBe(lead.id);
});

test('lead find --anywhere also finds a phone or email in custom fields and timelines', async () => {
  const organization = await givenOrganization();
  const phone = '+919822012345';
  const own = (await givenLead(organization, { fields: { phone, email: 'asha@example.com' } })).id;
  const guardian = (await givenLead(organization, { fields: { guardian_phone: phone } })).id;
  const noted = (await givenLead(organization)).id;
  await organization.note(noted, { text: 'Call 0 98220-12345, or write to Asha@Example.com.' });
  await givenLead(organization);
  const anywhere = (...args: string[]) => found(organization, 'lead find', ...args, '--anywhere');

  expect(await anywhere('--phone', '98220 12345')).toEqual([noted, guardian, own]);
  expect(await anywhere('--phone', '22012345')).toEqual([noted, guardian, own]);
  expect(await anywhere('--email', 'ASHA@example.com')).toEqual([noted, own]);
  expect(await anywhere('--email', 'asha@')).toEqual([noted, own]);
  expect(await anywhere('--phone', '+919822099999')).toEqual([]);
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
  const phone = '+4915123456789';
  const somebody = { ...person(), phone };
  const leadId = await captureLead(organization, somebody);
  await run(organization, 'lead archive', '--lead', leadId);
  const find = (...options: string[]) => json(organization, 'lead find', ...options);

  const byPhone = await find('--phone', '0151 23456789', '--country', 'de');
  const forPeople = await run(organization, 'lead find', '--phone', phone);

  const times = { createdAt: expect.any(String), updatedAt: expect.any(String) };
  expect(byPhone).toEqual({ leadId, ...somebody, archived: true, ...times });
  expect(await find('--phone', '0049 (151) 2345-6789')).toEqual(byPhone);
  expect(await find('--email', somebody.email.toUpperCase())).toEqual(byPhone);
  expect(forPeople.stdout.split('\n')).toEqual([
    expect.stringMatching(/^LEAD +STATE +NAME +PHONE +EMAIL +STAGE +OWNER +CREATED$/),
    expect.stringMatching(
      new RegExp(`^${leadId} +archived +${somebody.name} .* New +Asha Rao +20`),
    ),
    '',
  ]);
});

test('the newest leads are listed, as many as requested, and the text says if there are more', async () => {
  const organization = await givenOrganization();
  const ids: number[] = [];
  for (let lead = 0; lead < 3; lead += 1) ids.push((await givenLead(organization)).id);
  const list = async (...options: string[]) =>
    (await run(organization, 'lead list', ...options)).stdout;

  expect(await found(organization, 'lead list')).toEqual(ids.toReversed());
  expect(await list('--limit', '1')).toMatch(
    / 20[-\d]+\n\nThere are more leads: use a higher --limit\.\n$/,
  );
  expect(await list('--limit', '3')).not.toContain('There are more leads');
  expect(await list('--archived')).toMatch(/has no archived leads\.\n$/);
});
