import { expect, test } from 'vitest';
import { adminJson, runAdmin } from '../../../support/admin.ts';
import { call } from '../../../support/call.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';

const lead = ({ id }: GivenOrganization, command: string, ...more: string[]) =>
  runAdmin(['lead', command, '--organization', String(id), ...more]);

async function givenCapture(
  organization: GivenOrganization,
  body: object = person(),
): Promise<number> {
  const answer = await call('capture-lead', { apiKey: organization.website, body });
  expect(answer.status).toBe(201);
  return answer.body.lead.id;
}

test('a captured lead is archived, is gone for the API, and comes back when restored; its timeline tells all of it', async () => {
  const organization = await givenOrganization();
  const leadId = await givenCapture(organization);
  const id = ['--lead', String(leadId)];
  const get = async () => (await call('get-lead', { apiKey: organization.reader, leadId })).status;

  const archived = await lead(organization, 'archive', ...id, '--json');
  const whileArchived = await get();
  const again = await lead(organization, 'archive', ...id, '--json');
  const restored = await lead(organization, 'restore', ...id, '--json');
  const { json: timeline } = await lead(organization, 'timeline', ...id, '--json');
  const forPeople = await lead(organization, 'timeline', ...id);

  expect([archived.json, again.json, restored.json]).toEqual([
    { leadId, archived: true },
    { leadId, archived: true },
    { leadId, archived: false },
  ]);
  expect([whileArchived, await get()]).toEqual([404, 200]);
  const administrator = { userId: null, name: 'administrator' };
  expect(timeline.items).toEqual([
    {
      type: 'lead_created',
      at: expect.any(String),
      actor: { userId: 7, name: 'Asha Rao' },
      via: 'api',
      keyId: expect.any(String),
    },
    expect.objectContaining({
      type: 'captured',
      keyLabel: 'leads.capture',
      source: 'Website',
      filled: [],
      kept: [],
    }),
    { type: 'archived', at: expect.any(String), actor: administrator },
    { type: 'restored', at: expect.any(String), actor: administrator },
  ]);
  expect(forPeople.stdout).toMatch(
    /lead_created {2}by Asha Rao\n(.*\n)*.* {2}archived {2}by administrator\n/,
  );
});

test('archive and restore say what was done; to a lead that is so already they do nothing, and add nothing to the audit log', async () => {
  const organization = await givenOrganization();
  const leadId = await givenCapture(organization);
  const said = async (command: string) =>
    (await lead(organization, command, '--lead', String(leadId))).stdout;

  expect(await said('restore')).toBe(`Lead ${leadId} is not archived: nothing to do.\n`);
  expect(await said('archive')).toBe(`Archived lead ${leadId}.\n`);
  expect(await said('archive')).toMatch(
    new RegExp(`^Lead ${leadId} was already archived on 20.*Z: nothing to do\\.\\n$`),
  );
  expect(await said('restore')).toBe(`Restored lead ${leadId}: the API returns it again.\n`);
  const { items } = await adminJson(
    'organization',
    'history',
    '--organization',
    String(organization.id),
  );
  expect(items.map(({ what }: { what: string }) => what)).toEqual([
    `lead restore ${leadId}`,
    `lead archive ${leadId}`,
    'organization apply',
  ]);
});

test('a timeline for people tells what was carried in one order, changes with the names of what ids stand for, and nothing empty', async () => {
  const organization = await givenOrganization();
  const somebody = person();
  const leadId = await givenCapture(organization, {
    ...somebody,
    notes: 'First line\n\u001B[2Jsecond',
    attribution: { formName: 'Fees', pageUrl: 'https://example.com/' },
  });
  const changes = { stageId: 12, fields: { source: 3, city: 'Pune' } };
  expect(
    (await call('update-lead', { apiKey: organization.writer, leadId, body: changes })).status,
  ).toBe(200);
  await call('capture-lead', {
    apiKey: organization.website,
    body: { ...somebody, name: 'Other', fields: { budget: '5' } },
  });

  const { stdout } = await lead(organization, 'timeline', '--lead', String(leadId));

  const by = (type: string) => expect.stringMatching(new RegExp(`^20\\S+Z  ${type}  by Asha Rao$`));
  const key = expect.stringMatching(/^ {4}API key: \w{10} \(leads\.capture\)$/);
  expect(stdout.split('\n')).toEqual([
    by('lead_created'),
    '    via: api',
    expect.stringMatching(/^ {4}API key: \w{10}$/),
    by('captured'),
    key,
    '    source: Website',
    '    notes: First line',
    '      \uFFFD[2Jsecond',
    '    pageUrl: https://example.com/',
    '    formName: Fees',
    by('lead_updated'),
    '    via: api',
    expect.stringMatching(/^ {4}API key: \w{10}$/),
    '    source: 1 (Website) → 3 (Facebook Ads)',
    '    city: empty → Pune',
    '    stage: 11 (New) → 12 (Enrolled)',
    by('captured'),
    key,
    '    source: Website',
    '    filled: budget',
    `    kept: name: ${somebody.name}; submitted: Other`,
    '',
  ]);
});

test('a table for people cuts long names and shows what would move the cursor as one character; JSON has all of it', async () => {
  const organization = await givenOrganization();
  const name = `\u001B[2J${'x'.repeat(150)}`;
  await givenCapture(organization, { ...person(), name });

  const forPeople = await lead(organization, 'list');
  const { json } = await lead(organization, 'list', '--json');

  expect(forPeople.stdout).toContain(`  \uFFFD[2J${'x'.repeat(35)}…  +91`);
  expect(json.items[0].name).toBe(name);
});

test('a lead is found by its phone in any spelling, and by its email in any case, archived or not', async () => {
  const organization = await givenOrganization();
  const somebody = person();
  const leadId = await givenCapture(organization, somebody);
  await lead(organization, 'archive', '--lead', String(leadId));

  const byPhone = await lead(
    organization,
    'find',
    '--phone',
    `0${somebody.phone.slice(3, 8)} ${somebody.phone.slice(8)}`,
    '--json',
  );
  const byEmail = await lead(
    organization,
    'find',
    '--email',
    somebody.email.toUpperCase(),
    '--json',
  );
  const forPeople = await lead(organization, 'find', '--phone', somebody.phone);

  expect(byPhone.json).toEqual({
    leadId,
    ...somebody,
    archived: true,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect(byEmail.json).toEqual(byPhone.json);
  expect(forPeople.stdout.split('\n')).toEqual([
    expect.stringMatching(/^LEAD +NAME +PHONE +EMAIL +CREATED +STATE$/),
    expect.stringMatching(new RegExp(`^${leadId} +${somebody.name} .*archived$`)),
    '',
  ]);
});

test.each([
  [['--phone', '+919812300000'], 1, /has no lead with the phone \+919812300000\.$/],
  [['--email', 'nobody@example.com'], 1, /has no lead with the email nobody@example\.com\.$/],
  [[], 2, /^Give one of --phone, --email and --name\. See: npm run admin -- lead find --help$/],
  [
    ['--phone', '+919812300000', '--email', 'a@b.co'],
    2,
    /^Give one of --phone, --email and --name\. See: npm run admin -- lead find --help$/,
  ],
  [['--phone', '12'], 2, /must be a phone number, such as/],
  [['--email', 'nobody'], 2, /must be an email address, such as/],
  [['--name', ' '], 2, /must be a part of a name/],
  [['--fone', '12'], 2, /Did you mean --phone\?/],
])('lead find %j ends in one sentence', async (options, status, message) => {
  const answer = await lead(await givenOrganization(), 'find', ...options);

  expect(answer).toMatchObject({ status, stdout: '' });
  expect(answer.stderr.trim()).toMatch(message);
  expect(answer.stderr.trim().split('\n')).toHaveLength(1);
});

test('the newest leads are listed, archived ones apart, as many as asked for', async () => {
  const organization = await givenOrganization();
  const ids = [
    await givenCapture(organization),
    await givenCapture(organization),
    await givenCapture(organization),
  ];
  await lead(organization, 'archive', '--lead', String(ids[1]));
  const idsIn = (json: { items: { leadId: number }[]; more: boolean }) => ({
    ids: json.items.map(({ leadId }) => leadId),
    more: json.more,
  });

  expect(idsIn((await lead(organization, 'list', '--json')).json)).toEqual({
    ids: [ids[2], ids[0]],
    more: false,
  });
  expect(idsIn((await lead(organization, 'list', '--limit', '1', '--json')).json)).toEqual({
    ids: [ids[2]],
    more: true,
  });
  expect(idsIn((await lead(organization, 'list', '--archived', '--json')).json)).toEqual({
    ids: [ids[1]],
    more: false,
  });
  expect((await lead(organization, 'list', '--limit', '1')).stdout).toMatch(
    / live\n\nThere are more leads: use a higher --limit\.\n$/,
  );
  expect((await lead(await givenOrganization(), 'list', '--archived')).stdout).toMatch(
    /has no archived leads\.\n$/,
  );
});

test.each(['0', '10001', '1.5', 'all'])('lead list --limit %s is wrong usage', async (limit) => {
  const answer = await lead(await givenOrganization(), 'list', '--limit', limit);

  expect(answer).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/It must be an integer from 1 to 10000\./),
  });
});
