import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Lead } from '../../../../shared/leads/lead.ts';
import { createLead } from '../../../../shared/store/leads/create-lead.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { usagePrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { leadOf } from '../../../support/leads.ts';
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

/** A lead of a new person that is not stored yet. */
export async function newLead(on: Table, { id: organizationId }: GivenOrganization): Promise<Lead> {
  const id = await takeLeadIds(on, organizationId, 1);
  return leadOf({ organizationId, id, createdAt: new Date().toISOString() }, { ...person() });
}

/** A table in use with leads, and a backup of it. */
export async function givenBackup(count: number) {
  const old = await givenTable();
  const organization = await givenOrganization({}, old);
  const leads: Lead[] = [];
  for (let made = 0; made < count; made += 1) {
    const lead = await newLead(old, organization);
    const opening = { type: 'lead_created', via: 'api', keyId: 'k', actorId: 7 } as const;
    await createLead(old, () => ({ lead, opening: { ...opening, at: lead.createdAt } }));
    leads.push(lead);
  }
  const backup = await itemsOf(old);
  await nextSecond();
  return { old, organization, leads, backup, leadIds: leads.map(({ id }) => id) };
}
