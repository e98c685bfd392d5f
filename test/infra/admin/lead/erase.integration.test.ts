import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseApiKey } from '../../../../shared/organization/api-key.ts';
import { eraseLead } from '../../../../shared/store/maintenance/erase-lead.ts';
import { givenLead, storedLeads, timelineOf } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { table } from '../../../support/table.ts';
import { addNote, capture, json, run, update, violationsIn } from '../commands.ts';
import { itemsOf } from '../table/restored-tables.ts';
import { dyingAfter } from './dying-table.ts';

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

test('an erasure that dies after any of its calls is ended by a repeat, and check reports it until then', async () => {
  const organization = await givenOrganization();
  const other = await givenLead(organization);
  let toldOf = 0;
  let calls = 1;
  for (let ended = false; !ended && calls < 100; calls += 2) {
    const erased = person();
    const { body } = await capture(organization, erased);
    await addNote(organization, other.id, `See ${erased.email}`);
    const dying = dyingAfter(calls);
    ended = await eraseLead(dying.table, organization.id, body.lead.id, { who: 'a test' }).then(
      () => true,
      () => false,
    );
    // Segments that were being scanned may still be at work.
    await dying.settled();
    const isBroken = (await storedLeads(organization)).length === 1 && !ended;
    if (isBroken && calls < 10)
      toldOf += (await violationsIn(organization)).filter((one: string) =>
        /erasure of lead/.test(one),
      ).length;
    if (!ended) await eraseLead(table(), organization.id, body.lead.id, { who: 'a test' });

    expect({ calls, left: await itemsWith(erased.email, erased.phone) }).toEqual({
      calls,
      left: [],
    });
  }

  expect(calls).toBeGreaterThan(9);
  expect(toldOf).toBeGreaterThan(0);
  expect(await violationsIn(organization)).toEqual([]);
}, 120_000);

test('captures of a person during their erasure are neither lost nor duplicated', async () => {
  const organization = await givenOrganization();
  const who = person();
  const first = await capture(organization, who);

  let isErased = false;
  const { promise: underWay, resolve: begin } = Promise.withResolvers<void>();
  const erasing = (async () => {
    await underWay;
    return eraseLead(table(), organization.id, first.body.lead.id, { who: 'a test' });
  })().finally(() => {
    isErased = true;
  });
  // Several forms send the same person, from before the erasure until a moment after it.
  const forms = Array.from({ length: 4 }, async () => {
    const answers = [];
    for (let after = 0; after < 3; after += isErased ? 1 : 0) {
      answers.push(await capture(organization, who));
      begin();
    }
    return answers;
  });
  const answers = (await Promise.all(forms)).flat();

  expect(await erasing).toBeDefined();
  expect(answers.every(({ status }) => status === 200 || status === 201)).toBe(true);
  const created = answers.filter(({ status }) => status === 201);
  expect(created).toHaveLength(1);
  const leads = await storedLeads(organization);
  expect(leads).toHaveLength(1);
  const captured = (await timelineOf(organization, created[0]?.body.lead.id)).filter(
    ({ type }) => type === 'captured',
  );
  expect(captured).toHaveLength(
    answers.filter(({ body }) => body.lead.id === created[0]?.body.lead.id).length,
  );
  expect(await violationsIn(organization)).toEqual([]);
}, 60_000);
