import { type Lead, ownerIdOf } from '../../../shared/leads/lead.ts';
import type { ReadRow } from '../../../shared/leads/transfer/import-row.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import {
  findRows,
  type ImportedEntries,
  type ImportedLead,
  type ImportLeadResult,
  importedRows,
  importLead,
  importTogether,
  lookupOf,
  passLeadId,
  type RowMatches,
  type WrittenTogether,
} from '../../../shared/store/maintenance/import-leads.ts';
import { RateLimiter } from '../../../shared/store/maintenance/rate-limiter.ts';
import { type Table, usableUntil } from '../../../shared/store/table/client.ts';
import type { ImportedRowItem } from '../../../shared/store/table/items.ts';
import { ContentionError } from '../../../shared/store/table/retry.ts';
import { ThrottledError, UnknownOutcomeError } from '../../../shared/store/table/transact.ts';
import { identitiesOf, identityKey } from './identity-queue.ts';
import { ImportedIds } from './lead-ids.ts';
import { OwnerRotations } from './owner-rotations.ts';
import { type Draft, isIssues, type RowIssue, type RowReader } from './row-reader.ts';
import { TickBatch } from './tick-batch.ts';

export interface WriteOptions {
  /** The organization as it is now: its settings may change during an import. */
  readonly organization: () => Promise<Organization>;
  /** Exported leads keep their IDs. */
  readonly keepIds: boolean;
  /** Nothing is written to the table. */
  readonly dryRun: boolean;
  readonly leadsPerSecond: number;
}

/** What became of a row. */
export type RowResult =
  | { readonly outcome: 'imported' | 'alreadyThere' }
  | { readonly outcome: 'refused'; readonly issues: readonly RowIssue[] };

const refused = (sentence: string): RowResult => ({
  outcome: 'refused',
  issues: [{ sentence }],
});

/**
 * A row's write ends within 10.5 s of reading the settings that it uses: the settings are at most 1 s old when the row is read
 * (command.ts), up to 3 s may pass before the write begins, and the write is aborted after 6.5 s. An apply that removes something waits
 * longer (apply-settings.ts).
 */
const settingsMaxAgeMs = 3000;
const writeTimeoutMs = 6500;
const attemptsMax = 5;

/** Makes leads of drafts. A lead is written with a record of its row, so that a repeat never creates a second lead. */
export class RowWriter {
  readonly #table: Table;
  readonly #options: WriteOptions;
  readonly #reader: RowReader;
  readonly #rateLimiter: RateLimiter;
  /** In a dry run, the rows that would have been written, by identity. */
  readonly #dryRunRows = new Map<string, number>();
  /** Leads that are ready in the same moment: with a rate, few are. */
  readonly #together = new TickBatch<ReadyLead, WrittenTogether>((ready) =>
    // Rows that waited for different times have different deadlines: the first one ends the write of all.
    importTogether(
      usableUntil(this.#table, AbortSignal.any(ready.map(({ deadline }) => deadline))),
      ready.map(({ imported }) => imported),
    ),
  );
  /** The first error. */
  #failure: { readonly error: unknown } | undefined;
  #ids: ImportedIds | undefined;
  #rotations: OwnerRotations | undefined;

  constructor(table: Table, options: WriteOptions, reader: RowReader) {
    this.#table = table;
    this.#options = options;
    this.#reader = reader;
    this.#rateLimiter = new RateLimiter(options.leadsPerSecond);
  }

  /** Looks drafts up in the table: whether they were imported before, and which leads have their phones and emails. */
  find(organizationId: number, drafts: readonly Draft[]): Promise<RowMatches[]> {
    return findRows(
      this.#table,
      organizationId,
      drafts.map(({ digests, read }) => lookupOf(digests.digest, read)),
    );
  }

  /**
   * Makes the lead of a draft.
   * @param matches what `find` returned for it
   * @throws Error its own, or the first error of another draft: then this one was not begun
   */
  async write(
    organizationId: number,
    draft: Draft,
    matches: RowMatches | undefined,
  ): Promise<RowResult> {
    try {
      return await this.#writeDraft(organizationId, draft, matches);
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }

  async #writeDraft(
    organizationId: number,
    draft: Draft,
    matches: RowMatches | undefined,
  ): Promise<RowResult> {
    const { before } = draft.place;
    if (before) await before;
    this.#throwFailure();
    const current = before ? (await this.find(organizationId, [draft]))[0] : matches;
    if (current?.importedRow) return resultOfImported(current.importedRow, draft);
    if (current?.phoneLeadId !== undefined)
      return this.#taken('phone', `lead ${current.phoneLeadId}`);
    if (current?.emailLeadId !== undefined)
      return this.#taken('email', `lead ${current.emailLeadId}`);
    if (this.#options.dryRun) return this.#writeDry(draft);
    await this.#rateLimiter.take(kilobytesOf(draft.read));
    this.#throwFailure();
    return this.#writeWithRetries(organizationId, draft);
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async #writeWithRetries(organizationId: number, draft: Draft): Promise<RowResult> {
    for (let attempt = 1; ; attempt += 1) {
      if (attempt > 1 || Date.now() - draft.readAt > settingsMaxAgeMs) {
        const read = this.#reader.read(await this.#options.organization(), draft.input);
        if (isIssues(read)) return this.#refusedLater(organizationId, draft, read);
        draft.read = read;
      }
      const deadline = AbortSignal.timeout(writeTimeoutMs);
      try {
        return await this.#writeOnce(deadline, organizationId, draft);
      } catch (error) {
        const mayRetry = deadline.aborted || isUnanswered(error);
        if (!mayRetry || attempt === attemptsMax) throw error;
      }
    }
  }

  /**
   * The result of a row that settings forbid now, although they did not when it was read first.
   * @throws UnknownOutcomeError if an attempt may have written it, and its record is not there so far: it may be on its way
   */
  async #refusedLater(
    organizationId: number,
    draft: Draft,
    issues: readonly RowIssue[],
  ): Promise<RowResult> {
    if (!draft.mayBeWritten) return { outcome: 'refused', issues };
    const [importedRow] = await importedRows(this.#table, organizationId, [draft.digests.digest]);
    if (!importedRow) throw unknownOutcome();
    return resultOfImported(importedRow, draft);
  }

  async #writeOnce(
    deadline: AbortSignal,
    organizationId: number,
    draft: Draft,
  ): Promise<RowResult> {
    const table = usableUntil(this.#table, deadline);
    draft.leadId ??= await this.#idFor(organizationId, draft.read);
    const owner = await this.#ownerOf(table, organizationId, draft.read);
    const lead = leadOf(organizationId, draft.read, { id: draft.leadId, owner });
    const [importedAt, text] = [new Date().toISOString(), draft.read.note];
    const origin = { at: lead.createdAt, actorId: null, via: 'import', importedAt } as const;
    const entries: ImportedEntries = {
      opening: { type: 'lead_created', ...origin },
      note: text === undefined ? undefined : { type: 'note_added', ...origin, text },
    };
    const imported = { lead, entries, digests: draft.digests, keepsId: this.#options.keepIds };
    let { mayBeWritten = false } = draft; // by an attempt before
    draft.mayBeWritten = true;
    try {
      const together = await this.#together.add({ deadline, imported });
      if (together === 'written') return { outcome: 'imported' };
      mayBeWritten ||= together === 'unknown';
      return this.#resultOf(await importLead(table, imported), draft);
    } catch (error) {
      return refusalOf(error, mayBeWritten);
    }
  }

  #resultOf(result: ImportLeadResult, draft: Draft): RowResult {
    if (result.outcome === 'duplicate') return this.#taken(result.what, `lead ${result.leadId}`);
    if (result.outcome === 'erasing') return this.#taken('lead id', 'a lead under erasure');
    if (result.outcome === 'created') return { outcome: 'imported' };
    return resultOfImported(result.importedRow, draft);
  }

  /** Undefined for an exported lead without an owner. */
  async #ownerOf(
    table: Table,
    organizationId: number,
    { fields, rotation }: ReadRow,
  ): Promise<number | undefined> {
    this.#rotations ??= new OwnerRotations(organizationId);
    return ownerIdOf({ fields }) ?? (rotation && (await this.#rotations.next(table, rotation)));
  }

  async #idFor(organizationId: number, { leadId }: ReadRow): Promise<number> {
    this.#ids ??= new ImportedIds(this.#table, organizationId);
    if (!this.#options.keepIds || leadId === undefined) return this.#ids.next();
    await passLeadId(this.#table, organizationId, leadId);
    return leadId;
  }

  #taken(field: string, holder: string): RowResult {
    return refused(
      `${this.#reader.columnName(field)} belongs to ${holder}: no two leads may share it.`,
    );
  }

  /** Finds what a real run would find in the table if the earlier rows had been written. */
  #writeDry({ row, read: { fields } }: Draft): RowResult {
    const identities = identitiesOf(fields);
    for (const identity of identities) {
      const other = this.#dryRunRows.get(identityKey(identity));
      if (other !== undefined) return this.#taken(identity.field, `row ${other}`);
    }
    for (const identity of identities) this.#dryRunRows.set(identityKey(identity), row.number);
    return { outcome: 'imported' };
  }
}

/** The result of a draft whose row has a record: of this very lead, it is that of an earlier attempt. */
function resultOfImported(importedRow: ImportedRowItem, draft: Draft): RowResult {
  if (importedRow.leadId === draft.leadId) return { outcome: 'imported' };
  if (importedRow.readDigest === draft.digests.readDigest) return { outcome: 'alreadyThere' };
  return refused(readDifferently(importedRow));
}

/** Why a row is refused that an import with other options created a lead from. */
export const readDifferently = ({ leadId }: ImportedRowItem): string =>
  `An earlier import created lead ${leadId} from this row, but read its values differently. ` +
  'Repeat with the --dates, --decimal and --value of that import, or correct the lead.';

/** Whether a write may have been carried out without an answer, or was ended by the deadline of a row that shares its rotation. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof UnknownOutcomeError || (error instanceof Error && error.name === 'AbortError');

/**
 * The refusal of a row that was not written, for others were in the way.
 * @throws Error any other error
 * @throws UnknownOutcomeError if an attempt before may have written it
 */
function refusalOf(error: unknown, mayBeWritten: boolean): RowResult {
  const isThrottled = error instanceof ThrottledError;
  if (!isThrottled && !(error instanceof ContentionError)) throw error;
  if (mayBeWritten) throw unknownOutcome(error);
  return refused(
    isThrottled
      ? 'DynamoDB throttled the write: import the row again, with a lower --rate.'
      : 'Other requests kept changing the same items: import the row again.',
  );
}

const unknownOutcome = (cause?: unknown): UnknownOutcomeError =>
  new UnknownOutcomeError('A row may have been written by an attempt without an answer.', {
    cause,
  });

interface ReadyLead {
  readonly deadline: AbortSignal;
  readonly imported: ImportedLead;
}

function leadOf(
  organizationId: number,
  { fields, stage, createdAt, updatedAt, archivedAt }: ReadRow,
  { id, owner }: { readonly id: number; readonly owner: number | undefined },
): Lead {
  return {
    id,
    organizationId,
    version: 1,
    fields: owner === undefined ? fields : { ...fields, assigned_to: owner },
    stageId: stage.id,
    pipelineId: stage.pipelineId,
    createdAt,
    updatedAt,
    ...(archivedAt !== undefined && { archivedAt }),
  };
}

/** DynamoDB charges a write by the kilobyte. */
const kilobytesOf = ({ fields, note }: ReadRow): number =>
  Math.ceil((Buffer.byteLength(JSON.stringify([fields, note])) + 400) / 1024);
