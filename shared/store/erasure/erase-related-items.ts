import { isDeepStrictEqual } from 'node:util';
import { changeTimeOf } from '../../leads/changes.ts';
import { foundIn, mentionsIn, typedIn, withoutPerson } from '../../leads/erasure/erasure.ts';
import {
  type Identities,
  isEmailIdentity,
  PersonSearch,
} from '../../leads/erasure/person-search.ts';
import type { TimelineEntry } from '../../leads/timeline.ts';
import { listApiKeys } from '../organizations/api-keys.ts';
import { batchGet } from '../table/batch-get.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import { prefixOf } from '../table/entities.ts';
import { getItem } from '../table/get-item.ts';
import type {
  IdempotencyItem,
  IdentityItem,
  ImportedRowItem,
  Item,
  LeadItem,
  Stored,
  TimelineEntryItem,
} from '../table/items.ts';
import {
  emailPrimaryKey,
  importedRowPrimaryKey,
  kindOf,
  leadPrimaryKey,
  leadsPartitionKey,
  type PrimaryKey,
  phonePrimaryKey,
  timelinePartitionKey,
} from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { type ScannedPage, scanTable } from '../table/scan-table.ts';
import { transact } from '../table/transact.ts';
import {
  type Condition,
  check,
  deletion,
  isAbsent,
  namesLead,
  put,
  type Write,
  writeItem,
} from '../table/writes.ts';

/** The person of an erased lead, for the search of the table. */
export interface ErasedPerson {
  readonly leadId: number;
  readonly found: FoundItems;
  /** The search drops a phone or email that another lead gets meanwhile. */
  readonly search: PersonSearch;
  /**
   * Entries of leads that were created later stay unchanged: the person may have come back, and changed their phone since. Entries with a
   * later `cleanedAt` may have been cleaned by this erasure before it was interrupted.
   */
  readonly begunAt: string | undefined;
}

/** What the table stores about a lead or its person, besides the lead's own items. */
export interface RelatedItems {
  readonly idempotencyRecords: number;
  readonly importedRows: number;
  /** Entries of other leads' timelines in which the person was found. */
  readonly otherEntries: number;
  /** The leads to which these timelines belong. */
  readonly otherLeads: number;
  /** These entries, with their leads and the IDs that `lead timelines` prints. */
  readonly changes: readonly { readonly leadId: number; readonly id: string }[];
  /** Other leads whose fields mention the person. They are not changed. */
  readonly mentions: readonly { readonly leadId: number; readonly fields: readonly string[] }[];
}

/** The related items found so far. */
export class FoundItems {
  idempotencyRecords = 0;
  importedRows = 0;
  readonly changes: RelatedItems['changes'][number][] = [];
  readonly mentions: RelatedItems['mentions'][number][] = [];
  /**
   * The leads from whose entries the person was removed, now or before an interruption. Includes entries from which another person was
   * removed since.
   */
  readonly cleanedLeads = new Set<number>();

  get inOrder(): RelatedItems {
    const { idempotencyRecords, importedRows, changes, mentions } = this;
    return {
      idempotencyRecords,
      importedRows,
      otherEntries: changes.length,
      otherLeads: new Set(changes.map(({ leadId }) => leadId)).size,
      mentions: mentions.toSorted((a, b) => a.leadId - b.leadId),
      changes: changes.toSorted((a, b) => a.leadId - b.leadId || (a.id < b.id ? -1 : 1)),
    };
  }
}

/**
 * Deletes the items that name erased leads, and removes their people from other leads' timelines. Reads the whole table once, because no
 * index finds these items: consistent reads, a read unit for each 4 KB.
 * @param onProgress called with the number of items read so far
 */
export async function removeRelatedItems(
  scope: OrganizationTable,
  people: readonly ErasedPerson[],
  onProgress: (itemsRead: number) => void,
): Promise<void> {
  const { table, organizationId } = scope;
  const keyIds = new Set((await listApiKeys(table, organizationId)).map(({ keyId }) => keyId));
  const erased = new Map(people.map((person) => [person.leadId, person]));
  const everyone = new PersonSearch(people.flatMap(({ search }) => search.identities));
  const onPage = async ({ items }: ScannedPage): Promise<void> => {
    // Runs after the page was read, so that it keeps a phone or email that another lead got meanwhile. That lead gets it in the same
    // transaction as the first entry that names it. If the lead has given it up again, it is not kept.
    const search = () => items.map((item) => foundIn(searchedIn(item), everyone));
    let named = search();
    const held = await heldByOthers(scope, erased, named.flat());
    if (held.length > 0) {
      for (const { search } of [{ search: everyone }, ...people]) search.forget(held);
      named = search(); // a dropped phone may contain another person's
    }
    for (const [index, item] of items.entries()) {
      const identities = named[index] ?? [];
      const isNamed = ({ search }: ErasedPerson): boolean => search.hasAny(identities);
      const inItem = identities.length === 0 ? [] : people.filter(isNamed); // most items name nobody
      await examine({ scope, keyIds, erased, people: inItem }, item);
    }
  };
  await scanTable(table, relatedItems(organizationId), onPage, { onProgress });
}

/** The part of another lead's item that can name a person. */
function searchedIn(item: Stored<Item>): unknown {
  const kind = kindOf(item)?.kind;
  if (kind === 'lead') return item.fields;
  return kind === 'timeline' ? typedIn(item as TimelineEntryItem) : undefined;
}

interface Search {
  readonly scope: OrganizationTable;
  readonly keyIds: ReadonlySet<string>;
  /** By lead. */
  readonly erased: ReadonlyMap<number, ErasedPerson>;
  /** The people whom the item names. */
  readonly people: readonly ErasedPerson[];
}

/**
 * Removes an item if it still belongs to an erased lead; otherwise, removes the people from it. A retried capture or import may store a new
 * record under the same key. The SDK resends a delete whose response was lost, so the delete names the erased lead.
 */
async function examine(
  { scope, keyIds, erased, people }: Search,
  item: Stored<Item>,
): Promise<void> {
  const kind = kindOf(item);
  if (kind?.kind === 'idempotency' && keyIds.has(kind.keyId)) {
    const { id } = (item as Stored<IdempotencyItem>).result;
    const found = erased.get(id)?.found;
    if (!found) return;
    await deleteRecord(scope, id, deletion(item, recordsLead(id)));
    found.idempotencyRecords += 1;
  } else if (kind?.kind === 'importedRow') {
    const { leadId } = item as Stored<ImportedRowItem>;
    const found = erased.get(leadId)?.found;
    if (!found) return;
    await deleteRecord(scope, leadId, deletion(item, namesLead(leadId)));
    found.importedRows += 1;
  } else if (kind?.kind === 'timeline' && !erased.has(kind.leadId)) {
    const entry = item as TimelineEntryItem;
    const { cleanedAt } = entry;
    if (cleanedAt !== undefined)
      for (const { found, begunAt } of erased.values())
        if (begunAt !== undefined && cleanedAt > begunAt) found.cleanedLeads.add(kind.leadId);
    const leadKey = leadPrimaryKey(scope.organizationId, kind.leadId);
    for (const { found } of await cleanEntry(scope.table, leadKey, entry, people)) {
      found.cleanedLeads.add(kind.leadId);
      found.changes.push({ leadId: kind.leadId, id: entry.sk });
    }
  } else if (kind?.kind === 'lead' && !erased.has(kind.leadId)) {
    for (const { found, search } of people) {
      const fields = mentionsIn(item.fields as LeadItem['fields'], search);
      if (fields.length > 0) found.mentions.push({ leadId: kind.leadId, fields });
    }
  }
}

/**
 * Deletes a record of an erased lead, unless a lead with its ID exists again. Another command may have completed the erasure, and an import
 * that keeps IDs may have created a new lead.
 */
const deleteRecord = (scope: OrganizationTable, leadId: number, record: Write) =>
  retryOnConflict(async () => {
    const isGone = check(leadPrimaryKey(scope.organizationId, leadId), isAbsent);
    const { outcome } = await transact(scope.table, [record, isGone]);
    return outcome === 'conflict' ? conflict : undefined;
  });

const relatedItems = (organizationId: number) => ({
  ConsistentRead: true,
  FilterExpression:
    'pk = :leads OR begins_with(pk, :timelines) OR begins_with(pk, :rows) OR begins_with(pk, :records)',
  ExpressionAttributeValues: {
    ':leads': leadsPartitionKey(organizationId),
    ':timelines': timelinePartitionKey(organizationId, 0).slice(0, -1),
    ':rows': importedRowPrimaryKey(organizationId, '').pk,
    ':records': prefixOf('idempotency'),
  },
});

const recordsLead = (leadId: number): Condition => ({
  ConditionExpression: '#result.id = :lead',
  ExpressionAttributeNames: { '#result': 'result' },
  ExpressionAttributeValues: { ':lead': leadId },
});

/**
 * The phones and emails that another lead has now. Consistent reads, one for each.
 * @param erased leads under erasure, which do not count as other leads
 */
export async function heldByOthers(
  { table, organizationId }: OrganizationTable,
  erased: { has(leadId: number): boolean },
  identities: Identities,
): Promise<Identities> {
  const keyOf = (identity: string): PrimaryKey<IdentityItem> =>
    (isEmailIdentity(identity) ? emailPrimaryKey : phonePrimaryKey)(organizationId, identity);
  const items = await batchGet(table, identities.map(keyOf));
  return identities.filter((identity) => {
    const holder = items.get(keyOf(identity))?.leadId;
    return holder !== undefined && !erased.has(holder);
  });
}

/** Whether an entry belongs to a lead that was created after the erasure started. If the entry is that late, reads its lead. */
async function isOfLaterLead(
  table: Table,
  leadKey: PrimaryKey<LeadItem>,
  { at }: TimelineEntryItem,
  begunAt: string | undefined,
): Promise<boolean> {
  if (begunAt === undefined || at <= begunAt) return false;
  const lead = await getItem(table, leadKey);
  return lead !== undefined && lead.createdAt > begunAt;
}

/**
 * Removes people from an entry. Another erasure may be writing the same entry, so it is replaced only if it has not changed since it was
 * read. Copies of the timeline, and a repeat, notice the change by `cleanedAt`. It is later than the entry's previous one, and than the
 * start of the erasures.
 * @returns the people who were in the entry
 * @throws ContentionError
 */
async function cleanEntry(
  table: Table,
  leadKey: PrimaryKey<LeadItem>,
  read: TimelineEntryItem,
  people: readonly ErasedPerson[],
): Promise<readonly ErasedPerson[]> {
  const earlier: ErasedPerson[] = [];
  for (const person of people)
    if (!(await isOfLaterLead(table, leadKey, read, person.begunAt))) earlier.push(person);
  if (earlier.length === 0) return [];
  const key: PrimaryKey<TimelineEntryItem> = { pk: read.pk, sk: read.sk };
  const found = new Set<ErasedPerson>();
  return retryOnConflict(async (attempt) => {
    const entry = attempt === 0 ? read : await getItem(table, key);
    if (!entry) return [];
    let clean: TimelineEntry = entry;
    for (const person of earlier) {
      const before = clean;
      clean = withoutPerson(before, person.search);
      // Compares values, because DynamoDB returns the attributes of a map in any order.
      if (!isDeepStrictEqual(clean, before)) found.add(person);
    }
    // An earlier attempt, whose response was lost, may have removed the people that it found.
    if (isDeepStrictEqual(clean, entry)) return [...found];
    const before = [
      entry.cleanedAt ?? entry.at,
      ...earlier.flatMap(({ begunAt }) => begunAt ?? []),
    ];
    const cleanedAt = changeTimeOf({ updatedAt: before.toSorted().at(-1) ?? entry.at }, new Date());
    const cleaned = put({ ...clean, cleanedAt }, isCleanedAsRead(entry));
    return (await writeItem(table, cleaned)) ? [...found] : conflict;
  });
}

const isCleanedAsRead = ({ cleanedAt }: TimelineEntryItem): Condition =>
  cleanedAt === undefined
    ? { ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(cleanedAt)' }
    : {
        ConditionExpression: 'cleanedAt = :before',
        ExpressionAttributeValues: { ':before': cleanedAt },
      };
