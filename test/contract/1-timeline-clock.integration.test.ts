import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { setArchived } from '../../shared/store/leads/archive.ts';
import { putTimelineEntry } from '../../shared/store/leads/timeline.ts';
import { leadPrimaryKey } from '../../shared/store/table/primary-keys.ts';
import { transact } from '../../shared/store/table/transact.ts';
import { call } from '../support/call.ts';
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
  await transact(table(), [putTimelineEntry(table(), { organizationId: id, id: leadId }, entry)]);
  return at;
}

test.each<
  [
    string,
    string,
    (
      organization: GivenOrganization,
      lead: { id: number; phone: string },
    ) => Promise<string | undefined>,
  ]
>([
  [
    'a note',
    'note_added',
    async ({ writer }, { id }) =>
      (await call('add-note', { apiKey: writer, leadId: id, body: { text: 'x' } })).body.note
        .createdAt,
  ],
  [
    'a capture that fills nothing',
    'captured',
    async ({ website }, { phone }) => {
      await call('capture-lead', { apiKey: website, body: { name: 'Another', phone } });
      return undefined;
    },
  ],
  [
    'an update',
    'lead_updated',
    async ({ writer }, { id }) =>
      (await call('update-lead', { apiKey: writer, leadId: id, body: { stageId: 12 } })).body.lead
        .updatedAt,
  ],
  [
    'archiving',
    'archived',
    async ({ id: organizationId }, { id }) =>
      (await setArchived(table(), organizationId, id, { archived: true }))?.lead.updatedAt,
  ],
])(
  '%s by a function whose clock is behind stands on the timeline after the change that it follows',
  async (_, type, act) => {
    const organization = await givenOrganization();
    const lead = await givenLead(organization);
    const changedAt = await changeAhead(organization, lead.id, 60_000);

    const answeredAt = await act(organization, lead);

    const timeline = await timelineOf(organization, lead.id);
    expect(timeline.map((entry) => entry.type)).toEqual(['lead_created', 'lead_updated', type]);
    expect(Date.parse(String(timeline[2]?.at))).toBe(Date.parse(changedAt) + 1);
    if (answeredAt !== undefined) expect(answeredAt).toBe(timeline[2]?.at);
  },
);
