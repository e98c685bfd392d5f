import { changeTimeOf } from '../../leads/changes.ts';
import type { Lead } from '../../leads/lead.ts';
import { beginItems } from '../erasure/erase-lead.ts';
import { deleteIdentities, identityKeysOf } from '../leads/identities.ts';
import { leadFrom, readLead } from '../leads/leads.ts';
import { newEntryId, readTimelineItems } from '../leads/timeline.ts';
import { batchGet } from '../table/batch-get.ts';
import { type OrganizationTable, usableUntil } from '../table/client.ts';
import { getItem } from '../table/get-item.ts';
import type { ImportedRowItem, TimelineEntryItem } from '../table/items.ts';
import { untilVisible } from '../table/pacing.ts';
import {
  erasurePrimaryKey,
  importedRowPrimaryKey,
  leadPrimaryKey,
  type PrimaryKey,
  timelinePartitionKey,
} from '../table/primary-keys.ts';
import { ContentionError, conflict, retryOnConflict } from '../table/retry.ts';
import { transact } from '../table/transact.ts';
import {
  type Condition,
  check,
  deletion,
  hasVersion,
  isAbsent,
  namesLead,
  writeItem,
} from '../table/writes.ts';

/** A lead that a row made, as it was read, and the record of the row. */
export interface ImportedFrom {
  readonly leadId: number;
  readonly lead: Lead | undefined;
  readonly rowKey: PrimaryKey<ImportedRowItem>;
}

/** The leads that rows made, each once. A read unit for each row, and for each KB of a lead. @param digests of the rows' values */
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
  const leadKey = (leadId: number) => leadPrimaryKey(organizationId, leadId);
  const leads = await batchGet(table, [...rowKeyOf.keys()].map(leadKey));
  return [...rowKeyOf].map(([leadId, rowKey]) => {
    const item = leads.get(leadKey(leadId));
    return { leadId, rowKey, lead: item && leadFrom(organizationId, item) };
  });
}

/** A lead is kept if its timeline has something later than the import. Of one that is being erased, the erasure removes the rest. */
export type UndoResult = 'removed' | 'kept' | 'erasing';

/**
 * Removes a lead that an import made, if nothing has happened to it since, and the record of its row, so that the row can be imported again.
 * The first transaction deletes the lead, its identity items and its timeline, which it ends as an erasure does; the second one deletes what
 * is left, and a repeat completes it after a kill. One write, one read and two transactions, and half a second.
 * @param who runs the command, for the audit log
 * @throws ContentionError
 */
export function undoImportedLead(
  own: OrganizationTable,
  from: ImportedFrom,
  who: string,
): Promise<UndoResult> {
  const { table, organizationId } = own;
  // One for all attempts: a lock may have been written although its response was lost.
  const lockedUntil = Date.now() + lockMs;
  const keep = async (): Promise<UndoResult> => {
    await retryOnConflict(() => unlock(own, from.leadId, lockedUntil));
    return 'kept';
  };
  const undone = retryOnConflict<UndoResult>(async (attempt) => {
    const lead = attempt === 0 ? from.lead : await readLead(table, organizationId, from.leadId);
    if (!lead) return completeUndo(own, from);
    if (lead.version > 1) return attempt > 0 ? keep() : 'kept';
    if (!(await lock(own, lead, lockedUntil))) return conflict;
    await untilVisible(table);
    const entries = await readTimelineItems(own, lead.id);
    if (!isUntouched(entries))
      return (await readLead(table, organizationId, lead.id)) ? keep() : conflict;
    const leftMs = lockedUntil - lockMarginMs - Date.now();
    if (leftMs <= 0) return conflict;
    const at = changeTimeOf(lead, new Date());
    const id = newEntryId(at);
    const what = `lead import --undo: lead ${lead.id}`;
    const entry = { at, who, what, leadIds: [lead.id], erasedLeadId: lead.id };
    const erasure = { organizationId, leadId: lead.id, phones: [], emails: [], auditEntries: {} };
    // A later attempt would delete what was added after the lock.
    const { outcome } = await transact(usableUntil(table, AbortSignal.timeout(leftMs)), [
      check(from.rowKey, namesLead(lead.id)), // another file may have made a lead of this ID since
      ...deleteIdentities(lead, identityKeysOf(lead)),
      ...entries.map((one) => deletion(one)),
      ...beginItems(lead, { erasure, entry, id }, isLocked(lead)),
    ]);
    if (outcome !== 'written') return conflict;
    return removeRest(own, from, [{ pk: timelinePartitionKey(organizationId, lead.id), sk: id }]);
  });
  return undone.catch(async (error: unknown) => {
    // After any other error, the removal may still be under way: a note that an unlocked lead accepts would go with it.
    if (error instanceof ContentionError) await keep();
    throw error;
  });
}

/** While a lead is locked, a request that adds to its timeline waits. After a kill or an outage, the lock ends by itself. */
const lockMs = 75_000;
/** How long the last attempt of a transaction may take to reach DynamoDB, and how far this clock may differ from a function's (infra/admin/clock.ts). */
const lockMarginMs = 70_000;

/** Locks a lead if it has not changed since it was read. @param until epoch milliseconds */
function lock(
  { table }: OrganizationTable,
  { organizationId, id, version }: Lead,
  until: number,
): Promise<boolean> {
  const asRead = hasVersion(version);
  return writeItem(table, {
    Update: {
      Key: leadPrimaryKey(organizationId, id),
      UpdateExpression: 'SET lockedUntil = :until',
      ...asRead,
      ExpressionAttributeValues: { ...asRead.ExpressionAttributeValues, ':until': until },
    },
  });
}

/** Requires the lock: a removal that arrives after another undo has unlocked the lead would delete a note with it. */
function isLocked({ version }: Lead): Condition {
  const asRead = hasVersion(version);
  const ConditionExpression = `${asRead.ConditionExpression} AND attribute_exists(lockedUntil)`;
  return { ...asRead, ConditionExpression };
}

/** Unlocks a lead that is kept, whatever has changed it since it was locked, unless another undo has locked it. */
const unlock = ({ table, organizationId }: OrganizationTable, leadId: number, until: number) =>
  writeItem(table, {
    Update: {
      Key: leadPrimaryKey(organizationId, leadId),
      UpdateExpression: 'REMOVE lockedUntil',
      ConditionExpression: 'lockedUntil = :until',
      ExpressionAttributeValues: { ':until': until },
    },
  });

/** Whether a timeline has only what the import of the lead wrote: its creation and its note. */
const isUntouched = (entries: readonly TimelineEntryItem[]): boolean =>
  entries.length > 0 && entries.every((entry) => 'importedAt' in entry);

/** Completes an interrupted undo, after the first transaction of another undo, an erasure or an import has become visible. */
async function completeUndo(
  own: OrganizationTable,
  from: ImportedFrom,
): Promise<UndoResult | typeof conflict> {
  await untilVisible(own.table);
  if (await readLead(own.table, own.organizationId, from.leadId)) return conflict;
  const erasure = await getItem(own.table, erasurePrimaryKey(own.organizationId, from.leadId));
  // An undo leaves no audit log entry to complete.
  if (Object.keys(erasure?.auditEntries ?? {}).length > 0) return 'erasing';
  const entries = await readTimelineItems(own, from.leadId);
  return removeRest(
    own,
    from,
    entries.filter(({ type }) => type === 'erased'),
  );
}

/** Deletes what is left of a lead: the record of its row, the ends of its timeline, and the item that says what is left. */
async function removeRest(
  own: OrganizationTable,
  { leadId, rowKey }: ImportedFrom,
  ends: readonly PrimaryKey[],
): Promise<UndoResult | typeof conflict> {
  const { outcome } = await transact(own.table, [
    deletion(rowKey, namesLead(leadId)),
    check(leadPrimaryKey(own.organizationId, leadId), isAbsent), // it may have been imported again
    deletion(erasurePrimaryKey(own.organizationId, leadId)),
    ...ends.map((one) => deletion(one)),
  ]);
  return outcome === 'conflict' ? conflict : 'removed';
}
