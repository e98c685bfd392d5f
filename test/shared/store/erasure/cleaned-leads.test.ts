import { BatchWriteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { eraseLeads } from '../../../../shared/store/erasure/erase-lead.ts';
import { putLead } from '../../../../shared/store/leads/leads.ts';
import { putTimelineEntry } from '../../../../shared/store/leads/timeline.ts';
import { readErasures } from '../../../../shared/store/organizations/audit-log.ts';
import {
  sendingThrough,
  type Table,
  type TableCommand,
} from '../../../../shared/store/table/client.ts';
import { leadOf, storeItems } from '../../../support/leads.ts';
import { modelTable } from '../../../support/model-table.ts';

const organizationId = 1;
const at = '2026-01-01T00:00:00.000Z';
const ahead = new Date(Date.now() + 3_600_000).toISOString();
const phone = '+919820000001';

const note = { type: 'note_added', at, actorId: 7, via: 'api', keyId: 'k', text: phone } as const;

/** A table with a lead to erase, whose last writer's clock was ahead, and a note of each of the other leads that names its person. */
async function givenNamed(others: readonly number[]): Promise<Table> {
  const table = modelTable();
  const lead = leadOf({ organizationId, id: 1, createdAt: at, updatedAt: ahead }, { phone });
  const writes = [
    putLead(lead),
    ...others.map((id) => putTimelineEntry({ organizationId, id }, note)),
  ];
  await storeItems(
    table,
    writes.map(({ Put }) => Put?.Item ?? {}),
  );
  return table;
}

/** Erases the lead in a process that dies after so many calls. @returns whether it lived to the end */
async function eraseWithin(table: Table, calls: number): Promise<boolean> {
  let sent = 0;
  const dying = sendingThrough(table, (send) => async (command, options) => {
    sent += 1;
    if (sent > calls) throw new Error('The process died.');
    return send(command, options);
  });
  const erasing = eraseLeads({ table: dying, organizationId }, [1], { who: 'it' });
  return erasing.then(
    () => true,
    () => false,
  );
}

const cleanedLeadsIn = async (table: Table) =>
  (await readErasures(table, organizationId)).map(({ cleanedLeadIds }) =>
    cleanedLeadIds?.toSorted(),
  );

test('wherever an erasure is killed, its audit entry names all leads that it cleaned once it is complete', async () => {
  const killedAfter = Array.from({ length: 30 }, (_, calls) => calls);
  const isWhole = await Promise.all(
    killedAfter.map(async (calls) => {
      const table = await givenNamed([2, 3]);
      const isComplete = await eraseWithin(table, calls);
      const named = await cleanedLeadsIn(table);
      await eraseLeads({ table, organizationId }, [1], { who: 'it' });
      expect(await cleanedLeadsIn(table)).toEqual([[2, 3]]);
      if (named[0] !== undefined) expect(named).toEqual([[2, 3]]);
      return isComplete;
    }),
  );

  expect(isWhole.indexOf(true)).toBeGreaterThan(10);
});

/** Erases the lead in a process that pauses before some of its requests, once, while another process runs. */
async function eraseAround(
  table: Table,
  pauses: (command: TableCommand) => boolean,
  whilePaused: () => Promise<unknown>,
): Promise<void> {
  let paused: Promise<unknown> | undefined;
  const pausing = sendingThrough(table, (send) => async (command, options) => {
    if (pauses(command)) {
      paused ??= whilePaused();
      await paused;
    }
    return send(command, options);
  });
  await eraseLeads({ table: pausing, organizationId }, [1], { who: 'it' });
}

test('if two processes complete an erasure at once, its audit entry names all leads that either cleaned', async () => {
  const late = putTimelineEntry({ organizationId, id: 4 }, note).Put?.Item ?? {};
  const erase = (table: Table) => eraseLeads({ table, organizationId }, [1], { who: 'it' });
  const [early, slow, same] = [
    await givenNamed([2, 3]),
    await givenNamed([2, 3]),
    await givenNamed([2, 3]),
  ];

  const afterSearch = (command: TableCommand) => command instanceof BatchWriteCommand;
  const beforeSearch = (command: TableCommand) => command instanceof ScanCommand;
  const atEnd = ({ input }: TableCommand) => 'Item' in input && input.Item?.endedAt !== undefined;
  const cleanLate = async (table: Table) => {
    await storeItems(table, [late]);
    await erase(table);
  };
  await eraseAround(early, afterSearch, () => cleanLate(early));
  await eraseAround(same, atEnd, () => cleanLate(same));
  await eraseAround(slow, beforeSearch, async () => {
    await erase(slow);
    await storeItems(slow, [late]);
  });

  for (const table of [early, same, slow]) expect(await cleanedLeadsIn(table)).toEqual([[2, 3, 4]]);
});

test('the audit entry of a restore, or of an erasure that cleaned more than 1,000 leads, names none', async () => {
  const few = await givenNamed([2, 3]);
  const many = await givenNamed(Array.from({ length: 1001 }, (_, index) => index + 2));

  await eraseLeads({ table: few, organizationId }, [1], { who: 'it', partOf: 'restore finish' });
  await eraseLeads({ table: many, organizationId }, [1], { who: 'it' });

  expect(await cleanedLeadsIn(few)).toEqual([undefined]);
  expect(await cleanedLeadsIn(many)).toEqual([undefined]);
});
