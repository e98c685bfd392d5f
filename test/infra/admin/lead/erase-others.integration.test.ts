import { randomUUID } from 'node:crypto';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { eraseLead } from '../../../../shared/store/maintenance/erase-lead.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { timelinePartitionKey } from '../../../../shared/store/table/primary-keys.ts';
import { adminJson } from '../../../support/admin.ts';
import { call } from '../../../support/call.ts';
import { givenLead, storedLeads, timelineOf } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { table } from '../../../support/table.ts';

useOwnTable();

const erase = ({ id }: GivenOrganization, leadId: number) =>
  adminJson('lead', 'erase', '--organization', String(id), '--lead', String(leadId), '--yes');

function capture(organization: GivenOrganization, body: object, idempotencyKey = randomUUID()) {
  return call('capture-lead', {
    apiKey: organization.website,
    body,
    headers: { 'Idempotency-Key': idempotencyKey },
  });
}

test('what another lead has now is that lead’s, and its fields are named, not changed', async () => {
  const organization = await givenOrganization();
  const [erased, other] = [person(), person()];
  const lead = await givenLead(organization, { fields: erased });
  await call('update-lead', {
    apiKey: organization.writer,
    leadId: lead.id,
    body: { fields: { email: other.email } },
  });
  await call('update-lead', {
    apiKey: organization.writer,
    leadId: lead.id,
    body: { fields: { email: erased.email } },
  });
  const holder = await givenLead(organization, {
    fields: { ...other, guardian_phone: erased.phone },
  });
  await call('add-note', {
    apiKey: organization.writer,
    leadId: holder.id,
    body: { text: `Write to ${other.email}` },
  });

  const answer = await erase(organization, lead.id);

  expect(answer).toMatchObject({
    otherEntries: 0,
    mentions: [{ leadId: holder.id, fields: ['guardian_phone'] }],
  });
  const [stored] = await storedLeads(organization);
  expect(stored?.lead.fields).toMatchObject({ email: other.email, guardian_phone: erased.phone });
  expect((await timelineOf(organization, holder.id)).at(-1)).toMatchObject({
    text: `Write to ${other.email}`,
  });
});

/** Every order of the properties of a value. */
function ordersOf(entries: readonly [string, unknown][]): Record<string, unknown>[] {
  if (entries.length < 2) return [Object.fromEntries(entries)];
  return entries.flatMap((first, at) =>
    ordersOf(entries.toSpliced(at, 1)).map((rest) =>
      Object.fromEntries([first, ...Object.entries(rest)]),
    ),
  );
}

test('an erasure neither counts nor writes a timeline item that does not name the person, in whatever order its properties come', async () => {
  const organization = await givenOrganization();
  const [erased, other] = [await givenLead(organization), await givenLead(organization)];
  const kept = ordersOf(Object.entries({ field: 'city', current: 'Pune', submitted: 'Delhi' }));
  const changes = ordersOf(Object.entries({ field: 'city', from: null, to: ['Pune', 'Delhi'] }));
  const attributions = ordersOf(
    Object.entries({ pageUrl: 'https://example.com', formName: 'F', utmTerm: 'x' }),
  );
  for (const [at, attribution] of attributions.entries()) {
    const common = {
      pk: timelinePartitionKey(organization.id, other.id),
      at: `2026-01-01T00:00:0${at}.000Z`,
      actorId: null,
    };
    const entry = {
      type: 'captured',
      attribution,
      kept,
      changes,
      notes: 'Call at nine',
      filled: [],
    };
    await table().client.send(
      new PutCommand({
        TableName: table().name,
        Item: { ...common, sk: `${common.at}#0011`, ...entry },
      }),
    );
  }
  const written: string[] = [];

  const answer = await eraseLead(watched(written), organization.id, erased.id, { who: 'a test' });

  expect(answer).toMatchObject({ otherEntries: 0 });
  expect(written.filter((key) => key.startsWith('TIMELINE#'))).toEqual([]);
});

test('three people who were captured twice are not counted when one of them is erased', async () => {
  const organization = await givenOrganization();
  const people = [person(), person(), person()];
  const first = await Promise.all(people.map((one) => capture(organization, one)));
  for (const { phone } of people) await capture(organization, { ...person(), phone });

  const answer = await erase(organization, first[0]?.body.lead.id);

  expect(answer).toMatchObject({
    timelineEntries: 2,
    otherEntries: 0,
    otherLeads: 0,
    mentions: [],
  });
});

/** The table, which tells the partition keys of the items that are updated by themselves. */
function watched(written: string[]): Table {
  const client = Object.create(table().client, {
    send: {
      value: (...args: unknown[]) => {
        const [command] = args;
        if (command instanceof UpdateCommand) written.push(String(command.input.Key?.pk));
        return (table().client.send as (...all: unknown[]) => unknown).apply(table().client, args);
      },
    },
  });
  return { ...table(), client };
}

test('an erasure leaves other organizations alone, where the same person may be a lead too', async () => {
  const [organization, neighbour] = [await givenOrganization(), await givenOrganization()];
  const fields = person();
  const [lead, same] = [
    await givenLead(organization, { fields }),
    await givenLead(neighbour, { fields }),
  ];
  await call('add-note', {
    apiKey: neighbour.writer,
    leadId: same.id,
    body: { text: fields.email },
  });

  await erase(organization, lead.id);

  expect(await storedLeads(neighbour)).toMatchObject([
    { lead: { fields }, timeline: [{}, { text: fields.email }] },
  ]);
});
