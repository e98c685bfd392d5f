import { expect, test } from 'vitest';
import { call } from '../../../support/call.ts';
import { givenLead } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';
import { captureLead, doneTo, json, run } from '../commands.ts';

test('an archived lead is gone for the API until it is restored, and only changes are noted', async () => {
  const organization = await givenOrganization();
  const leadId = await captureLead(organization, person());
  const id = ['--lead', String(leadId)];
  const get = async () => (await call('get-lead', { apiKey: organization.reader, leadId })).status;
  const said = async (command: string) =>
    (await run(organization, `lead ${command}`, ...id)).stdout;

  const notArchived = await said('restore');
  const archived = await json(organization, 'lead archive', ...id);
  const whileArchived = await get();
  const again = await said('archive');
  const restored = await said('restore');
  const { items } = await json(organization, 'lead timeline', ...id);
  const forPeople = await said('timeline');

  expect(notArchived).toBe(`Lead ${leadId} is not archived: nothing to do.\n`);
  expect(archived).toEqual({ leadId, archived: true });
  expect(again).toMatch(
    new RegExp(`^Lead ${leadId} was already archived on 20.*Z: nothing to do\\.\\n$`),
  );
  expect(restored).toBe(`Restored lead ${leadId}: the API returns it again.\n`);
  expect([whileArchived, await get()]).toEqual([404, 200]);
  const { items: audited } = await json(organization, 'organization history');
  const administrator = { userId: null, name: 'administrator' };
  const noted = { at: expect.any(String), actor: administrator, by: audited[0].who };
  expect(audited.map(({ what }: { what: string }) => what)).toEqual([
    `lead restore ${leadId}`,
    `lead archive ${leadId}`,
    'organization apply',
  ]);
  expect(items).toEqual([
    {
      type: 'lead_created',
      at: expect.any(String),
      actor: { userId: 7, name: 'Asha Rao' },
      via: 'api',
      keyId: expect.any(String),
      requestId: expect.any(String),
    },
    expect.objectContaining({
      type: 'captured',
      keyLabel: 'leads.capture',
      source: 'Website',
      filled: [],
      kept: [],
    }),
    { type: 'archived', ...noted },
    { type: 'restored', ...noted },
  ]);
  expect(forPeople).toMatch(
    /lead_created {2}by website \(leads\.capture\), with the key of Asha Rao\n(.*\n)*.* {2}archived {2}by administrator\n {4}run by: /,
  );
});

test('a printed timeline has names instead of IDs, in a fixed order, and omits empty values', async () => {
  const organization = await givenOrganization();
  const somebody = person();
  const leadId = await captureLead(organization, {
    ...somebody,
    source: 'Bing\u001Bads',
    notes: 'First line\n\u001B[2Jsecond',
    attribution: { formName: 'Fees', pageUrl: 'https://example.com/' },
  });
  await organization.update(leadId, { stageId: 12, fields: { source: 3, city: 'Pune' } });
  await organization.capture({ ...somebody, name: 'Other', fields: { budget: '5' } });

  const { stdout } = await run(organization, 'lead timeline', '--lead', leadId);
  const shown = await run(organization, 'lead show', '--lead', leadId);

  const done = (type: string, who: string) =>
    expect.stringMatching(new RegExp(`^20\\S+Z  ${type}  by ${who}$`));
  const website = 'website \\(leads\\.capture\\), with the key of Asha Rao';
  const key = expect.stringMatching(/^ {4}API key: \w{10} \(leads\.capture\)$/);
  const request = expect.stringMatching(/^ {4}request: \S{8,}$/);
  expect(stdout.split('\n')).toEqual([
    done('lead_created', website),
    '    via: api',
    expect.stringMatching(/^ {4}API key: \w{10}$/),
    request,
    done('captured', website),
    key,
    request,
    '    source: Website',
    '    submitted source: Bing\uFFFDads',
    '    notes: First line',
    '      \uFFFD[2Jsecond',
    '    formName: Fees',
    '    pageUrl: https://example.com/',
    done('lead_updated', 'Asha Rao'),
    '    via: api',
    expect.stringMatching(/^ {4}API key: \w{10}$/),
    request,
    '    source: 1 (Website) → 3 (Facebook Ads)',
    '    city: empty → Pune',
    '    stage: 11 (New) → 12 (Enrolled)',
    done('captured', website),
    key,
    request,
    '    source: Website',
    '    filled: budget',
    `    kept: name: ${somebody.name}; submitted: Other`,
    '',
  ]);
  expect(shown.stdout).toMatch(/\nsubmitted source: Bing\uFFFDads\n$/);
});

test('a timeline names a website where an enquiry came, and a person where the same key changed the lead', async () => {
  const organization = await givenOrganization();
  const apiKey = organization.writer;
  const { body } = await call('capture-lead', { apiKey, body: person() });
  const leadId = body.lead.id;
  await organization.update(leadId, { stageId: 12 });

  const { stdout } = await run(organization, 'lead timeline', '--lead', leadId);

  const who = [...stdout.matchAll(/^20\S+ {2}(\w+) {2}by (website|Asha Rao)/gm)];
  expect(who.map(([, type, name]) => `${type} ${name}`)).toEqual([
    'lead_created website',
    'captured website',
    'lead_updated Asha Rao',
  ]);
});

test('lead archive and restore take several leads, and name one that does not exist', async () => {
  const organization = await givenOrganization();
  const [one, two] = [await givenLead(organization), await givenLead(organization)];
  const statusOf = async ({ id: leadId }: typeof one) =>
    (await call('get-lead', { apiKey: organization.reader, leadId })).status;
  const ids = `${two.id},${one.id}, 999999,${two.id}`;

  const archived = await run(organization, 'lead archive', '--lead', ids, '--json');
  const whileArchived = [await statusOf(one), await statusOf(two)];
  const restored = await run(organization, 'lead restore', '--lead', `${one.id},${two.id}`);
  const none = await run(organization, 'lead archive', '--lead', '999998,999999');

  expect(archived).toMatchObject({
    status: 1,
    json: { items: [two, one].map(({ id }) => ({ leadId: id, archived: true })) },
    stderr: `Organization ${organization.id} has no lead 999999.\n`,
  });
  expect([...whileArchived, await statusOf(one), await statusOf(two)]).toEqual([
    ...[404, 404],
    ...[200, 200],
  ]);
  expect(restored.stdout.split('\n')).toHaveLength(3);
  expect(none).toMatchObject({ status: 1, stdout: 'No lead was archived.\n' });
  expect((await doneTo(organization)).slice(0, 4)).toEqual([
    ...[`lead restore ${two.id}`, `lead restore ${one.id}`],
    ...[`lead archive ${one.id}`, `lead archive ${two.id}`],
  ]);
});

test('lead show prints a lead as the API returns it, and when it was archived', async () => {
  const organization = await givenOrganization();
  const { id } = await givenLead(organization, { fields: { city: 'Pune', source: 3 } });

  const live = await json(organization, 'lead show', '--lead', id);
  const { body } = await call('get-lead', { apiKey: organization.reader, leadId: id });
  await json(organization, 'lead archive', '--lead', id);
  const archived = await json(organization, 'lead show', '--lead', id);

  expect(live).toEqual({ lead: body.lead, archivedAt: null });
  expect(archived).toEqual({
    lead: { ...body.lead, updatedAt: archived.archivedAt },
    archivedAt: expect.stringMatching(/^20.*Z$/),
  });
});

test('lead show prints a line for each value, with names beside IDs, without control characters', async () => {
  const organization = await givenOrganization();
  const fields = {
    city: '\u001B[2JPune',
    source: 3,
    assigned_to: 8,
    interests: ['hostel', 'loan'],
  };
  const { id, name, phone } = await givenLead(organization, { fields });

  const { stdout } = await run(organization, 'lead show', '--lead', id);

  expect(stdout.split('\n')).toEqual([
    `lead: ${id}`,
    `name: ${name}`,
    `phone: ${phone}`,
    expect.stringMatching(/^email: /),
    'source: 3 (Facebook Ads)',
    'assigned_to: 8 (Ravi Iyer)',
    'lead_type: student',
    'city: \uFFFD[2JPune',
    'interests: hostel, loan',
    'stage: 11 (New)',
    'pipeline: 1 (Admissions)',
    expect.stringMatching(/^created at: 20.*Z$/),
    expect.stringMatching(/^updated at: 20.*Z$/),
    '',
  ]);
});
