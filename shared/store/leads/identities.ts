import { comparableEmail } from '../../leads/identity.ts';
import type { Lead } from '../../leads/lead.ts';
import type { IdentityItem } from '../table/items.ts';
import {
  emailPrimaryKey,
  type ItemsByKey,
  keyText,
  type PrimaryKey,
  phonePrimaryKey,
} from '../table/primary-keys.ts';
import { deletion, namesLead, putIfAbsent, type Write } from '../table/writes.ts';

/*
 * An identity item makes a phone or an email unique in the organization. It exists exactly while a lead, archived or not, has the phone or
 * email, and names that lead.
 */

/** Part of a transaction: a lead's identity items. @param keys @default all */
export const putIdentities = (
  lead: Lead,
  keys: readonly PrimaryKey<IdentityItem>[] = identityKeysOf(lead),
): Write[] => keys.map((key) => putIfAbsent({ ...key, leadId: lead.id }));

/** Part of a transaction: deletes identity items, only if they name this lead. */
export const deleteIdentities = (
  { id }: Lead,
  keys: readonly PrimaryKey<IdentityItem>[],
): Write[] => keys.map((key) => deletion(key, namesLead(id)));

/** Part of a transaction: what a change of a lead changes in its identity items. An email that only changes case keeps its item. */
export function identityChanges(before: Lead, after: Lead): Write[] {
  const [old, next] = [identityKeysOf(before), identityKeysOf(after)];
  const without = (keys: PrimaryKey<IdentityItem>[], others: PrimaryKey<IdentityItem>[]) =>
    keys.filter((key) => !others.some((other) => keyText(other) === keyText(key)));
  return [
    ...deleteIdentities(before, without(old, next)),
    ...putIdentities(after, without(next, old)),
  ];
}

export interface LeadIdentity {
  readonly organizationId: number;
  /** E.164. */
  readonly phone: string | undefined;
  readonly email: string | undefined;
}

export const identityOf = ({ organizationId, fields: { phone, email } }: Lead): LeadIdentity => ({
  organizationId,
  phone,
  email,
});

export interface IdentityHolders {
  readonly phoneLeadId: number | undefined;
  readonly emailLeadId: number | undefined;
}

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

export const identityKeysOf = (lead: Lead): PrimaryKey<IdentityItem>[] =>
  identityPrimaryKeys(identityOf(lead));

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
