import { isDeepStrictEqual } from 'node:util';
import { DeleteCommand, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { changeTimeOf } from '../../leads/changes.ts';
import { foundIn, mentionsIn, withoutPerson } from '../../leads/erasure/erasure.ts';
import {
  type Identities,
  isEmailIdentity,
  type PersonSearch,
} from '../../leads/erasure/person-search.ts';
import { listApiKeys } from '../organizations/api-keys.ts';
import { batchGet } from '../table/batch-get.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import { getItem, itemsOf } from '../table/get-item.ts';
import { kindOf } from '../table/item-kind.ts';
import type { IdentityItem, Item, LeadItem, Stored, TimelineEntryItem } from '../table/items.ts';
import {
  emailPrimaryKey,
  importedRowPrimaryKey,
  leadPrimaryKey,
  leadsPartitionKey,
  type PrimaryKey,
  phonePrimaryKey,
  timelinePartitionKey,
} from '../table/primary-keys.ts';
import { conflict, ifConditionHolds, retryOnConflict } from '../table/retry.ts';
import { partitionKeyPrefixes as prefix } from '../table/table-definition.ts';

export interface ErasedLead extends OrganizationTable {
  readonly leadId: number;
}

/** What the table stores about a lead, or about its person, besides the lead's own items. */
export interface RelatedItems {
  readonly idempotencyRecords: number;
  readonly importedRows: number;
  /** Entries of other leads' timelines in which the person was found. */
  readonly otherEntries: number;
  /** The leads whose timelines these are. */
  readonly otherLeads: number;
  /** These entries, by lead; with the ID as `lead timelines` prints it. */
  readonly changes: readonly { readonly leadId: number; readonly id: string }[];
  /** Other leads whose fields mention the person; they are not changed. */
  readonly mentions: readonly { readonly leadId: number; readonly fields: readonly string[] }[];
}

/**
 * Deletes the items that refer to an erased lead, and removes the person from other leads' timelines. Reads the whole table, because no
 * index leads to these items: consistent reads, a read unit for each 4 KB.
 * @param search for the person. It forgets a phone or email that another lead gets meanwhile.
 * @param begunAt entries of leads created later stay as they are: the person may have come back, and changed their phone since
 * @param onProgress called with the number of items read so far
 */
export async function removeRelatedItems(
  erased: ErasedLead,
  search: PersonSearch,
  begunAt: string | undefined,
  onProgress: (itemsRead: number) => void,
): Promise<RelatedItems> {
  const { table, organizationId, leadId } = erased;
  const keyIds = new Set((await listApiKeys(table, organizationId)).map(({ keyId }) => keyId));
  const counts = { idempotencyRecords: 0, importedRows: 0 };
  const changes: RelatedItems['changes'][number][] = [];
  const mentions: RelatedItems['mentions'][number][] = [];

  const examine = async (item: Stored<Item>): Promise<void> => {
    const kind = kindOf(item);
    if (kind?.kind === 'idempotency' && keyIds.has(kind.keyId)) {
      await removeOf(erased, item, '#result.id');
      counts.idempotencyRecords += 1;
    } else if (kind?.kind === 'importedRow' && item.leadId === leadId) {
      await removeOf(erased, item, 'leadId');
      counts.importedRows += 1;
    } else if (kind?.kind === 'timeline' && kind.leadId !== leadId) {
      const entry = item as TimelineEntryItem;
      const leadKey = leadPrimaryKey(organizationId, kind.leadId);
      if (await isOfLaterLead(table, leadKey, entry, begunAt)) return;
      if (await cleanEntry(table, entry, search))
        changes.push({ leadId: kind.leadId, id: entry.sk });
    } else if (kind?.kind === 'lead' && kind.leadId !== leadId) {
      const fields = mentionsIn(item.fields as LeadItem['fields'], search);
      if (fields.length > 0) mentions.push({ leadId: kind.leadId, fields });
    }
  };
  for await (const items of relatedPages(erased, onProgress)) {
    // After the page was read, so that a phone or email that another lead got meanwhile is left alone. One that the lead gave up again is not.
    search.forget(await heldByOthers(erased, foundIn(items, search)));
    for (const item of items) await examine(item);
  }
  return { ...counts, ...inOrder(changes, mentions) };
}

const inOrder = (changes: RelatedItems['changes'], mentions: RelatedItems['mentions']) => ({
  otherEntries: changes.length,
  otherLeads: new Set(changes.map(({ leadId }) => leadId)).size,
  mentions: mentions.toSorted((a, b) => a.leadId - b.leadId),
  changes: changes.toSorted((a, b) => a.leadId - b.leadId || (a.id < b.id ? -1 : 1)),
});

async function* relatedPages(
  { table, organizationId, leadId }: ErasedLead,
  onProgress: (itemsRead: number) => void,
): AsyncGenerator<readonly Stored<Item>[]> {
  const scan = {
    TableName: table.name,
    ConsistentRead: true,
    FilterExpression:
      'pk = :leads OR begins_with(pk, :timelines) OR (begins_with(pk, :rows) AND leadId = :lead) OR (begins_with(pk, :records) AND #result.id = :lead)',
    ExpressionAttributeNames: { '#result': 'result' },
    ExpressionAttributeValues: {
      ':leads': leadsPartitionKey(organizationId),
      ':timelines': timelinePartitionKey(organizationId, 0).slice(0, -1),
      ':rows': importedRowPrimaryKey(organizationId, '').pk,
      ':records': prefix.idempotency,
      ':lead': leadId,
    },
  };
  let itemsRead = 0;
  for await (const { Items, ScannedCount = 0 } of paginateScan({ client: table.client }, scan)) {
    yield itemsOf(Items);
    itemsRead += ScannedCount;
    onProgress(itemsRead);
  }
}

/** Those of the phones and emails that another lead has now. Consistent reads, one for each. */
export async function heldByOthers(
  { table, organizationId, leadId }: ErasedLead,
  identities: Identities,
): Promise<Identities> {
  const keyOf = (identity: string): PrimaryKey<IdentityItem> =>
    (isEmailIdentity(identity) ? emailPrimaryKey : phonePrimaryKey)(organizationId, identity);
  const items = await batchGet(table, identities.map(keyOf));
  return identities.filter((one) => (items.get(keyOf(one))?.leadId ?? leadId) !== leadId);
}

/** Whether an entry is that of a lead which was created after the erasure began. Reads the lead of an entry that is as late. */
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
 * Removes an item if it is still the erased lead's. Once it is gone, a repeated capture or import of the person writes one of a new lead under
 * the same key: a delete whose answer was lost is sent again after that.
 */
async function removeOf(
  { table, leadId }: ErasedLead,
  { pk, sk }: PrimaryKey,
  path: '#result.id' | 'leadId',
): Promise<void> {
  const remove = new DeleteCommand({
    TableName: table.name,
    Key: { pk, sk },
    ConditionExpression: `${path} = :lead`,
    ...(path === '#result.id' && { ExpressionAttributeNames: { '#result': 'result' } }),
    ExpressionAttributeValues: { ':lead': leadId },
  });
  await ifConditionHolds(table.client.send(remove));
}

/**
 * An entry without the person; undefined if the person is not in it. Its time of cleaning, by which copies of the timeline learn of the
 * change, is later than that of an earlier one.
 */
function cleanedEntry(entry: TimelineEntryItem, search: PersonSearch): Item | undefined {
  const clean = withoutPerson(entry, search);
  // Compared as values, because DynamoDB returns the attributes of a map in any order.
  if (isDeepStrictEqual(clean, entry)) return undefined;
  const cleanedAt = changeTimeOf({ updatedAt: entry.cleanedAt ?? entry.at }, new Date());
  return { ...clean, cleanedAt: cleanedAt.toISOString() };
}

/**
 * Removes the person from an entry. Another erasure may be writing the same entry: it is replaced only as it was read.
 * @returns whether the person was in it
 * @throws ContentionError
 */
async function cleanEntry(
  table: Table,
  read: TimelineEntryItem,
  search: PersonSearch,
): Promise<boolean> {
  const key: PrimaryKey<TimelineEntryItem> = { pk: read.pk, sk: read.sk };
  return retryOnConflict(async (attempt) => {
    const entry = attempt === 0 ? read : await getItem(table, key);
    const clean = entry && cleanedEntry(entry, search);
    if (!clean) return false;
    const asRead =
      entry.cleanedAt === undefined
        ? { ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(cleanedAt)' }
        : {
            ConditionExpression: 'cleanedAt = :before',
            ExpressionAttributeValues: { ':before': entry.cleanedAt },
          };
    const put = new PutCommand({ TableName: table.name, Item: clean, ...asRead });
    return (await ifConditionHolds(table.client.send(put))) ? true : conflict;
  });
}
