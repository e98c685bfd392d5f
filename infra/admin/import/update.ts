import { ApiError } from '../../../shared/errors.ts';
import type { Lead } from '../../../shared/leads/lead.ts';
import { updatedByRow } from '../../../shared/leads/transfer/import-row.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import {
  addMissingNote,
  type EditedLead,
  editLead,
} from '../../../shared/store/maintenance/edit-lead.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { ContentionError } from '../../../shared/store/table/retry.ts';
import { ThrottledError } from '../../../shared/store/table/transact.ts';
import { tableForOneWrite } from '../context.ts';
import { issuesOf, type RowResult, refused, taken } from './drafts.ts';
import type { FileRow } from './rows.ts';

/** Changes a lead as a row says. A repeat finds nothing left to change. */
export async function updateByRow(
  table: Table,
  lead: EditedLead,
  row: FileRow,
  organization: () => Promise<Organization>,
): Promise<RowResult> {
  try {
    return await change(tableForOneWrite(table), lead, row, organization);
  } catch (error) {
    if (error instanceof ApiError) return refused(row, ...issuesOf(error, row));
    if (!(error instanceof ContentionError || error instanceof ThrottledError)) throw error;
    return refused(
      row,
      `Lead ${lead.leadId} could not be updated: other requests kept changing it, or DynamoDB throttled. Import the row again.`,
    );
  }
}

async function change(
  table: Table,
  lead: EditedLead,
  row: FileRow,
  organization: () => Promise<Organization>,
): Promise<RowResult> {
  let note: string | undefined;
  const edited = await editLead(table, lead, async (before: Lead): Promise<Lead> => {
    const after = updatedByRow(await organization(), row.read, before, new Date());
    note = after.note;
    return after.lead;
  });
  if (edited.outcome === 'absent') return refused(row, `Lead ${lead.leadId} was erased meanwhile.`);
  if (edited.outcome === 'duplicate')
    return taken(row, edited.holder.field, `lead ${edited.holder.leadId}`);
  // A row that was imported before adds its note only once, whatever came later.
  const isNoted = note !== undefined && (await addMissingNote(table, lead, note, (all) => all));
  const fields = edited.outcome === 'changed' ? edited.changes.map(({ field }) => field) : [];
  const changed = [...fields, ...(isNoted ? ['note'] : [])].join(', ');
  if (changed === '') return { row, issues: [], outcome: 'alreadyThere' };
  const planned = `Lead ${lead.leadId}: ${changed} would be changed.`;
  return { row, issues: [], outcome: 'updated', change: planned };
}
