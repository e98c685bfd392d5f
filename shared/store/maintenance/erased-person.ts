import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { identitiesIn, joinedIdentities } from '../../leads/erasure/erasure.ts';
import { type Identities, PersonSearch } from '../../leads/erasure/person-search.ts';
import { batchGet } from '../table/batch-get.ts';
import type { OrganizationTable } from '../table/client.ts';
import type { IdentityItem, TimelineEntryItem } from '../table/items.ts';
import {
  emailPrimaryKey,
  type PrimaryKey,
  phonePrimaryKey,
  timelinePartitionKey,
} from '../table/primary-keys.ts';

/** What an erasure needs of the lead's own timeline. */
export interface OwnTimeline {
  /** The phones and emails that the lead had. */
  readonly identities: Identities;
  /** Of the lead's entries. */
  readonly keys: readonly PrimaryKey[];
  /** Of the entry `erased`: as long as it is there, nobody reads the others. */
  readonly ends: readonly PrimaryKey[];
  /** How many entries the lead had before the erasure. */
  readonly entries: number;
}

/** Consistent reads, one query for each megabyte. */
export async function readOwnTimeline(
  { table, organizationId }: OrganizationTable,
  leadId: number,
): Promise<OwnTimeline> {
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :timeline',
      ExpressionAttributeValues: { ':timeline': timelinePartitionKey(organizationId, leadId) },
      ConsistentRead: true,
    },
  );
  let identities: Identities = { phones: [], emails: [] };
  const [keys, ends]: [PrimaryKey[], PrimaryKey[]] = [[], []];
  for await (const { Items = [] } of pages) {
    const entries = Items as TimelineEntryItem[];
    identities = joinedIdentities(identities, identitiesIn(entries));
    for (const { pk, sk, type } of entries) (type === 'erased' ? ends : keys).push({ pk, sk });
  }
  return { identities, keys, ends, entries: keys.length };
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
