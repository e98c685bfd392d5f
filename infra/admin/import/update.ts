import { ApiError } from '../../../shared/errors.ts';
import type { Lead } from '../../../shared/leads/lead.ts';
import { updateByRow } from '../../../shared/leads/transfer/import-row.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { addToTimeline, readTimeline } from '../../../shared/store/leads/timeline.ts';
import { editLead } from '../../../shared/store/maintenance/edit-lead.ts';
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
      return refused(draft, `Lead ${leadId} could not be written now: import the row again.`);
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
    const edited = await editLead(table, { organizationId, leadId, by, dryRun }, edit);
    if (edited.outcome === 'absent') return refused(draft, `Lead ${leadId} was erased meanwhile.`);
    if (edited.outcome === 'duplicate')
      return taken(this.#options, draft, edited.holder.field, `lead ${edited.holder.leadId}`);
    const isNoted = note !== undefined && (await this.#addNote(table, leadId, note));
    const outcome = edited.outcome === 'changed' || isNoted ? 'updated' : 'alreadyThere';
    return { row: draft.row, lead: draft.lead, outcome, issues: [] };
  }

  /** Adds a note that no import or administrator has added yet. @returns whether it was missing */
  async #addNote(table: Table, leadId: number, text: string): Promise<boolean> {
    const { organizationId, updatedBy: by, dryRun } = this.#options;
    const entries = await readTimeline(table, organizationId, leadId);
    if (
      entries.some((one) => one.type === 'note_added' && one.actorId === null && one.text === text)
    )
      return false;
    const note = { type: 'note_added', actorId: null, by, via: 'admin', text } as const;
    if (!dryRun) await addToTimeline(table, organizationId, leadId, (at) => ({ ...note, at }));
    return true;
  }
}
