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
 * An identity item makes a phone or an email unique in the organization. It names the lead that has it, and exists exactly as long as a
 * lead, archived or not, has it.
 */

/** Part of a transaction: stores a lead's identity items. @param keys @default all */
export const putIdentities = (
  lead: Lead,
  keys: readonly PrimaryKey<IdentityItem>[] = identityKeysOf(lead),
): Write[] => keys.map((key) => putIfAbsent({ ...key, leadId: lead.id }));

/** Part of a transaction: deletes identity items, only if they name this lead. */
export const deleteIdentities = (
  { id }: Lead,
  keys: readonly PrimaryKey<IdentityItem>[],
): Write[] => keys.map((key) => deletion(key, namesLead(id)));

/** Part of a transaction: updates a lead's identity items for a change. An email that only changes case keeps its item. */
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

export interface IdentityHolder {
  readonly leadId: number;
  readonly field: 'phone' | 'email';
}

/** The keys of the phone's item and the email's item, in this order. */
function keysByField({ organizationId, phone, email }: LeadIdentity) {
  const keys = new Map<IdentityHolder['field'], PrimaryKey<IdentityItem>>();
  if (phone !== undefined) keys.set('phone', phonePrimaryKey(organizationId, phone));
  if (email !== undefined)
    keys.set('email', emailPrimaryKey(organizationId, comparableEmail(email)));
  return keys;
}

export const identityPrimaryKeys = (identity: LeadIdentity): PrimaryKey<IdentityItem>[] => [
  ...keysByField(identity).values(),
];

export const identityKeysOf = (lead: Lead): PrimaryKey<IdentityItem>[] =>
  identityPrimaryKeys(identityOf(lead));

/** The lead that has the phone and the lead that has the email, in this order, according to the items under `identityPrimaryKeys`. */
export const holdersIn = (items: ItemsByKey, identity: LeadIdentity): IdentityHolder[] =>
  [...keysByField(identity)].flatMap(([field, key]) => {
    const leadId = items.get(key)?.leadId;
    return leadId === undefined ? [] : [{ leadId, field }];
  });

/** The lead other than `ownId` that has the phone or, if there is none, the email. */
export const firstHolderIn = (
  items: ItemsByKey,
  identity: LeadIdentity,
  ownId?: number,
): IdentityHolder | undefined => holdersIn(items, identity).find(({ leadId }) => leadId !== ownId);
