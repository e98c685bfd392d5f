import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { spawnAdmin } from '../../../support/admin.ts';
import { givenLead, storedLeads } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { addNote, captureLead, commandOf, json, run } from '../commands.ts';

useOwnTable();

test('a dry run says exactly what the erasure then changes, and changes nothing', async () => {
  const organization = await givenOrganization();
  const who = person();
  const leadId = await captureLead(organization, { ...who, externalId: randomUUID() });
  const erase = ['lead erase', '--lead', leadId] as const;
  const [one, two] = [
    await givenLead(organization),
    await givenLead(organization, { fields: { guardian_phone: who.phone } }),
  ];
  await addNote(organization, one.id, `Brother of ${who.phone}`);
  await addNote(organization, one.id, `Write to ${who.email}`);
  await addNote(organization, two.id, `Brother of ${who.phone}`);
  const before = await storedLeads(organization);
  const timelines = await spawnAdmin(commandOf(organization, 'lead timelines')).ended;
  const notes = timelines.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'note_added');

  const planned = await json(organization, ...erase, '--dry-run');

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
  const { stdout } = await run(organization, ...erase, '--dry-run');
  expect(stdout).toContain('with 1 timeline record, 2 idempotency records and 0 imported rows.');
  expect(stdout).toContain(`The person's phones: ${who.phone}. Emails: ${who.email}.`);
  expect(stdout).toContain(
    `Lead ${one.id} would change in 2 timeline items: ${notes[0]?.id}, ${notes[1]?.id}.`,
  );
  const { dryRun: _, ...counts } = planned;
  expect(await json(organization, ...erase, '--yes')).toMatchObject(counts);
});

test('an erasure that would change more items than allowed, or that nobody confirms, changes nothing', async () => {
  const organization = await givenOrganization();
  const [lead, other] = [await givenLead(organization), await givenLead(organization)];
  for (const text of ['one', 'two']) await addNote(organization, other.id, `${text} ${lead.phone}`);
  const before = await storedLeads(organization);
  const erase = (...more: string[]) => run(organization, 'lead erase', '--lead', lead.id, ...more);

  const refused = await erase('--yes', '--max-items', '1');
  const unconfirmed = await erase();

  expect(refused).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(
      /would change 2 timeline items of 1 other lead, more than 1 item: .*--max-items/,
    ),
  });
  expect(unconfirmed).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /Erasing changes 2 timeline items of 1 other lead\.\nErasing removes lead \d+ .* for good\. Add --yes/,
    ),
  });
  expect(await storedLeads(organization)).toEqual(before);
  expect((await erase('--yes', '--max-items', '2')).status).toBe(0);
});
