import { randomUUID } from 'node:crypto';
import { PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { fillLead, readCapture } from '../../../../shared/leads/capture.ts';
import { readPhone } from '../../../../shared/leads/identity.ts';
import { type Lead, leadFieldsOf } from '../../../../shared/leads/lead.ts';
import { defaultPipelineId, startingStage } from '../../../../shared/leads/placement.ts';
import { leadFrom } from '../../../../shared/store/leads/leads.ts';
import { leadSortKey } from '../../../../shared/store/table/primary-keys.ts';
import { answer, documents, remembering } from './stack.ts';
import { tableNames } from './tables.ts';

const TableName = tableNames.main;

export const handler = remembering(async ({ body }, { organization, caller }) => {
  const enquiry = body as unknown as Parameters<typeof readCapture>[1] & {
    phone: string;
    email?: string;
  };
  const phone = readPhone(enquiry.phone).phone;
  const { submitted } = readCapture(organization, enquiry, phone);
  const phoneKey = `${organization.id}#${phone}`;
  const emailKey = enquiry.email && `${organization.id}#${enquiry.email.toLowerCase()}`;
  const match =
    (await findBy('byPhone', 'phoneKey', phoneKey)) ??
    (emailKey && (await findBy('byEmail', 'emailKey', emailKey)));
  const now = new Date().toISOString();
  const trace = {
    at: now,
    actorId: caller.createdBy,
    keyId: caller.keyId,
    keyLabel: caller.label,
    source: 'Website',
  };

  if (match) {
    const lead = leadFrom(organization.id, match);
    const { fields, filled, kept } = fillLead(lead, submitted, false);
    if (filled.length > 0) {
      await documents.send(
        new UpdateCommand({
          TableName,
          Key: { pk: match.pk, sk: match.sk },
          UpdateExpression: 'SET #fields = :fields, updatedAt = :now ADD version :one',
          ExpressionAttributeNames: { '#fields': 'fields' },
          ExpressionAttributeValues: { ':fields': fields, ':now': now, ':one': 1 },
        }),
      );
    }
    await putTimelineEntry(organization.id, lead.id, { type: 'captured', ...trace, filled, kept });
    return answer(200, { lead: { id: lead.id, created: false, updated: filled.length > 0 } });
  }

  const stage = startingStage(organization, defaultPipelineId(organization));
  const users = organization.users.filter(({ active }) => active);
  const id = await next(`ORG#${organization.id}`, 'LEADS');
  const owner = users[(await next(`ORG#${organization.id}`, 'TURN')) % users.length];
  const lead: Omit<Lead, 'id' | 'organizationId'> = {
    version: 1,
    fields: {
      ...leadFieldsOf({ lead_type: 'student', ...submitted }),
      assigned_to: owner?.id ?? 0,
    },
    stageId: stage?.id ?? 0,
    pipelineId: stage?.pipelineId ?? 0,
    createdAt: now,
    updatedAt: now,
  };
  const Item = {
    pk: `LEADS#${organization.id}`,
    sk: leadSortKey(id),
    ...lead,
    phoneKey,
    ...(emailKey && { emailKey }),
  };
  await documents.send(
    new PutCommand({ TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' }),
  );
  await putTimelineEntry(organization.id, id, { type: 'captured_new', ...trace });
  return answer(201, { lead: { id, created: true, updated: false } });
});

async function findBy(
  IndexName: string,
  attribute: string,
  value: string,
): Promise<Record<string, unknown> | undefined> {
  const { Items } = await documents.send(
    new QueryCommand({
      TableName,
      IndexName,
      KeyConditionExpression: `${attribute} = :value`,
      ExpressionAttributeValues: { ':value': value },
    }),
  );
  return Items?.[0];
}

async function next(pk: string, sk: string): Promise<number> {
  const { Attributes } = await documents.send(
    new UpdateCommand({
      TableName,
      Key: { pk, sk },
      UpdateExpression: 'ADD lastNumber :one',
      ExpressionAttributeValues: { ':one': 1 },
      ReturnValues: 'ALL_NEW',
    }),
  );
  return Attributes?.lastNumber as number;
}

async function putTimelineEntry(
  organizationId: number,
  leadId: number,
  entry: object,
): Promise<void> {
  const Item = {
    pk: `TIMELINE#${organizationId}#${leadId}`,
    sk: `${new Date().toISOString()}#${randomUUID()}`,
    ...entry,
  };
  await documents.send(new PutCommand({ TableName, Item }));
}
