import { comparableEmail } from '../../leads/identity.ts';
import { emailOf, type Lead, phoneOf } from '../../leads/lead.ts';
import type { Table } from '../table/client.ts';
import type { IdentityItem } from '../table/items.ts';
import {
  emailPrimaryKey,
  type ItemsByKey,
  type PrimaryKey,
  phonePrimaryKey,
} from '../table/primary-keys.ts';
import { putIfAbsent, type TransactItem } from '../table/transact.ts';

/** The item that makes a phone unique in the organization. It exists exactly while a lead, archived or not, has the phone. */
export const putPhone = (table: Table, { organizationId, id }: Lead, phone: string): TransactItem =>
  putIfAbsent(table, { ...phonePrimaryKey(organizationId, phone), leadId: id });

/** The item that makes an email unique in the organization, in its comparable form. */
export const putEmail = (table: Table, { organizationId, id }: Lead, email: string): TransactItem =>
  putIfAbsent(table, { ...emailPrimaryKey(organizationId, comparableEmail(email)), leadId: id });

/** Part of a transaction: deletes an identity item, only if it names this lead. */
const deleteIdentity = (table: Table, key: PrimaryKey, { id }: Lead): TransactItem => ({
  Delete: {
    TableName: table.name,
    Key: { ...key },
    ConditionExpression: 'leadId = :lead',
    ExpressionAttributeValues: { ':lead': id },
  },
});
export const deletePhone = (table: Table, lead: Lead, phone: string): TransactItem =>
  deleteIdentity(table, phonePrimaryKey(lead.organizationId, phone), lead);
export const deleteEmail = (table: Table, lead: Lead, email: string): TransactItem =>
  deleteIdentity(table, emailPrimaryKey(lead.organizationId, comparableEmail(email)), lead);

/** Part of a transaction: a new lead's identity items. */
export function putIdentities(table: Table, lead: Lead): TransactItem[] {
  const email = emailOf(lead);
  return [
    putPhone(table, lead, phoneOf(lead)),
    ...(email === null ? [] : [putEmail(table, lead, email)]),
  ];
}

/** The phone and email that a lead is found by. */
export interface LeadIdentity {
  readonly organizationId: number;
  /** E.164. */
  readonly phone: string | undefined;
  readonly email: string | undefined;
}

export const identityOf = (lead: Lead): LeadIdentity => ({
  organizationId: lead.organizationId,
  phone: phoneOf(lead),
  email: emailOf(lead) ?? undefined,
});

export interface IdentityHolders {
  readonly phoneLeadId: number | undefined;
  readonly emailLeadId: number | undefined;
}

/** A lead that has the phone or the email. */
export interface IdentityHolder {
  readonly leadId: number;
  readonly field: 'phone' | 'email';
}

const phoneKey = ({ organizationId, phone }: LeadIdentity): PrimaryKey<IdentityItem> | undefined =>
  phone === undefined ? undefined : phonePrimaryKey(organizationId, phone);
const emailKey = ({ organizationId, email }: LeadIdentity): PrimaryKey<IdentityItem> | undefined =>
  email === undefined ? undefined : emailPrimaryKey(organizationId, comparableEmail(email));

export const identityPrimaryKeys = (identity: LeadIdentity): PrimaryKey<IdentityItem>[] =>
  [phoneKey(identity), emailKey(identity)].filter((key) => key !== undefined);

/** The leads that have the phone and the email, according to the items under `identityPrimaryKeys`. */
export function holdersIn(items: ItemsByKey, identity: LeadIdentity): IdentityHolders {
  const holderOf = (key: PrimaryKey<IdentityItem> | undefined): number | undefined =>
    key && items.get(key)?.leadId;
  return { phoneLeadId: holderOf(phoneKey(identity)), emailLeadId: holderOf(emailKey(identity)) };
}

/** The lead that has the phone, else the lead that has the email, besides `ownId`, which may have them. */
export function firstHolderIn(
  items: ItemsByKey,
  identity: LeadIdentity,
  ownId?: number,
): IdentityHolder | undefined {
  const { phoneLeadId, emailLeadId } = holdersIn(items, identity);
  const isOther = (leadId: number | undefined): leadId is number =>
    leadId !== undefined && leadId !== ownId;
  if (isOther(phoneLeadId)) return { leadId: phoneLeadId, field: 'phone' };
  return isOther(emailLeadId) ? { leadId: emailLeadId, field: 'email' } : undefined;
}
