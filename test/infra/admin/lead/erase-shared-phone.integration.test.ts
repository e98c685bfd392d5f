import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { adminJson, runAdmin, spawnAdmin } from '../../../support/admin.ts';
import { call } from '../../../support/call.ts';
import { givenLead, storedLeads, timelineOf } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';

useOwnTable();

const argumentsOf = (
  { id }: GivenOrganization,
  leadId: number,
  ...more: readonly string[]
): string[] => ['lead', 'erase', '--organization', String(id), '--lead', String(leadId), ...more];
const erase = (organization: GivenOrganization, leadId: number) =>
  adminJson(...argumentsOf(organization, leadId, '--yes'));
const dryRun = (organization: GivenOrganization, leadId: number) =>
  adminJson(...argumentsOf(organization, leadId, '--dry-run'));

/** The items that `lead timelines` prints. */
async function timelineLines({
  id,
}: GivenOrganization): Promise<{ leadId: number; id: string; type: string }[]> {
  const { stdout } = await spawnAdmin(['lead', 'timelines', '--organization', String(id)]).ended;
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const note = (organization: GivenOrganization, leadId: number, text: string) =>
  call('add-note', { apiKey: organization.writer, leadId, body: { text } });
const capture = (organization: GivenOrganization, body: object) =>
  call('capture-lead', {
    apiKey: organization.website,
    body,
    headers: { 'Idempotency-Key': randomUUID() },
  });

/** Two people who had one phone after the other, and a third who has nothing to do with either. */
async function givenFamily() {
  const organization = await givenOrganization();
  const shared = person();
  const first = await givenLead(organization, { fields: shared });
  await call('update-lead', {
    apiKey: organization.writer,
    leadId: first.id,
    body: { fields: { phone: person().phone } },
  });
  const second = await givenLead(organization, { fields: { phone: shared.phone } });
  const stranger = person();
  const third = await givenLead(organization, { fields: { ...stranger, city: 'Pune' } });
  await note(organization, third.id, 'Call tomorrow at nine');
  await capture(organization, {
    ...stranger,
    notes: 'wants a hostel',
    attribution: { pageUrl: 'https://example.com/' },
    fields: { city: 'Delhi' },
  });
  return { organization, shared, first, second, third };
}

test('erasing two people who had one phone after the other leaves everybody else’s timeline as it was', async () => {
  const { organization, first, second, third } = await givenFamily();
  const before = await timelineOf(organization, third.id);

  const answers = [await erase(organization, second.id), await erase(organization, first.id)];

  expect(await timelineOf(organization, third.id)).toEqual(before);
  expect(answers).toMatchObject([
    { otherEntries: 1, otherLeads: 1 },
    { otherEntries: 0, otherLeads: 0 },
  ]);
  expect((await adminJson('check', '--organization', String(organization.id))).violations).toEqual(
    [],
  );
});

test('a person whose email has a hyphen is erased', async () => {
  const organization = await givenOrganization();
  const email = `anna-maria.${randomUUID()}@ex-ample.com`;
  const lead = await givenLead(organization, { fields: { email } });
  const other = await givenLead(organization);
  await note(organization, other.id, `Sister of ${email}`);

  expect(await erase(organization, lead.id)).toMatchObject({ otherEntries: 1 });
  expect((await timelineOf(organization, other.id)).at(-1)).toMatchObject({
    text: 'Sister of [erased]',
  });
});

test('a dry run says exactly what the erasure then changes, and changes nothing', async () => {
  const organization = await givenOrganization();
  const who = person();
  const first = await capture(organization, { ...who, externalId: randomUUID() });
  const leadId = first.body.lead.id;
  const [one, two] = [
    await givenLead(organization),
    await givenLead(organization, { fields: { guardian_phone: who.phone } }),
  ];
  await note(organization, one.id, `Brother of ${who.phone}`);
  await note(organization, one.id, `Write to ${who.email}`);
  await note(organization, two.id, `Brother of ${who.phone}`);
  const before = await storedLeads(organization);
  const notes = (await timelineLines(organization)).filter(({ type }) => type === 'note_added');

  const planned = await dryRun(organization, leadId);

  expect(await storedLeads(organization)).toEqual(before);
  expect(planned).toEqual({
    leadId,
    dryRun: true,
    timelineEntries: 1,
    idempotencyRecords: 2,
    importedRows: 0,
    otherEntries: 3,
    otherLeads: 2,
    mentions: [{ leadId: two.id, fields: ['guardian_phone'] }],
    phones: [who.phone],
    emails: [who.email],
    changes: notes.map((item) => ({ leadId: item.leadId, id: item.id })),
  });
  expect(notes).toHaveLength(3);
  const { stdout } = await runAdmin(argumentsOf(organization, leadId, '--dry-run'));
  expect(stdout).toContain('with 1 timeline record, 2 idempotency records and 0 imported rows.');
  expect(stdout).toContain(`The person's phones: ${who.phone}. Emails: ${who.email}.`);
  expect(stdout).toContain(
    `Lead ${one.id} would change in 2 timeline items: ${notes[0]?.id}, ${notes[1]?.id}.`,
  );
  const { dryRun: _, ...counts } = planned;
  expect(await erase(organization, leadId)).toMatchObject(counts);
});

test('an erasure that would change more items than allowed is refused, and changes nothing', async () => {
  const organization = await givenOrganization();
  const [lead, other] = [await givenLead(organization), await givenLead(organization)];
  for (const text of ['one', 'two']) await note(organization, other.id, `${text} ${lead.phone}`);
  const before = await storedLeads(organization);

  const refused = await runAdmin(argumentsOf(organization, lead.id, '--yes', '--max-items', '1'));
  const unasked = await runAdmin(argumentsOf(organization, lead.id));

  expect(refused).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(
      /would change 2 timeline items of 1 other lead, more than 1 item: .*--max-items/,
    ),
  });
  expect(unasked.stderr).toMatch(
    /Erasing changes 2 timeline items of 1 other lead\.\nLead \d+ .* removed for good\. Add --yes/,
  );
  expect(await storedLeads(organization)).toEqual(before);
  const allowed = await runAdmin(argumentsOf(organization, lead.id, '--yes', '--max-items', '2'));
  expect(allowed.status).toBe(0);
});
