import { partsOf } from '../../../shared/base/batches.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import type { IdentityHolder } from '../../../shared/store/leads/identities.ts';
import { nextOwners } from '../../../shared/store/leads/rotation.ts';
import { type Table, usableUntil } from '../../../shared/store/table/client.ts';
import { allSettled, RateLimiter } from '../../../shared/store/table/pacing.ts';
import { UnknownOutcomeError } from '../../../shared/store/table/transact.ts';
import {
  findRows,
  type ImportedLead,
  type ImportLeadResult,
  importLeads,
  passLeadId,
  type RowMatches,
  reserveLeadIds,
  rowsPerLookUp,
} from '../../../shared/store/transfer/import-leads.ts';
import {
  alreadyImported,
  type Draft,
  draftOf,
  identitiesOf,
  imported,
  isLeadDraft,
  kilobytesOf,
  type LeadDraft,
  type RowResult,
  refused,
  taken,
} from './drafts.ts';
import type { FileRow } from './rows.ts';
import { updateByRow } from './update.ts';

export interface WriteOptions {
  readonly organizationId: number;
  /** The organization as it is now: its settings may change during an import. */
  readonly organization: () => Promise<Organization>;
  /** Exported leads keep their IDs. */
  readonly keepIds: boolean;
  /** Nothing is written to the table. */
  readonly dryRun: boolean;
  readonly leadsPerSecond: number;
  /** Whether a row updates the lead that has its phone or email. @default such rows are refused */
  readonly updates?: boolean;
  /** Who imports, for the timelines. */
  readonly by: string;
  /** Leads whose undo or erasure is not complete. */
  readonly erasing: ReadonlySet<number>;
}

export interface ImportRequest extends WriteOptions {
  readonly rows: Iterable<FileRow>;
  /** Called with the results of each batch, in the order of the file. */
  readonly onResults: (results: readonly RowResult[], counts: ImportCounts) => unknown;
}

export interface ImportCounts {
  rows: number;
  imported: number;
  /** With `updates`: rows that changed the lead which has their phone or email. */
  updated?: number;
  /** Rows that were imported before. */
  alreadyThere: number;
  refused: number;
}

/** A draft on its way into the table. */
type Write = LeadDraft & { readonly leadId: number };

/**
 * A row's write ends within 7.5 s of when its settings were read. An attempt has 6.5 s, which begin before it asks for settings that are at
 * most 1 s old (`CommandContext.organization`): a late response only shortens the time for the write. An apply that removes something
 * waits longer (apply-settings.ts). A row that refers to an inactive item needs no limit, because its transaction checks the settings.
 */
const writeTimeoutMs = 6500;
const attemptsMax = 5;

/** Creates leads from rows. A lead is written with a record of its row, so that a repeat never creates a second lead. */
export class LeadWriter {
  readonly #table: Table;
  readonly #options: WriteOptions;
  readonly #rateLimiter: RateLimiter;
  /** The first row of the file with a digest, a phone, an email, or a lead that it updates. */
  readonly #rowOf = new Map<string, number>();

  constructor(table: Table, options: WriteOptions) {
    this.#table = table;
    this.#options = options;
    this.#rateLimiter = new RateLimiter(options.leadsPerSecond);
  }

  /** Creates leads from the rows that the table does not have yet, in any form. */
  async write(rows: readonly FileRow[]): Promise<RowResult[]> {
    const { organizationId, organization, dryRun } = this.#options;
    const rules = await organization();
    const results: RowResult[] = [];
    const drafts: Draft[] = [];
    for (const draft of rows.map((row) => draftOf(rules, row))) {
      const { row, digests, start, issues } = draft;
      const same = this.#rowOf.get(digests.digest);
      const repeated = `The row has the same values as row ${same}.`;
      if (same === undefined) drafts.push(draft);
      else results.push(refused(row, ...(start ? [repeated] : issues)));
      this.#rowOf.set(digests.digest, same ?? row.number);
    }
    const lookUps = Array.from(partsOf(drafts, rowsPerLookUp), (part) =>
      findRows(this.#table, organizationId, part),
    );
    const matches = (await allSettled(lookUps)).flat();
    const known = await allSettled(drafts.map((draft, at) => this.#known(draft, matches[at])));
    results.push(...known.filter((result) => result !== undefined));
    const unknown = drafts.filter((_, at) => !known[at]).filter(isLeadDraft);
    if (dryRun) return [...results, ...unknown.map(imported)];
    const writes = Array.from(partsOf(unknown, rowsPerLookUp), (part) => this.#writeUnknown(part));
    return [...results, ...(await allSettled(writes)).flat()];
  }

  /** Undefined for a draft that is to be written. All drafts are compared in the order of the file, before an update begins. */
  async #known(
    draft: Draft,
    { importedRow, holders: [holder, other] = [] }: Partial<RowMatches> = {},
  ): Promise<RowResult | undefined> {
    const { row } = draft;
    if (holder && this.#options.updates) {
      const { leadId } = holder;
      if (!other || other.leadId === leadId)
        return this.#takenByRow(draft, holder) ?? this.#update(row, leadId);
      const sentence = `The phone belongs to lead ${leadId}, and the email to lead ${other.leadId}: correct one of them.`;
      return refused(row, sentence);
    }
    if (importedRow) return alreadyImported(this.#options, draft, importedRow);
    if (!isLeadDraft(draft)) return refused(row, ...draft.issues);
    if (holder) return taken(row, holder.field, `lead ${holder.leadId}`);
    return this.#takenByRow(draft);
  }

  /** Refuses a draft that has the phone or email of an earlier row, or updates the same lead: a repeat would change that lead again. */
  #takenByRow({ row, identity }: Draft, updated?: IdentityHolder): RowResult | undefined {
    const names = identitiesOf(identity);
    if (updated) names.set(`lead ${updated.leadId}`, updated.field);
    for (const [name, field] of names) {
      const other = this.#rowOf.get(name);
      if (other !== undefined) return taken(row, field, `row ${other}`);
    }
    for (const name of names.keys()) this.#rowOf.set(name, row.number);
    return undefined;
  }

  async #update(row: FileRow, leadId: number): Promise<RowResult> {
    const { organizationId, organization, by, dryRun } = this.#options;
    await this.#rateLimiter.take(1);
    const lead = { organizationId, leadId, by, dryRun };
    const updated = await updateByRow(this.#table, lead, row, organization);
    return updated ?? refused(row, `Lead ${leadId} was erased meanwhile.`);
  }

  /** Writes drafts. If no answer comes in time, writes them again, by the settings in force then. */
  async #writeUnknown(drafts: readonly LeadDraft[]): Promise<RowResult[]> {
    await this.#rateLimiter.take(drafts.reduce((sum, draft) => sum + kilobytesOf(draft), 0));
    let writes = await this.#withIds(drafts);
    const forbidden: RowResult[] = [];
    let isSent = false;
    for (let attempt = 1; ; attempt += 1) {
      const deadline = AbortSignal.timeout(writeTimeoutMs);
      const table = usableUntil(this.#table, deadline);
      const read = await this.#readAgain(writes);
      writes = read.filter(isLeadDraft);
      // A repeat of the import finds the record of a row that is written.
      if (isSent && writes.length < read.length) throw unknownOutcome();
      for (const { row, start, issues } of read)
        if (!start) forbidden.push(refused(row, ...issues));
      try {
        const leads = await this.#leadsOf(table, writes);
        deadline.throwIfAborted();
        const wasSent = isSent;
        isSent = true;
        const results = await importLeads(this.#table, leads, deadline);
        const written = writes.map((write, at) => this.#resultOf(write, results[at], wasSent));
        return [...forbidden, ...written];
      } catch (error) {
        const mayRetry = deadline.aborted || error instanceof UnknownOutcomeError;
        if (!mayRetry || attempt === attemptsMax) throw error;
      }
    }
  }

  /** Gives drafts their lead IDs: those of the file, else the next ones of the organization. Up to two writes. */
  async #withIds(drafts: readonly LeadDraft[]): Promise<Write[]> {
    const { organizationId, keepIds } = this.#options;
    const kept = drafts.map(({ start }) => (keepIds ? start.leadId : undefined));
    const highest = Math.max(...kept.map((id) => id ?? 0));
    if (highest > 0) await passLeadId(this.#table, organizationId, highest);
    const missing = kept.filter((id) => id === undefined).length;
    let next = missing > 0 ? await reserveLeadIds(this.#table, organizationId, missing) : 0;
    return drafts.map((draft, at) => ({ ...draft, leadId: kept[at] ?? next++ }));
  }

  /** Reads rows by the settings of now, if they have changed. */
  async #readAgain(writes: readonly Write[]): Promise<(Draft & Pick<Write, 'leadId'>)[]> {
    const organization = await this.#options.organization();
    return writes.map((write) =>
      write.organization === organization
        ? write
        : { ...draftOf(organization, write.row), leadId: write.leadId },
    );
  }

  /** The leads to write, each with its owner: one write for all that take turns in the same rotation. */
  async #leadsOf(table: Table, writes: readonly Write[]): Promise<ImportedLead[]> {
    const { organizationId, by, keepIds } = this.#options;
    const owners = new Map<Write, number | undefined>();
    const rotations = Map.groupBy(writes, ({ start }) => JSON.stringify(start.rotation));
    for (const takers of rotations.values()) {
      const rotation = takers[0]?.start.rotation;
      if (!rotation) continue; // The row names the owner, or an exported lead has none.
      const next = await nextOwners(table, organizationId, rotation, takers.length);
      for (const [at, write] of takers.entries()) owners.set(write, next[at]);
    }
    return writes.map((write) => {
      const { leadId: id, digests } = write;
      const { lead, note, settingsVersion } = write.start;
      const owner = owners.get(write);
      const fields = owner === undefined ? lead.fields : { ...lead.fields, assigned_to: owner };
      const own = { note, by, digests, keepsId: keepIds, settingsVersion };
      return { lead: { ...lead, id, fields }, ...own };
    });
  }

  /** @param mayBeWritten by an attempt before. @throws UnknownOutcomeError if it may be, and this attempt does not show it */
  #resultOf(
    draft: LeadDraft,
    result: ImportLeadResult | undefined,
    mayBeWritten: boolean,
  ): RowResult {
    switch (result?.outcome) {
      case 'created':
        return imported(draft);
      case 'imported':
        return alreadyImported(this.#options, draft, result.importedRow);
      case 'duplicate':
        return taken(draft.row, result.what, `lead ${result.leadId}`);
      case 'erasing':
        return taken(draft.row, 'lead id', 'a lead under erasure');
    }
    if (mayBeWritten) throw unknownOutcome();
    if (result?.outcome === 'settingsChanged')
      return refused(
        draft.row,
        'The settings were changed while the row was imported, and it has a value that is not active: import the row again.',
      );
    const sentence =
      result?.outcome === 'throttled'
        ? 'DynamoDB throttled the write: import the row again, with a lower --rate.'
        : 'Other requests kept changing the same items: import the row again.';
    return refused(draft.row, sentence);
  }
}

/**
 * Four lookups at once: enough for the highest rate at 100 ms to DynamoDB, and few enough that the writes of a slow engine end before
 * their deadline.
 */
const batchRowsMax = 4 * rowsPerLookUp;

/**
 * Creates leads from the rows of a file, batch by batch: reads the rows, drafts their leads by the rules, and writes them. Each row is written
 * whole or not at all, together with a record of the row: a repeat creates no second lead, even after a kill. After an error no further
 * batch is begun, and what was begun has ended before the error is thrown.
 */
export async function importRows(table: Table, request: ImportRequest): Promise<ImportCounts> {
  const counts: ImportCounts = { rows: 0, imported: 0, alreadyThere: 0, refused: 0 };
  if (request.updates) counts.updated = 0;
  const writer = new LeadWriter(table, request);
  for (const rows of batchesOf(request.rows, request.leadsPerSecond)) {
    const results = await writer.write(rows);
    counts.rows += results.length;
    for (const { outcome } of results) counts[outcome] = (counts[outcome] ?? 0) + 1;
    await request.onResults(results, counts);
  }
  return counts;
}

/** Batches are small at a low rate, so that no row waits long between its reading and its write. */
export function* batchesOf(
  rows: ImportRequest['rows'],
  leadsPerSecond: number,
): Generator<FileRow[]> {
  const rowsMax = Math.max(1, Math.min(batchRowsMax, Math.floor(leadsPerSecond / 2)));
  let batch: FileRow[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < rowsMax) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const unknownOutcome = (): UnknownOutcomeError =>
  new UnknownOutcomeError('An earlier attempt got no response and may have written this row.');
