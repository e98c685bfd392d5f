import { ApiError } from '../../../shared/errors.ts';
import type { Lead } from '../../../shared/leads/lead.ts';
import { updateByRow } from '../../../shared/leads/transfer/import-row.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { addMissingNote, editLead } from '../../../shared/store/maintenance/edit-lead.ts';
import type { RowMatches } from '../../../shared/store/maintenance/import-leads.ts';
import type { RateLimiter } from '../../../shared/store/maintenance/pacing.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { ContentionError } from '../../../shared/store/table/retry.ts';
import { ThrottledError } from '../../../shared/store/table/transact.ts';
import { tableForOneWrite } from '../context.ts';
import type { FileTerms } from './cell-formats.ts';
import { type Draft, issuesOf, type RowResult, refused, taken } from './drafts.ts';

interface UpdateOptions extends FileTerms {
  readonly organizationId: number;
  readonly organization: () => Promise<Organization>;
  readonly dryRun: boolean;
  readonly updatedBy: string;
}

/** Changes leads as the rows say that have their phone or email. A repeat finds nothing left to change. */
export class RowUpdater {
  /** The row that a lead was made or updated by: a second one would make a repeat change the lead again. */
  readonly rowOfLead = new Map<number, number>();
  readonly #table: Table;
  readonly #options: UpdateOptions;
  readonly #rateLimiter: RateLimiter;

  constructor(table: Table, options: UpdateOptions, rateLimiter: RateLimiter) {
    this.#table = table;
    this.#options = options;
    this.#rateLimiter = rateLimiter;
  }

  /** @returns undefined if no lead has the row's phone or email */
  update(draft: Draft, matches: RowMatches | undefined): Promise<RowResult> | undefined {
    const { phoneLeadId, emailLeadId } = matches ?? {};
    const leadId = phoneLeadId ?? emailLeadId;
    if (leadId === undefined) return undefined;
    const field = phoneLeadId === undefined ? 'email' : 'phone';
    if (emailLeadId !== undefined && emailLeadId !== leadId)
      return Promise.resolve(
        refused(
          draft,
          `The phone belongs to lead ${leadId}, and the email to lead ${emailLeadId}: correct one of them.`,
        ),
      );
    const other = this.rowOfLead.get(leadId);
    if (other !== undefined)
      return Promise.resolve(taken(this.#options, draft, field, `row ${other}`));
    this.rowOfLead.set(leadId, draft.row.number);
    return this.#change(draft, leadId).catch((error: unknown) => {
      if (error instanceof ApiError)
        return refused(draft, ...issuesOf(error, draft, this.#options));
      if (!(error instanceof ContentionError || error instanceof ThrottledError)) throw error;
      return refused(
        draft,
        `Lead ${leadId} could not be updated: other requests kept changing it, or DynamoDB throttled. Import the row again.`,
      );
    });
  }

  async #change(draft: Draft, leadId: number): Promise<RowResult> {
    const { organizationId, organization, updatedBy: by, dryRun } = this.#options;
    await this.#rateLimiter.take(1);
    const table = tableForOneWrite(this.#table);
    let note: string | undefined;
    const edit = async (before: Lead): Promise<Lead> => {
      const after = updateByRow(await organization(), draft.input, before, new Date());
      note = after.note;
      return after.lead;
    };
    const editedLead = { organizationId, leadId, by, dryRun };
    const edited = await editLead(table, editedLead, edit);
    if (edited.outcome === 'absent') return refused(draft, `Lead ${leadId} was erased meanwhile.`);
    if (edited.outcome === 'duplicate')
      return taken(this.#options, draft, edited.holder.field, `lead ${edited.holder.leadId}`);
    // A row that was imported before adds its note only once, whatever came later.
    const isNoted =
      note !== undefined && (await addMissingNote(table, editedLead, note, (all) => all));
    const fields = edited.outcome === 'changed' ? edited.changes.map(({ field }) => field) : [];
    const changed = [...fields, ...(isNoted ? ['note'] : [])].join(', ');
    const result = { row: draft.row, lead: draft.lead, issues: [] };
    return changed === ''
      ? { ...result, outcome: 'alreadyThere' }
      : { ...result, outcome: 'updated', change: `Lead ${leadId}: ${changed} would be changed.` };
  }
}
