import { ValidationFailed } from '../../../shared/contract/refusals.ts';
import { updatedByRow } from '../../../shared/leads/transfer/import-row.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import {
  addMissingNote,
  type EditedLead,
  editLead,
} from '../../../shared/store/leads/edit-lead.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { ContentionError } from '../../../shared/store/table/retry.ts';
import { ThrottledError } from '../../../shared/store/table/transact.ts';
import { printable } from '../../cli/format.ts';
import { valueWithName } from '../named.ts';
import { tableForOneWrite } from '../one-write.ts';
import { issuesOf, type LeadUpdate, refused, taken, type WrittenRow } from './decide.ts';
import type { ReadRow } from './rows.ts';

/** Changes a lead by a row. A repeat finds nothing left to change. @returns undefined if there is no such lead */
export async function updateByRow(
  table: Table,
  lead: EditedLead,
  row: ReadRow,
  organization: () => Promise<Organization>,
): Promise<WrittenRow | undefined> {
  try {
    return await change(tableForOneWrite(table), lead, row, organization);
  } catch (error) {
    if (error instanceof ValidationFailed) return refused(row, ...issuesOf(error, row));
    if (!(error instanceof ContentionError || error instanceof ThrottledError)) throw error;
    return refused(
      row,
      `Lead ${lead.leadId} could not be updated: other requests kept changing it, or DynamoDB throttled. Run the command again.`,
    );
  }
}

async function change(
  table: Table,
  lead: EditedLead,
  row: ReadRow,
  organization: () => Promise<Organization>,
): Promise<WrittenRow | undefined> {
  let note: string | undefined;
  const edited = await editLead(table, lead, async (before) => {
    const after = updatedByRow(await organization(), row.read, before, new Date());
    note = after.note;
    return after;
  });
  if (edited.outcome === 'absent') return undefined;
  if (edited.outcome === 'duplicate')
    return taken(row, edited.holder.field, `lead ${edited.holder.leadId}`);
  // A repeated row adds its note only once, whatever items followed. A person may add the same note again after another item.
  const lastEntries = row.read.isEdit ? 1 : Number.POSITIVE_INFINITY;
  const isNoted = note === undefined ? note : await addMissingNote(table, lead, note, lastEntries);
  if (note !== undefined && isNoted === undefined) return undefined;
  const changes = edited.outcome === 'changed' ? edited.changes : [];
  const outcome = changes.length > 0 || isNoted ? 'updated' : 'alreadyThere';
  return { ...row, issues: [], outcome, update: { leadId: lead.leadId, changes, isNoted } };
}

/** What an update did, or would do, in a sentence. */
export function updateText(
  organization: Organization,
  { leadId, changes, isNoted }: LeadUpdate,
  dryRun: boolean,
): string {
  const would = dryRun ? 'would be ' : '';
  const changed = changes.map(({ field, from, to }) => {
    const [before, after] = [from, to].map((value) => valueWithName(organization, field, value));
    return printable(`${field} ${before} → ${after}`);
  });
  const parts = [
    ...(changed.length === 0 ? [] : [`${changed.join(', ')} ${would}changed`]),
    ...(isNoted ? [`note ${would}added`] : []),
  ];
  const same = isNoted === false ? 'its last item is this note already' : 'nothing to change';
  return `Lead ${leadId}: ${parts.join(', ') || same}.`;
}
