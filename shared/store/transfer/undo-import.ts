import { changeTimeOf } from '../../leads/changes.ts';
import type { Lead } from '../../leads/lead.ts';
import { beginItems } from '../erasure/erase-lead.ts';
import { deleteIdentities, identityKeysOf } from '../leads/identities.ts';
import { leadFrom } from '../leads/leads.ts';
import { newEntryId, readTimelineItems } from '../leads/timeline.ts';
import { batchGet } from '../table/batch-get.ts';
import type { OrganizationTable } from '../table/client.ts';
import { getItem } from '../table/get-item.ts';
import type { ImportedRowItem, TimelineEntryItem } from '../table/items.ts';
import {
  erasurePrimaryKey,
  importedRowPrimaryKey,
  leadPrimaryKey,
  type PrimaryKey,
  timelinePartitionKey,
} from '../table/primary-keys.ts';
import { readTogether } from '../table/read-together.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { transact } from '../table/transact.ts';
import { check, deletion, isAbsent, namesLead } from '../table/writes.ts';

/** A lead that was imported from a row, and the record of the row. */
interface ImportedFrom {
  readonly leadId: number;
  readonly rowKey: PrimaryKey<ImportedRowItem>;
}

/** The leads that were imported from rows, each once. A read unit for each row. @param digests the digests of the rows' values */
export async function importedFrom(
  { table, organizationId }: OrganizationTable,
  digests: readonly string[],
): Promise<ImportedFrom[]> {
  const rowKeys = digests.map((digest) => importedRowPrimaryKey(organizationId, digest));
  const rows = await batchGet(table, rowKeys);
  const rowKeyOf = new Map(
    rowKeys.flatMap((rowKey) => {
      const leadId = rows.get(rowKey)?.leadId;
      return leadId === undefined ? [] : [[leadId, rowKey] as const];
    }),
  );
  return [...rowKeyOf].map(([leadId, rowKey]) => ({ leadId, rowKey }));
}

/**
 * `kept`: the lead's timeline has an entry later than the import. `erasing`: the lead is being erased, and its erasure removes the rest.
 */
export type UndoResult = 'removed' | 'kept' | 'erasing';

/**
 * Removes an imported lead, if nothing has happened to it since, and the record of its row, so that the row can be imported again. The
 * first transaction deletes the lead, its identity items and its timeline, which it ends like an erasure. The second transaction deletes
 * the rest; if it is interrupted, a repeat completes it. An entry that is added meanwhile raises the lead's version, and the first
 * transaction fails. Two reads and two transactions.
 * @param who the administrator who runs the command, for the audit log
 * @throws ContentionError
 */
export function undoImportedLead(
  organization: OrganizationTable,
  from: ImportedFrom,
  who: string,
): Promise<UndoResult> {
  const { table, organizationId } = organization;
  const leadKey = leadPrimaryKey(organizationId, from.leadId);
  return retryOnConflict<UndoResult>(async () => {
    const [item, erasure] = await readTogether(table, [
      leadKey,
      erasurePrimaryKey(organizationId, from.leadId),
    ]);
    if (!item)
      return erasure && !('endId' in erasure)
        ? 'erasing'
        : removeRest(organization, from, erasure?.endId);
    const lead = leadFrom(organizationId, item);
    const entries = await readTimelineItems(organization, lead.id);
    if (!isUntouched(lead, entries)) {
      const now = await getItem(table, leadKey);
      return now?.version === lead.version ? 'kept' : conflict;
    }
    const at = changeTimeOf(lead, new Date());
    const id = newEntryId(at);
    const what = `lead import --undo: lead ${lead.id}`;
    const audit = { at, who, what, leadIds: [lead.id], erasedLeadId: lead.id, cleanedLeadIds: [] };
    const undo = {
      ...{ organizationId, leadId: lead.id, endId: id },
      ...{ phones: [], emails: [], auditEntries: {} },
    };
    const { outcome } = await transact(table, [
      check(from.rowKey, namesLead(lead.id)), // another file may have created a lead with this ID since
      ...deleteIdentities(lead, identityKeysOf(lead)),
      ...entries.map((entry) => deletion(entry)),
      ...beginItems(lead, { erasure: undo, entry: audit, id }),
    ]);
    if (outcome !== 'written') return conflict;
    return removeRest(organization, from, id);
  });
}

/** Whether a timeline has only the entries that the import wrote, the lead's creation and a note, and all its entries have been read. */
const isUntouched = ({ version }: Lead, entries: readonly TimelineEntryItem[]): boolean =>
  entries.length === version && entries.every((entry) => 'importedAt' in entry);

/** Deletes the rest of a lead: the record of its row, the end of its timeline, and the item that says what is left. */
async function removeRest(
  { table, organizationId }: OrganizationTable,
  { leadId, rowKey }: ImportedFrom,
  endId: unknown,
): Promise<UndoResult | typeof conflict> {
  const pk = timelinePartitionKey(organizationId, leadId);
  const { outcome } = await transact(table, [
    deletion(rowKey, namesLead(leadId)),
    check(leadPrimaryKey(organizationId, leadId), isAbsent), // the row may have been imported again
    deletion(erasurePrimaryKey(organizationId, leadId)),
    ...(typeof endId === 'string' ? [deletion({ pk, sk: endId })] : []),
  ]);
  return outcome === 'conflict' ? conflict : 'removed';
}
