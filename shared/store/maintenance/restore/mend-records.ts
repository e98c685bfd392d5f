import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { recordExpiry } from '../../../leads/idempotency.ts';
import { readTimelineItems } from '../../leads/timeline.ts';
import { batchGet } from '../../table/batch-get.ts';
import type { Table } from '../../table/client.ts';
import { getItem, itemsOf } from '../../table/get-item.ts';
import { kindOf } from '../../table/item-kind.ts';
import { keyOf, leadPrimaryKey, type PrimaryKey } from '../../table/primary-keys.ts';
import { partitionKeyPrefixes as prefix } from '../../table/table-definition.ts';
import { type LeadPart, type LeadReference, readLeadItem, referenceOf } from './lead-in-backup.ts';
import type { MendedTable } from './mended-table.ts';
import { type StoredRecord, storedIn, type TableItem } from './survey.ts';

/** Removes the idempotency records without their capture: its repeat captures again. */
export async function mendRecords(
  mended: MendedTable,
  records: readonly StoredRecord[],
  organizationOfKey: ReadonlyMap<string, number>,
): Promise<void> {
  for (const record of records)
    if (!(await hasCapture(mended, record, organizationOfKey.get(record.keyId))))
      await mended.remove(record.key);
}

/** A record and the capture's timeline entry were written together, so the record's expiry tells when that was. */
async function hasCapture(
  { table }: MendedTable,
  { leadId, expiresAt, keyId }: Omit<StoredRecord, 'key'>,
  organizationId: number | undefined,
): Promise<boolean> {
  if (organizationId === undefined) return false;
  const lifetimeMs = recordExpiry(new Date(0));
  const at = new Date(expiresAt - lifetimeMs).toISOString();
  const entries = await readTimelineItems({ table, organizationId }, leadId, at);
  return entries.some((entry) => 'keyId' in entry && entry.keyId === keyId);
}

/** Removes the imported rows whose leads are missing: an import of the row creates the lead again. */
export async function mendRows(mended: MendedTable, rows: readonly LeadPart[]): Promise<void> {
  for (const row of rows) if (!(await readLeadItem(mended.table, row))) await mended.release(row);
}

/**
 * Copies from the old table the idempotency records of captures that the restored table has, and the rows of its imported leads.
 * @param organizations of the restored table
 * @returns the leads that only the old table has
 */
export async function completeFromOld(
  mended: MendedTable,
  organizations: ReadonlySet<number>,
  organizationOfKey: ReadonlyMap<string, number>,
): Promise<LeadReference[]> {
  const { table, old } = mended;
  if (!old) return [];
  const onlyInOld: LeadReference[] = [];
  for await (const items of oldItems(old)) {
    const copies = await batchGet(table, items.flatMap(relatedKeys));
    for (const item of items) {
      const kind = kindOf(item);
      const copy = copies.get(keyOf(item));
      if (kind?.kind === 'lead' && organizations.has(kind.organizationId))
        if (copy?.createdAt !== item.createdAt) onlyInOld.push(referenceOf(kind));
      if (!kind || copy) continue;
      if (kind.kind === 'importedRow') {
        const leadKey = leadKeyOf(kind.organizationId, item);
        const lead = copies.get(leadKey);
        // A restored table that was used already may have given the ID to another lead.
        if (lead && lead.createdAt === (await getItem(old, leadKey))?.createdAt)
          await mended.put(item);
      }
      if (kind.kind === 'idempotency') {
        const record = { keyId: kind.keyId, ...storedIn(item) };
        if (await hasCapture(mended, record, organizationOfKey.get(kind.keyId)))
          await mended.put(item);
      }
    }
  }
  return onlyInOld;
}

async function* oldItems(old: Table): AsyncGenerator<readonly TableItem[]> {
  const pages = paginateScan(
    { client: old.client },
    {
      TableName: old.name,
      ConsistentRead: true,
      FilterExpression:
        'begins_with(pk, :leads) OR begins_with(pk, :records) OR begins_with(pk, :rows)',
      ExpressionAttributeValues: {
        ':leads': prefix.lead,
        ':records': prefix.idempotency,
        ':rows': prefix.importedRow,
      },
    },
  );
  for await (const { Items } of pages) yield itemsOf<TableItem>(Items);
}

const leadKeyOf = (organizationId: number, { leadId }: TableItem) =>
  leadPrimaryKey(organizationId, Number(leadId));

function relatedKeys(item: TableItem): PrimaryKey[] {
  const kind = kindOf(item);
  return kind?.kind === 'importedRow'
    ? [keyOf(item), leadKeyOf(kind.organizationId, item)]
    : [keyOf(item)];
}
