import { identityOf, identityPrimaryKeys } from '../../leads/identities.ts';
import { leadFrom } from '../../leads/leads.ts';
import type { IdentityItem, Item } from '../../table/items.ts';
import { keyText, type PrimaryKey } from '../../table/primary-keys.ts';

export interface LeadReference {
  readonly organizationId: number;
  readonly leadId: number;
}

/** An item that exists for a lead, such as a unique phone. */
export interface LeadPart extends LeadReference {
  readonly key: PrimaryKey;
}

/** The keys of a lead's unique phone and email. */
export const identityKeysOf = (organizationId: number, lead: Item): PrimaryKey<IdentityItem>[] =>
  identityPrimaryKeys(identityOf(leadFrom(organizationId, lead)));

/** Whether a lead has the phone or email of a unique item. */
export const holdsIdentity = (
  { organizationId, key }: Omit<LeadPart, 'leadId'>,
  lead: Item | undefined,
): boolean =>
  lead !== undefined &&
  identityKeysOf(organizationId, lead).some((own) => keyText(own) === keyText(key));
