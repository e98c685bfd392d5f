import { BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect } from 'vitest';
import type { FieldValues, Lead } from '../../shared/leads/lead.ts';
import { presentEntry, type TimelineItem } from '../../shared/leads/timeline.ts';
import { parseSettingsFile } from '../../shared/organization/settings.ts';
import {
  type Erased,
  type EraseOptions,
  eraseLeads,
} from '../../shared/store/erasure/erase-lead.ts';
import { putLead } from '../../shared/store/leads/leads.ts';
import { scanLeadsAscending } from '../../shared/store/leads/read-leads.ts';
import { readTimeline } from '../../shared/store/leads/timeline.ts';
import { applySettings } from '../../shared/store/organizations/apply-settings.ts';
import type { Table } from '../../shared/store/table/client.ts';
import { leadPrimaryKey, leadsPartitionKey } from '../../shared/store/table/primary-keys.ts';
import { type CallReply, call } from './call.ts';
import { type GivenOrganization, givenOrganization } from './organizations.ts';
import { person } from './people.ts';
import { itemAt, table } from './table.ts';

/** Creates a lead through the API, of a new person unless told otherwise. @returns the lead as create-lead replies it */
export async function givenLead(
  { writer }: GivenOrganization,
  { fields = {}, ...place }: { fields?: object; stageId?: number; pipelineId?: number } = {},
): Promise<CallReply['body']> {
  const { status, body, headers } = await call('create-lead', {
    apiKey: writer,
    body: { fields: { ...person(), ...fields }, ...place },
  });
  if (status !== 201)
    throw new Error(
      `create-lead answered ${status}: ${JSON.stringify(body)}, X-Request-Id ${headers.get('X-Request-Id')}`,
    );
  return body.lead;
}

/** A lead's timeline as an administrator reads it, oldest first. */
export async function timelineOf(
  { id, settings }: GivenOrganization,
  leadId: number,
): Promise<TimelineItem[]> {
  const nameOf = (userId: number): string =>
    settings.users.find((user) => user.id === userId)?.name ?? '';
  return (await readTimeline(table(), id, leadId)).flatMap((entry) => presentEntry(entry, nameOf));
}

/** Every lead of the organization, archived ones too, in the order of their ids. */
export async function leadsOf({ id }: GivenOrganization): Promise<Lead[]> {
  const leads: Lead[] = [];
  for await (const page of scanLeadsAscending(table(), id)) leads.push(...page);
  return leads;
}

/** Every stored lead of the organization with its timeline: equal before and after a request that changes nothing. */
export async function storedLeads({
  id,
}: GivenOrganization): Promise<{ lead: Record<string, unknown>; timeline: unknown[] }[]> {
  const { Items = [] } = await table().client.send(
    new QueryCommand({
      TableName: table().name,
      KeyConditionExpression: 'pk = :leads',
      ExpressionAttributeValues: { ':leads': leadsPartitionKey(id) },
      ConsistentRead: true,
    }),
  );
  return Promise.all(
    Items.map(async (lead) => ({
      lead,
      timeline: await readTimeline(table(), id, Number(lead.sk)),
    })),
  );
}

/** One of them. */
export const storedLead = async (
  { id }: GivenOrganization,
  leadId: number,
): Promise<{ lead: Record<string, unknown> | undefined; timeline: unknown[] }> => ({
  lead: await itemAt(leadPrimaryKey(id, leadId)),
  timeline: await readTimeline(table(), id, leadId),
});

/** Applies the organization's settings with some properties replaced, as an administrator does. */
export async function changeSettings(
  { settings }: GivenOrganization,
  changes: object,
): Promise<void> {
  const file = JSON.stringify({ ...settings, ...changes, keys: undefined });
  await applySettings(table(), parseSettingsFile(file).settings);
}

/** An organization with one lead. Where all requests are refused, `expectUntouched` compares with what there was at first. */
export interface OrganizationWithLead extends GivenOrganization {
  readonly lead: CallReply['body'];
  /** Fails unless its leads and their timelines are as they were at first. */
  readonly expectUntouched: () => Promise<void>;
  /** Fails unless the request was refused for its body, naming the field or property, and nothing was changed. */
  readonly expectInvalid: (reply: CallReply, name: string, details?: object) => Promise<void>;
}

export async function givenOrganizationWithLead(
  fields: object = {},
): Promise<OrganizationWithLead> {
  const organization = await givenOrganization();
  const lead = await givenLead(organization, { fields });
  const untouched = await storedLeads(organization);
  const expectUntouched = async () => expect(await storedLeads(organization)).toEqual(untouched);
  return {
    ...organization,
    lead,
    expectUntouched,
    async expectInvalid({ status, body }, name, details = {}) {
      expect([status, body.error.code]).toEqual([422, 'VALIDATION_FAILED']);
      expect(Object.keys(body.error.details.fields)).toContain(name);
      expect(body.error.details).toMatchObject(details);
      expect(body.error.message).toMatch(/\S [\s\S]*[.?]$/);
      await expectUntouched();
    },
  };
}

/** The same for the tests of a file or of a `describe`, which share it. */
export function useOrganizationWithLead(fields?: object): OrganizationWithLead {
  const organization = {} as OrganizationWithLead;
  beforeAll(async () => void Object.assign(organization, await givenOrganizationWithLead(fields)));
  return organization;
}

/** A new lead as the store knows it. */
export const leadOf = (
  own: Pick<Lead, 'organizationId' | 'id' | 'createdAt'> & Partial<Lead>,
  fields: FieldValues & { readonly phone: string },
): Lead => ({
  updatedAt: own.createdAt,
  version: 1,
  stageId: 11,
  pipelineId: 1,
  ...own,
  fields: { name: `Lead ${own.id}`, lead_type: 'student', ...fields },
});

const batchMax = 25;
const parallelBatches = 8;

/** Writes the leads alone, without identities and timelines: all that a list reads. */
export const storeListedLeads = (table: Table, leads: readonly Lead[]): Promise<void> =>
  storeItems(
    table,
    leads.map((lead) => putLead(lead).Put?.Item as Record<string, unknown>),
  );

/** Writes items as they are, in batches. */
export async function storeItems(
  table: Table,
  items: readonly Record<string, unknown>[],
): Promise<void> {
  const requests = items.map((Item) => ({ PutRequest: { Item } }));
  const batches = Array.from({ length: Math.ceil(items.length / batchMax) }, (_, index) =>
    requests.slice(index * batchMax, (index + 1) * batchMax),
  );
  while (batches.length > 0) {
    await Promise.all(
      batches
        .splice(0, parallelBatches)
        .map((batch) =>
          table.client.send(new BatchWriteCommand({ RequestItems: { [table.name]: batch } })),
        ),
    );
  }
}

/** Erases one lead. */
export const eraseLead = async (
  table: Table,
  organizationId: number,
  leadId: number,
  options: EraseOptions,
): Promise<Erased | undefined> =>
  (await eraseLeads({ table, organizationId }, [leadId], options)).get(leadId);
