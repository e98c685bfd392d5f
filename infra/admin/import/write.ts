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
  type AllowedRow,
  alreadyImported,
  type DecidedRow,
  decide,
  identitiesOf,
  isAllowed,
  isWritten,
  kilobytesOf,
  refused,
  taken,
  type WrittenRow,
} from './decide.ts';
import type { ReadRow } from './rows.ts';
import { updateByRow } from './update.ts';

export interface WriteOptions {
  readonly organizationId: number;
  /** The organization as it is now: its settings may change during an import. */
  readonly organization: () => Promise<Organization>;
  /** Whether exported leads keep their IDs. */
  readonly keepIds: boolean;
  /** Whether nothing is written to the table. */
  readonly dryRun: boolean;
  readonly leadsPerSecond: number;
  /** Whether a row updates the lead that has its phone or email. @default such rows are refused */
  readonly updates?: boolean;
  /** Who runs the import, for the timelines. */
  readonly by: string;
  /** Leads whose undo or erasure is not complete yet. */
  readonly erasing: ReadonlySet<number>;
}

export interface ImportRequest extends WriteOptions {
  readonly rows: Iterable<ReadRow>;
  /** Called with the rows of each batch once they are written. */
  readonly onWritten: (rows: readonly WrittenRow[], counts: ImportCounts) => unknown;
}

export interface ImportCounts {
  rows: number;
  imported: number;
  /** With `updates`: rows that changed the lead with their phone or email. */
  updated?: number;
  /** Rows that were imported before. */
  alreadyThere: number;
  refused: number;
}

/** A row on its way into the table. */
type NumberedRow = AllowedRow & { readonly leadId: number };

/**
 * A row's write ends within 7.5 s of the read of its settings. An attempt has 6.5 s, beginning before it gets settings that are at most 1 s
 * old (`currentOrganization`). A late response only shortens the time for the write. An apply with removals waits longer
 * (apply-settings.ts). A row that refers to an inactive item needs no limit, because its transaction checks the settings.
 */
const writeTimeoutMs = 6500;
const attemptsMax = 5;

/** Creates leads from rows. A lead is written with a record of its row, so that a repeat never creates a second lead. */
export class LeadWriter {
  readonly #table: Table;
  readonly #options: WriteOptions;
  readonly #rateLimiter: RateLimiter;
  /** The first row in the file with each digest, phone, email, and updated lead. */
  readonly #rowOf = new Map<string, number>();

  constructor(table: Table, options: WriteOptions) {
    this.#table = table;
    this.#options = options;
    this.#rateLimiter = new RateLimiter(options.leadsPerSecond);
  }

  /** Creates leads from the rows that the table does not have in any form. */
  async write(rows: readonly ReadRow[]): Promise<WrittenRow[]> {
    const { organizationId, organization, dryRun } = this.#options;
    const rules = await organization();
    const written: WrittenRow[] = [];
    const decided = rows.map((row) => decide(rules, row));
    const unlike = decided.filter(({ digests: { digest }, ...row }) => {
      const same = this.#rowOf.get(digest);
      this.#rowOf.set(digest, same ?? row.number);
      const repeated = `The row has the same values as row ${same}.`;
      if (same !== undefined) written.push(refused(row, ...(row.start ? [repeated] : row.issues)));
      return same === undefined;
    });
    const lookUps = Array.from(partsOf(unlike, rowsPerLookUp), (part) =>
      findRows(this.#table, organizationId, part),
    );
    const found = (await allSettled(lookUps)).flat();
    const known = await allSettled(found.map((row) => this.#known(row)));
    const unknown = known.filter((row): row is AllowedRow => !isWritten(row));
    const writes = dryRun
      ? [unknown.map(imported)]
      : await allSettled(
          Array.from(partsOf(unknown, rowsPerLookUp), (part) => this.#writeUnknown(part)),
        );
    return [...written, ...known.filter(isWritten), ...writes.flat()];
  }

  /** @returns the row unchanged if it must be written. All rows are compared in file order before any update begins. */
  async #known(row: DecidedRow & RowMatches): Promise<WrittenRow | AllowedRow> {
    const [holder, other] = row.holders;
    if (holder && this.#options.updates) {
      const { leadId } = holder;
      if (!other || other.leadId === leadId)
        return this.#takenByRow(row, holder) ?? this.#update(row, leadId);
      const sentence = `The phone belongs to lead ${leadId}, and the email to lead ${other.leadId}: correct one of them.`;
      return refused(row, sentence);
    }
    if (row.importedRow) return alreadyImported(this.#options, row, row.importedRow);
    if (!isAllowed(row)) return refused(row, ...row.issues);
    if (holder) return taken(row, holder.field, `lead ${holder.leadId}`);
    return this.#takenByRow(row) ?? row;
  }

  /**
   * Refuses a row that has the phone or email of an earlier row, or updates the same lead, because a repeat would change that lead again.
   */
  #takenByRow(row: DecidedRow, updated?: IdentityHolder): WrittenRow | undefined {
    const names = identitiesOf(row.identity);
    if (updated) names.set(`lead ${updated.leadId}`, updated.field);
    for (const [name, field] of names) {
      const other = this.#rowOf.get(name);
      if (other !== undefined) return taken(row, field, `row ${other}`);
    }
    for (const name of names.keys()) this.#rowOf.set(name, row.number);
    return undefined;
  }

  async #update(row: ReadRow, leadId: number): Promise<WrittenRow> {
    const { organizationId, organization, by, dryRun } = this.#options;
    await this.#rateLimiter.take(1);
    const lead = { organizationId, leadId, by, dryRun };
    const updated = await updateByRow(this.#table, lead, row, organization);
    return updated ?? refused(row, `Lead ${leadId} was erased meanwhile.`);
  }

  /** Writes rows. If no response arrives in time, writes them again by the settings then in force. */
  async #writeUnknown(rows: readonly AllowedRow[]): Promise<WrittenRow[]> {
    await this.#rateLimiter.take(rows.reduce((sum, row) => sum + kilobytesOf(row), 0));
    let numbered = await this.#withIds(rows);
    const forbidden: WrittenRow[] = [];
    let isSent = false;
    for (let attempt = 1; ; attempt += 1) {
      const deadline = AbortSignal.timeout(writeTimeoutMs);
      const table = usableUntil(this.#table, deadline);
      const organization = await this.#options.organization();
      const read = numbered.map((row) =>
        row.organization === organization
          ? row
          : { ...decide(organization, row), leadId: row.leadId },
      );
      numbered = read.filter(isAllowed);
      // A repeated import finds the records of rows that were written.
      if (isSent && numbered.length < read.length) throw unknownOutcome();
      for (const row of read) if (!isAllowed(row)) forbidden.push(refused(row, ...row.issues));
      try {
        const leads = await this.#leadsOf(table, numbered);
        deadline.throwIfAborted();
        const wasSent = isSent;
        isSent = true;
        const results = await importLeads(this.#table, leads, deadline);
        const written = results.map(({ row, result }) => this.#resultOf(row, result, wasSent));
        return [...forbidden, ...written];
      } catch (error) {
        const mayRetry = deadline.aborted || error instanceof UnknownOutcomeError;
        if (!mayRetry || attempt === attemptsMax) throw error;
      }
    }
  }

  /** Assigns lead IDs to rows: the IDs in the file or, without them, the organization's next IDs. Up to two writes. */
  async #withIds(rows: readonly AllowedRow[]): Promise<NumberedRow[]> {
    const { organizationId, keepIds } = this.#options;
    const kept = ({ start }: AllowedRow) => (keepIds ? start.leadId : undefined);
    const highest = Math.max(...rows.map((row) => kept(row) ?? 0));
    if (highest > 0) await passLeadId(this.#table, organizationId, highest);
    const missing = rows.filter((row) => kept(row) === undefined).length;
    let next = missing > 0 ? await reserveLeadIds(this.#table, organizationId, missing) : 0;
    return rows.map((row) => ({ ...row, leadId: kept(row) ?? next++ }));
  }

  /** The leads to write, with their owners. One write for all leads of the same rotation. */
  async #leadsOf(
    table: Table,
    rows: readonly NumberedRow[],
  ): Promise<(ImportedLead & { readonly row: NumberedRow })[]> {
    const { organizationId, by, keepIds } = this.#options;
    const leads: (ImportedLead & { readonly row: NumberedRow })[] = [];
    for (const takers of Map.groupBy(rows, ({ start }) =>
      JSON.stringify(start.rotation),
    ).values()) {
      const rotation = takers[0]?.start.rotation;
      // Without a rotation, the row names the owner, or it is an exported lead without one.
      const owners = rotation && (await nextOwners(table, organizationId, rotation, takers.length));
      for (const [at, row] of takers.entries()) {
        const { lead, note, settingsVersion } = row.start;
        const owner = owners?.[at];
        const fields = owner === undefined ? lead.fields : { ...lead.fields, assigned_to: owner };
        const { leadId: id, digests } = row;
        const own = { note, by, digests, keepsId: keepIds, settingsVersion };
        leads.push({ row, lead: { ...lead, id, fields }, ...own });
      }
    }
    return leads;
  }

  /**
   * @param mayBeWritten whether an earlier attempt may have written the row
   * @throws UnknownOutcomeError if so, and if this attempt does not show it
   */
  #resultOf(row: NumberedRow, result: ImportLeadResult, mayBeWritten: boolean): WrittenRow {
    switch (result.outcome) {
      case 'created':
        return imported(row);
      case 'imported':
        return alreadyImported(this.#options, row, result.importedRow);
      case 'duplicate':
        return taken(row, result.what, `lead ${result.leadId}`);
      case 'erasing':
        return taken(row, 'lead id', 'a lead under erasure');
    }
    if (mayBeWritten) throw unknownOutcome();
    if (result.outcome === 'settingsChanged')
      return refused(
        row,
        'The settings were changed while the row was imported, and it has a value that is not active: import the row again.',
      );
    const sentence =
      result.outcome === 'throttled'
        ? 'DynamoDB throttled the write: import the row again, with a lower --rate.'
        : 'Other requests kept changing the same items: import the row again.';
    return refused(row, sentence);
  }
}

/**
 * Four simultaneous lookups. They suffice for the highest rate at 100 ms to DynamoDB, and are few enough for a slow engine to write all
 * rows before their deadline.
 */
const batchRowsMax = 4 * rowsPerLookUp;

/**
 * Creates leads from the rows of a file, batch by batch: reads the rows, decides by the rules, and writes them. Each row is written in one
 * transaction with a record of the row, so a repeat creates no second lead, even after a kill. After an error, no further batch starts, and
 * pending writes end before the error is thrown.
 */
export async function importRows(table: Table, request: ImportRequest): Promise<ImportCounts> {
  const counts: ImportCounts = { rows: 0, imported: 0, alreadyThere: 0, refused: 0 };
  if (request.updates) counts.updated = 0;
  const writer = new LeadWriter(table, request);
  for (const rows of batchesOf(request.rows, request.leadsPerSecond)) {
    const results = await writer.write(rows);
    counts.rows += results.length;
    for (const { outcome } of results) counts[outcome] = (counts[outcome] ?? 0) + 1;
    await request.onWritten(results, counts);
  }
  return counts;
}

/** Batches are small at a low rate, so that no row waits long between reading and writing. */
export function* batchesOf(
  rows: ImportRequest['rows'],
  leadsPerSecond: number,
): Generator<ReadRow[]> {
  const rowsMax = Math.max(1, Math.min(batchRowsMax, Math.floor(leadsPerSecond / 2)));
  let batch: ReadRow[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < rowsMax) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const imported = (row: ReadRow): WrittenRow => ({ ...row, outcome: 'imported', issues: [] });

const unknownOutcome = (): UnknownOutcomeError =>
  new UnknownOutcomeError('An earlier attempt got no response and may have written this row.');
