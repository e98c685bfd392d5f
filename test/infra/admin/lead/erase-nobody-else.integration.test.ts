import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, onTestFinished, test } from 'vitest';
import { eraseLead } from '../../../../shared/store/maintenance/erase-lead.ts';
import { adminJson } from '../../../support/admin.ts';
import { call } from '../../../support/call.ts';
import { givenLead, storedLead, storedLeads, timelineOf } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { table } from '../../../support/table.ts';
import { dyingAfter } from './dying-table.ts';

useOwnTable();

const erase = ({ id }: GivenOrganization, leadId: number) =>
  adminJson('lead', 'erase', '--organization', String(id), '--lead', String(leadId), '--yes');
const violations = async ({ id }: GivenOrganization) =>
  (await adminJson('check', '--organization', String(id))).violations;
const note = (organization: GivenOrganization, leadId: number, text: string) =>
  call('add-note', { apiKey: organization.writer, leadId, body: { text } });
const capture = async (organization: GivenOrganization, body: object): Promise<number> =>
  (
    await call('capture-lead', {
      apiKey: organization.website,
      body,
      headers: { 'Idempotency-Key': randomUUID() },
    })
  ).body.lead.id;
const enquiry = {
  notes: 'I want the MBA, please call on Monday',
  attribution: { pageUrl: 'https://example.com/?utm_source=fair', utmCampaign: 'autumn' },
};

test('the enquiries of a son, which name his parents’ emails, stay when a parent is erased', async () => {
  const organization = await givenOrganization();
  const [father, mother] = [await givenLead(organization), await givenLead(organization)];
  const son = person();
  for (const parent of [father, mother])
    await capture(organization, { ...son, ...enquiry, email: parent.email });
  const before = await timelineOf(organization, mother.id);

  const answer = await erase(organization, father.id);

  expect(before.at(-1)).toMatchObject(enquiry);
  expect(await timelineOf(organization, mother.id)).toEqual(before);
  expect(answer).toMatchObject({
    otherEntries: 0,
    otherLeads: 0,
    phones: [father.phone],
    emails: [father.email],
    changes: [],
  });
});

test('a person who has come back stays as they are when their interrupted erasure is completed', async () => {
  const organization = await givenOrganization();
  const who = person();
  const leadId = await capture(organization, who);
  const dying = dyingAfter(4); // three reads, and the transaction that removes the lead
  await expect(eraseLead(dying.table, organization.id, leadId, { who: 'a test' })).rejects.toThrow(
    'The process died.',
  );
  await dying.settled();
  const again = await comeBack(organization, who);

  const answer = await eraseLead(table(), organization.id, leadId, { who: 'a test' });

  expect(answer).toMatchObject({ otherEntries: 0, mentions: [], phones: [], emails: [] });
  expect(await storedLead(organization, again.leadId)).toEqual(again.stored);
  expect(await violations(organization)).toEqual([]);
});

test('what a person says after they came back stays when their interrupted erasure is completed, even of a phone they gave up', async () => {
  const organization = await givenOrganization();
  const who = person();
  const leadId = await capture(organization, who);
  const dying = dyingAfter(4); // three reads, and the transaction that removes the lead
  await expect(eraseLead(dying.table, organization.id, leadId, { who: 'a test' })).rejects.toThrow(
    'The process died.',
  );
  await dying.settled();
  const again = await comeBack(organization, who);
  await call('update-lead', {
    apiKey: organization.writer,
    leadId: again.leadId,
    body: { fields: { phone: person().phone } },
  });
  const before = await timelineOf(organization, again.leadId);

  const answer = await eraseLead(table(), organization.id, leadId, { who: 'a test' });

  expect(await timelineOf(organization, again.leadId)).toEqual(before);
  expect(answer).toMatchObject({ otherEntries: 0, changes: [], phones: [who.phone] });
});

test('a person who comes back while an erasure reads the table stays as they are', async () => {
  const organization = await givenOrganization();
  const who = person();
  const leadId = await capture(organization, who);
  let returning: ReturnType<typeof comeBack> | undefined;
  const client = Object.create(table().client, {
    send: {
      value: async (...args: unknown[]) => {
        if (args[0] instanceof ScanCommand) {
          returning ??= comeBack(organization, who);
          await returning;
        }
        return (table().client.send as (...all: unknown[]) => unknown).apply(table().client, args);
      },
    },
  });

  const answer = await eraseLead({ ...table(), client }, organization.id, leadId, {
    who: 'a test',
  });

  expect(answer).toMatchObject({ otherEntries: 0, mentions: [], phones: [], emails: [] });
  const again = await returning;
  expect(again && (await storedLead(organization, again.leadId))).toEqual(again?.stored);
  expect(await storedLeads(organization)).toHaveLength(1);
});

/** The person writes again, which makes a new lead, and what they tell names their phone and email. */
async function comeBack(organization: GivenOrganization, who: ReturnType<typeof person>) {
  const attribution = { pageUrl: `https://example.com/?m=${who.email}` };
  const leadId = await capture(organization, {
    ...who,
    notes: `Please call me on ${who.phone}`,
    attribution,
  });
  await note(organization, leadId, `Called ${who.phone}`);
  for (const city of [`Near ${who.email}`, 'Pune'])
    await call('update-lead', {
      apiKey: organization.writer,
      leadId,
      body: { fields: { city } },
    });
  return { leadId, stored: await storedLead(organization, leadId) };
}

test('an import that keeps the ID of a lead under erasure is refused until the erasure is complete', async () => {
  const organization = await givenOrganization();
  const { id: leadId } = await givenLead(organization);
  const who = person();
  const folder = await mkdtemp(join(tmpdir(), 'erase-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'leads.csv');
  await writeFile(
    file,
    `lead id,lead service export,name,phone,note\n${leadId},organization ${organization.id},${who.name},${who.phone},Kept\n`,
  );
  const importFile = () =>
    adminJson('lead', 'import', '--organization', String(organization.id), '--keep-ids', file);
  const dying = dyingAfter(4); // three reads, and the transaction that removes the lead
  await expect(eraseLead(dying.table, organization.id, leadId, { who: 'a test' })).rejects.toThrow(
    'The process died.',
  );
  await dying.settled();

  const refused = await importFile();
  const reasons = await readFile(refused.report, 'utf8');
  await erase(organization, leadId);
  const imported = await importFile();

  expect(reasons).toContain('lead id belongs to a lead under erasure: no two leads may share it.');
  expect([refused.refused, imported.imported]).toEqual([1, 1]);
  expect((await timelineOf(organization, leadId)).map(({ type }) => type)).toEqual([
    'lead_created',
    'note_added',
  ]);
  expect(await violations(organization)).toEqual([]);
});
