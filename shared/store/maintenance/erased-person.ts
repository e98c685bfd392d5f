import { identitiesIn } from '../../leads/erasure/erasure.ts';
import { type Identities, PersonSearch } from '../../leads/erasure/person-search.ts';
import { readTimelineItems } from '../leads/timeline.ts';
import { batchGet } from '../table/batch-get.ts';
import type { OrganizationTable } from '../table/client.ts';
import type { IdentityItem } from '../table/items.ts';
import { emailPrimaryKey, keyOf, type PrimaryKey, phonePrimaryKey } from '../table/primary-keys.ts';

/** What an erasure needs of the lead's own timeline. */
export interface OwnTimeline {
  /** The phones and emails that the lead had. */
  readonly identities: Identities;
  /** Of the entries that the lead had before the erasure. */
  readonly keys: readonly PrimaryKey[];
  /** Of the entry `erased`: as long as it is there, nobody reads the others. */
  readonly ends: readonly PrimaryKey[];
}

/** Consistent reads, one query for each megabyte. */
export async function readOwnTimeline(
  own: OrganizationTable,
  leadId: number,
): Promise<OwnTimeline> {
  const entries = await readTimelineItems(own, leadId);
  const { ends = [], entries: before = [] } = Object.groupBy(entries, ({ type }) =>
    type === 'erased' ? 'ends' : 'entries',
  );
  return { identities: identitiesIn(entries), keys: before.map(keyOf), ends: ends.map(keyOf) };
}

/** A search for the identities without those that another lead has now. */
export async function searchFor(
  own: OrganizationTable,
  leadId: number,
  identities: Identities,
): Promise<PersonSearch> {
  const search = new PersonSearch(identities);
  search.forget(await heldByOthers(own, leadId, search.identities));
  return search;
}

/** Those of the identities that another lead has now. Consistent reads, one for each phone and email. */
export async function heldByOthers(
  { table, organizationId }: OrganizationTable,
  leadId: number,
  { phones, emails }: Identities,
): Promise<Identities> {
  const phoneKey = (phone: string) => phonePrimaryKey(organizationId, phone);
  const emailKey = (email: string) => emailPrimaryKey(organizationId, email);
  const items = await batchGet(table, [...phones.map(phoneKey), ...emails.map(emailKey)]);
  const isHeld = (key: PrimaryKey<IdentityItem>): boolean =>
    (items.get(key)?.leadId ?? leadId) !== leadId;
  return {
    phones: phones.filter((phone) => isHeld(phoneKey(phone))),
    emails: emails.filter((email) => isHeld(emailKey(email))),
  };
}
