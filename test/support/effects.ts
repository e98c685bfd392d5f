import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type Lead, phoneOf } from '../../shared/leads/lead.ts';
import type { TimelineEntry } from '../../shared/leads/timeline.ts';
import { readLead } from '../../shared/store/leads/leads.ts';
import { readTimeline } from '../../shared/store/leads/timeline.ts';
import {
  emailPrimaryKey,
  type PrimaryKey,
  phonePrimaryKey,
} from '../../shared/store/table/primary-keys.ts';
import { table } from './table.ts';

/** What lies in the table about one person of an organization. */
export interface Effects {
  readonly lead: Lead | undefined;
  /** Types of the lead's timeline entries, oldest first. */
  readonly timeline: readonly TimelineEntry['type'][];
}

/** The lead that a phone names, with its timeline, past every proxy. */
export async function effectsOn(organizationId: number, phone: string): Promise<Effects> {
  const identity = await itemAt(phonePrimaryKey(organizationId, phone));
  if (!identity) return { lead: undefined, timeline: [] };
  const leadId = identity.leadId as number;
  const [lead, entries] = await Promise.all([
    readLead(table(), organizationId, leadId),
    readTimeline(table(), organizationId, leadId),
  ]);
  if (lead && phoneOf(lead) !== phone)
    throw new Error(`The phone ${phone} names lead ${leadId}, which has another.`);
  return { lead, timeline: entries.map(({ type }) => type) };
}

/** The id of the lead that has the email. */
export async function holderOfEmail(
  organizationId: number,
  email: string,
): Promise<number | undefined> {
  return (await itemAt(emailPrimaryKey(organizationId, email)))?.leadId as number | undefined;
}

/** One item as it lies in the table, read consistently. */
export async function itemAt(Key: PrimaryKey): Promise<Record<string, unknown> | undefined> {
  const { Item } = await table().client.send(
    new GetCommand({ TableName: table().name, Key: { ...Key }, ConsistentRead: true }),
  );
  return Item;
}
