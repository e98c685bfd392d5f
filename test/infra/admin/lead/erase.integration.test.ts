import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseApiKey } from '../../../../shared/organization/api-key.ts';
import { givenLead, timelineOf } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { table } from '../../../support/table.ts';
import { addNote, capture, json, run, update, violationsIn } from '../commands.ts';
import { itemsOf } from '../table/restored-tables.ts';

useOwnTable();

/** The items of the table as text, those that contain one of the texts. */
async function itemsWith(...texts: string[]): Promise<string[]> {
  const items = (await itemsOf(table())).map((item) => JSON.stringify(item));
  return items.filter((item) =>
    texts.some((text) => item.toLowerCase().includes(text.toLowerCase())),
  );
}

test('lead erase removes the person everywhere: the lead, its timeline and records, and mentions elsewhere', async () => {
  const organization = await givenOrganization();
  const [erased, other, before] = [person(), person(), person()];
  const marker = `Zq${randomUUID().slice(0, 8)}`;
  const first = await capture(organization, {
    ...erased,
    name: marker,
    notes: `I am ${marker}`,
    externalId: randomUUID(),
  });
  const { id } = first.body.lead;
  await update(organization, id, { fields: { phone: before.phone } });
  await update(organization, id, { fields: { phone: erased.phone } });
  await addNote(organization, id, `Called ${marker}`);
  const kept = await givenLead(organization, { fields: { ...other, city: 'Pune' } });
  await capture(organization, {
    ...other,
    email: erased.email.toUpperCase(),
    name: marker,
    notes: `${marker} asks`,
    attribution: { pageUrl: `https://example.com/?m=${marker}` },
    fields: { city: marker },
  });
  const spaced = erased.phone.replace(/^\+91(\d{5})/, '$1 ');
  await addNote(organization, kept.id, `Brother of ${spaced}, not 1${erased.phone.slice(3)}0`);
  await addNote(organization, kept.id, `Before that ${before.phone}.`);

  const { keyId } = parseApiKey(organization.website) ?? {};
  const recordsBefore = await itemsWith(`"IDEMPOTENCY#${keyId}#`);

  const answer = await json(organization, 'lead erase', '--lead', id, '--yes');

  expect(recordsBefore).toHaveLength(3);
  expect(
    (await itemsWith(`"IDEMPOTENCY#${keyId}#`)).map((item) => JSON.parse(item).result.id),
  ).toEqual([kept.id]);
  expect(await itemsWith(marker, erased.email, before.phone, spaced)).toEqual([]);
  expect(
    await itemsWith(
      `PHONE#${organization.id}#${erased.phone}`,
      `TIMELINE#${organization.id}#${id}"`,
    ),
  ).toEqual([]);
  expect(answer).toMatchObject({
    leadId: id,
    timelineEntries: 4,
    idempotencyRecords: 2,
    otherEntries: 3,
    mentions: [],
  });
  expect(Date.parse(answer.backupsUntil) - Date.now()).toBeGreaterThan(34 * 86_400_000);
  expect((await timelineOf(organization, kept.id)).slice(1)).toMatchObject([
    {
      type: 'captured',
      notes: '[erased]',
      attribution: { pageUrl: '[erased]' },
      kept: [
        { field: 'name', current: other.name, submitted: '[erased]' },
        { field: 'email', current: other.email, submitted: '[erased]' },
        { field: 'city', current: 'Pune', submitted: '[erased]' },
      ],
    },
    { type: 'note_added', text: `Brother of [erased], not 1${erased.phone.slice(3)}0` },
    { type: 'note_added', text: 'Before that [erased].' },
  ]);
  expect(await violationsIn(organization)).toEqual([]);
  const again = await run(organization, 'lead erase', '--lead', id, '--yes');
  expect(again).toMatchObject({
    status: 1,
    stderr: `Organization ${organization.id} has no lead ${id}.\n`,
  });
});
