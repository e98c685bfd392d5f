import { BatchWriteCommand, DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import {
  type LeadTimeline,
  scanTimelines,
} from '../../../../shared/store/maintenance/read-leads.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { call } from '../../../support/call.ts';
import { eraseLead, givenLead } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { table } from '../../../support/table.ts';

useOwnTable();

/** The table; something is done before each call. */
function watched(before: (command: unknown) => Promise<void>): Table {
  const client = Object.create(table().client, {
    send: {
      value: async (...args: unknown[]) => {
        await before(args[0]);
        return (table().client.send as (...all: unknown[]) => unknown).apply(table().client, args);
      },
    },
  });
  return { ...table(), client };
}

test('no item of a lead is read while its timeline is deleted, whichever item of a batch goes first', async () => {
  const organization = await givenOrganization();
  const lead = await givenLead(organization);
  await call('add-note', {
    apiKey: organization.writer,
    leadId: lead.id,
    body: { text: 'Called' },
  });
  // A batch is no transaction: DynamoDB may have deleted its last item, and nothing else, when it is read.
  const reachedHalf = Promise.withResolvers<void>();
  const wasRead = Promise.withResolvers<void>();
  const eraser = watched(async (command) => {
    if (!(command instanceof BatchWriteCommand)) return;
    const [requests = []] = Object.values(command.input.RequestItems ?? {});
    const Key = requests.at(-1)?.DeleteRequest?.Key;
    await table().client.send(new DeleteCommand({ TableName: table().name, Key }));
    reachedHalf.resolve();
    await wasRead.promise;
  });
  let erasing: Promise<unknown> | undefined;
  // The lead has been read, and its timeline has not.
  const reader = watched(async (command) => {
    const isTimeline =
      command instanceof QueryCommand &&
      String(command.input.ExpressionAttributeValues?.[':pk']).startsWith('TIMELINE#');
    if (!isTimeline) return;
    erasing ??= eraseLead(eraser, organization.id, lead.id, { who: 'a test' });
    await reachedHalf.promise;
  });

  const read: LeadTimeline[] = [];
  for await (const timelines of scanTimelines(reader, organization.id)) read.push(...timelines);
  wasRead.resolve();
  await erasing;

  expect(read).toEqual([{ leadId: lead.id, entries: [] }]);
});
