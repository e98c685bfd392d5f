import { monitorEventLoopDelay } from 'node:perf_hooks';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { planErasures } from '../../../../shared/store/maintenance/erase-lead.ts';
import { timelinePartitionKey } from '../../../../shared/store/table/primary-keys.ts';
import { eraseLead, givenLead, timelineOf } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { table } from '../../../support/table.ts';

useOwnTable();

// Five minutes at most: ERASE_PHONES=10000 ERASE_NOTES=100000 npm test -- lead-erase-many-phones
const phones = Number(process.env.ERASE_PHONES ?? 4000);
const notes = Number(process.env.ERASE_NOTES ?? 1000);

const phone = (number: number): string => `+9198${String(number).padStart(8, '0')}`;
const timeOf = (number: number): string => new Date(1_700_000_000_000 + number).toISOString();

/** Adds entries to a lead's timeline, as many requests over years do. */
async function putEntries(
  { id }: GivenOrganization,
  leadId: number,
  count: number,
  entryOf: (number: number) => object,
): Promise<void> {
  const pk = timelinePartitionKey(id, leadId);
  for (let from = 0; from < count; from += 25) {
    const requests = Array.from({ length: Math.min(25, count - from) }, (_, index) => {
      const at = timeOf(from + index);
      const common = { pk, sk: `${at}#000000000000`, at, actorId: 7, via: 'api', keyId: 'k' };
      return { PutRequest: { Item: { ...common, ...entryOf(from + index) } } };
    });
    await table().client.send(
      new BatchWriteCommand({ RequestItems: { [table().name]: requests } }),
    );
  }
}

test('a lead that had thousands of phones is erased, and the notes of others lose only these phones', {
  timeout: 900_000,
}, async () => {
  const organization = await givenOrganization();
  const [lead, other] = [await givenLead(organization), await givenLead(organization)];
  await putEntries(organization, lead.id, phones, (number) => ({
    type: 'lead_updated',
    changes: [{ field: 'phone', from: phone(number), to: phone(number + 1) }],
  }));
  const filler = 'Asked about the course, the fee of 45 000 and a hostel from 2026-11-21. ';
  // Every hundredth note names one of the phones, as people write it; the others name a phone of nobody.
  const textOf = (number: number): string => {
    const digits = phone(number % 100 === 0 ? number % phones : 50_000_000 + number).slice(3);
    return `${filler.repeat(2)}Call ${digits.slice(0, 5)} ${digits.slice(5)}.`;
  };
  await putEntries(organization, other.id, notes, (number) => ({
    type: 'note_added',
    text: textOf(number),
  }));

  const delay = monitorEventLoopDelay();
  delay.enable();
  const begunAt = performance.now();
  const own = { table: table(), organizationId: organization.id };
  const planned = (await planErasures(own, [lead.id], {})).get(lead.id);
  const plannedAt = performance.now();
  const erased = await eraseLead(table(), organization.id, lead.id, { who: 'a test' });
  if (process.env.ERASE_NOTES)
    console.log(
      `${phones} phones, ${notes} notes: planned in ${seconds(plannedAt - begunAt)}, erased in ${seconds(performance.now() - plannedAt)}; the event loop stood still for ${seconds(delay.max / 1e6)} at most.`,
    );
  delay.disable();

  expect(planned).toEqual(erased);
  expect(erased?.phones).toHaveLength(phones + 2);
  expect(erased).toMatchObject({ timelineEntries: phones + 1, otherEntries: notes / 100 });
  const texts = (await timelineOf(organization, other.id)).flatMap(({ text }) => text ?? []);
  expect(texts).toEqual(
    Array.from({ length: notes }, (_, number) =>
      number % 100 === 0 ? `${filler.repeat(2)}Call [erased].` : textOf(number),
    ),
  );
});

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
