import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Lead } from '../../../../shared/leads/lead.ts';
import { createLead } from '../../../../shared/store/leads/create-lead.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { usagePrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';
import { givenTable } from '../../../support/table.ts';
import { itemsOf, nextSecond } from './restored-tables.ts';

export const who = 'a test';

/** Gives out ids as admission does. @returns the first of them */
export async function takeLeadIds(
  { client, name }: Table,
  organizationId: number,
  count: number,
): Promise<number> {
  const { Attributes } = await client.send(
    new UpdateCommand({
      TableName: name,
      Key: usagePrimaryKey(organizationId),
      UpdateExpression: 'ADD lastLeadId :count',
      ExpressionAttributeValues: { ':count': count },
      ReturnValues: 'ALL_NEW',
    }),
  );
  return Number(Attributes?.lastLeadId) - count + 1;
}

async function givenLeads(
  on: Table,
  { id: organizationId }: GivenOrganization,
  count: number,
): Promise<Lead[]> {
  const first = await takeLeadIds(on, organizationId, count);
  const leads = Array.from({ length: count }, (_, at): Lead => {
    const now = new Date().toISOString();
    const fields = { ...person(), lead_type: 'student' };
    return {
      id: first + at,
      organizationId,
      version: 1,
      fields,
      stageId: 11,
      pipelineId: 1,
      createdAt: now,
      updatedAt: now,
    };
  });
  for (const lead of leads)
    await createLead(on, () => ({
      lead,
      opening: { type: 'lead_created', at: lead.createdAt, actorId: 7, via: 'api', keyId: 'k' },
    }));
  return leads;
}

/** A table in use with leads, and a backup of it. */
export async function givenBackup(count: number) {
  const old = await givenTable();
  const organization = await givenOrganization({}, old);
  const leads = await givenLeads(old, organization, count);
  const backup = await itemsOf(old);
  await nextSecond();
  return { old, organization, leads, backup, leadIds: leads.map(({ id }) => id) };
}
