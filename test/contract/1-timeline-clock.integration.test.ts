import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { setArchived } from '../../shared/store/leads/archive.ts';
import { putTimelineEntry } from '../../shared/store/leads/timeline.ts';
import { leadPrimaryKey } from '../../shared/store/table/primary-keys.ts';
import { transact } from '../../shared/store/table/transact.ts';
import { givenLead, timelineOf } from '../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { table } from '../support/table.ts';

/** Changes the lead as a function does whose clock is ahead of everybody's. */
async function changeAhead({ id }: GivenOrganization, leadId: number, ms: number): Promise<string> {
  const at = new Date(Date.now() + ms).toISOString();
  await table().client.send(
    new UpdateCommand({
      TableName: table().name,
      Key: leadPrimaryKey(id, leadId),
      UpdateExpression: 'SET updatedAt = :at, #version = #version + :one',
      ExpressionAttributeNames: { '#version': 'version' },
      ExpressionAttributeValues: { ':at': at, ':one': 1 },
    }),
  );
  const entry = {
    type: 'lead_updated',
    at,
    actorId: 7,
    via: 'api',
    keyId: 'ahead',
    changes: [],
  } as const;
  await transact(table(), [putTimelineEntry({ organizationId: id, id: leadId }, entry)]);
  return at;
}

/** Planted bugs have the same of a note, a capture and an update: the simulator's functions have clocks that differ. */
test('an archival by a clock that is behind stands on the timeline after the change that it follows', async () => {
  const organization = await givenOrganization();
  const lead = await givenLead(organization);
  const changedAt = await changeAhead(organization, lead.id, 60_000);

  const archived = await setArchived(table(), organization.id, lead.id, { archived: true });

  const timeline = await timelineOf(organization, lead.id);
  expect(timeline.map(({ type }) => type)).toEqual(['lead_created', 'lead_updated', 'archived']);
  expect(Date.parse(String(timeline[2]?.at))).toBe(Date.parse(changedAt) + 1);
  expect(archived?.lead.updatedAt).toBe(timeline[2]?.at);
});
