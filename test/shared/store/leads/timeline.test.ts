import { afterEach, expect, test, vi } from 'vitest';
import { createLead } from '../../../../shared/store/leads/create-lead.ts';
import { countEntryOf, readLead } from '../../../../shared/store/leads/leads.ts';
import {
  addToTimeline,
  putTimelineEntry,
  readTimelineItems,
} from '../../../../shared/store/leads/timeline.ts';
import { transact } from '../../../../shared/store/table/transact.ts';
import { leadOf } from '../../../support/leads.ts';
import { modelTable } from '../../../support/model-table.ts';

const scope = { organizationId: 1, id: 5 };
const by = { actorId: 7, via: 'api', keyId: 'k' } as const;
const noteAt = (at: string) => ({ type: 'note_added', at, ...by, text: 'Call me' }) as const;

afterEach(() => {
  vi.useRealTimers();
});

async function givenLead() {
  const table = modelTable();
  const at = new Date().toISOString();
  const lead = leadOf({ ...scope, createdAt: at }, { phone: '+919820000001' });
  await createLead(table, () => ({ lead, opening: { type: 'lead_created', at, ...by } }));
  return { table, lead };
}

test('notes of the millisecond in which a lead changed are dated after that change, and counted', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { table, lead } = await givenLead();

  const dates = [
    await addToTimeline(table, 1, 5, noteAt),
    await addToTimeline(table, 1, 5, noteAt),
  ];

  for (const at of dates) expect(Date.parse(at ?? '')).toBe(Date.parse(lead.updatedAt) + 1);
  expect(await readTimelineItems({ table, organizationId: 1 }, 5)).toHaveLength(3);
  expect(await readLead(table, 1, 5)).toEqual({ ...lead, version: 3 });
});

test('an entry for a lead as it was read is refused once another entry has been added', async () => {
  const { table, lead } = await givenLead();
  const write = () =>
    transact(table, [countEntryOf(lead), putTimelineEntry(scope, noteAt(lead.createdAt))]);
  await addToTimeline(table, 1, 5, noteAt);

  expect((await write()).outcome).toBe('refused');
  expect(await readLead(table, 1, 5)).toMatchObject({ version: 2 });
});
