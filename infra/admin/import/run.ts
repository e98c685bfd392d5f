import { ApiError } from '../../../shared/errors.ts';
import { type FieldValues, type Lead, ownerIdOf } from '../../../shared/leads/lead.ts';
import { type ImportRow, type ReadRow, readImportRow } from '../../../shared/leads/transfer/import-row.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { nextOwner } from '../../../shared/store/leads/rotation.ts';
import {
  findRows,
  importLead,
  lookupOf,
  passLeadId,
  type RowMatches,
  rowsPerLookUp,
} from '../../../shared/store/maintenance/import-leads.ts';
import { type Table, usableUntil } from '../../../shared/store/table/client.ts';
import { ContentionError } from '../../../shared/store/table/retry.ts';
import { ThrottledError } from '../../../shared/store/table/transact.ts';
import { RateLimiter } from '../rate-limiter.ts';
import type { FileRow, ImportFile } from './file.ts';
import { ImportedIds } from './lead-ids.ts';
import type { ImportReport, RefusedRow } from './report.ts';
import { identityNames, rowDigest } from './row-digest.ts';

export interface ImportRequest {
  readonly file: ImportFile;
  readonly report: ImportReport | undefined;
  /** The organization as it is now: its settings may change while an import runs. */
  readonly organization: () => Promise<Organization>;
  /** Exported leads keep their ids. */
  readonly keepIds: boolean;
  /** Nothing is written to the table. */
  readonly dryRun: boolean;
  readonly leadsPerSecond: number;
  readonly onProgress: (counts: ImportCounts) => void;
}

export interface ImportCounts {
  rows: number;
  imported: number;
  /** Rows that were imported before. */
  alreadyThere: number;
  refused: number;
}

const workers = 4;
/**
 * A row's write ends within 10.5 s of the reading of the settings it is made by: they are at most 1 s old when the row is read
 * (lead-import.ts), 3 s may pass until the write begins, and it is broken off after 6.5 s. An apply that drops something waits longer
 * (apply-settings.ts).
 */
const settingsLastMs = 3000;
const writeWithinMs = 6500;
const writesMax = 5;

/** A row that the rules have taken. */
interface Draft {
  readonly row: FileRow;
  readonly says: ImportRow;
  readonly digest: string;
  read: ReadRow;
  readAt: number;
  /** Once it is to be written. */
  leadId?: number;
  /** Ends when the rows before this one with the same phone or e-mail are done; undefined when there are none. */
  readonly before: Promise<unknown> | undefined;
  readonly done: () => void;
}

/**
 * Makes leads of a file's rows: in the file's order where rows share a phone or an e-mail, else several at once. Every row is written
 * whole or not at all and remembered with its lead, so a repeat, after a kill too, makes no second lead.
 */
export async function importRows(table: Table, order: ImportRequest): Promise<ImportCounts> {
  const run = new ImportRun(table, order);
  const batches = run.batches();
  await Promise.all(Array.from({ length: workers }, () => run.work(batches)));
  return run.counts;
}

class ImportRun {
  readonly counts: ImportCounts = { rows: 0, imported: 0, alreadyThere: 0, refused: 0 };
  readonly #table: Table;
  readonly #order: ImportRequest;
  readonly #pace: RateLimiter;
  readonly #rowOfDigest = new Map<string, number>();
  readonly #underWay = new Map<string, Promise<unknown>>();
  readonly #takenInDryRun = new Map<string, number>();
  #ids: ImportedIds | undefined;
  #isBroken = false;
  /** When the report has the refused rows of all batches begun so far. */
  #reported: Promise<unknown> = Promise.resolve();

  constructor(table: Table, order: ImportRequest) {
    this.#table = table;
    this.#order = order;
    this.#pace = new RateLimiter(order.leadsPerSecond);
  }

  /** Small where the pace is slow, so that no row of a batch waits long after it was read. */
  get #batchRows(): number {
    return Math.max(1, Math.min(rowsPerLookUp, Math.floor(this.#order.leadsPerSecond / 8)));
  }

  async *batches(): AsyncGenerator<FileRow[]> {
    let batch: FileRow[] = [];
    for await (const row of this.#order.file.rows) {
      batch.push(row);
      if (batch.length < this.#batchRows) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  async work(batches: AsyncGenerator<FileRow[]>): Promise<void> {
    try {
      for (let next = await batches.next(); !next.done && !this.#isBroken; next = await batches.next()) {
        await this.#doBatch(next.value);
      }
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }

  /** Batches run side by side; their refused rows are reported in the file's order. */
  async #doBatch(rows: readonly FileRow[]): Promise<void> {
    const before = this.#reported;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#reported = promise;
    try {
      const refused = await this.#refusedOf(rows);
      await before;
      await this.#order.report?.add(refused);
      this.counts.rows += rows.length;
      this.counts.refused += refused.length;
      this.#order.onProgress(this.counts);
    } finally {
      resolve();
    }
  }

  /** Makes leads of rows. @returns those that are refused */
  async #refusedOf(rows: readonly FileRow[]): Promise<readonly RefusedRow[]> {
    const organization = await this.#order.organization();
    const refused: RefusedRow[] = [];
    const drafts = rows.flatMap((row) => {
      const draft = this.#draft(organization, row);
      if (typeof draft !== 'string') return [draft];
      refused.push({ row, reason: draft });
      return [];
    });
    try {
      const found = drafts.length === 0 ? [] : await this.#find(organization.id, drafts);
      await Promise.all(
        drafts.map(async (draft, index) => {
          const reason = await this.#settle(organization.id, draft, found[index]).finally(draft.done);
          if (reason !== undefined) refused.push({ row: draft.row, reason });
        }),
      );
    } finally {
      for (const { done } of drafts) done();
    }
    return refused;
  }

  /** The row by the rules, in its place behind those it shares a phone or an e-mail with; a sentence when it is refused. */
  #draft(organization: Organization, row: FileRow): Draft | string {
    const says = row.read;
    if (typeof says === 'string') return says;
    const read = this.#readOrRefuse(organization, says);
    if (typeof read === 'string') return read;
    const digest = rowDigest(says);
    const same = this.#rowOfDigest.get(digest);
    if (same !== undefined) return `The row says the same as row ${same}.`;
    this.#rowOfDigest.set(digest, row.number);

    const { promise, resolve } = Promise.withResolvers<void>();
    const names = identityNames(read.fields);
    const others = names.flatMap((name) => this.#underWay.get(name) ?? []);
    for (const name of names) this.#underWay.set(name, promise);
    const done = (): void => {
      for (const name of names) if (this.#underWay.get(name) === promise) this.#underWay.delete(name);
      resolve();
    };
    return { row, says, digest, read, readAt: Date.now(), before: others.length > 0 ? Promise.all(others) : undefined, done };
  }

  #find(organizationId: number, drafts: readonly Draft[]): Promise<RowMatches[]> {
    return findRows(
      this.#table,
      organizationId,
      drafts.map(({ digest, read }) => lookupOf(digest, read)),
    );
  }

  /** Makes the lead of a row. @returns a sentence when it is refused */
  async #settle(organizationId: number, draft: Draft, hint: RowMatches | undefined): Promise<string | undefined> {
    if (draft.before) await draft.before;
    const found = draft.before ? (await this.#find(organizationId, [draft]))[0] : hint;
    if (found?.importedLeadId !== undefined) return this.#count('alreadyThere');
    if (found?.phoneLeadId !== undefined) return this.#taken('phone', found.phoneLeadId);
    if (found?.emailLeadId !== undefined) return this.#taken('email', found.emailLeadId);
    if (this.#order.dryRun) return this.#takeInDryRun(draft);

    await this.#pace.take(kilobytesOf(draft.read.fields));
    for (let writes = 1; ; writes += 1) {
      if (writes > 1 || Date.now() - draft.readAt > settingsLastMs) {
        const read = this.#readOrRefuse(await this.#order.organization(), draft.says);
        if (typeof read === 'string') return read;
        draft.read = read;
      }
      const tooLate = AbortSignal.timeout(writeWithinMs);
      try {
        return await this.#write(usableUntil(this.#table, tooLate), organizationId, draft);
      } catch (error) {
        // Whether it was written is not known: the item that remembers the row tells the next write.
        if (!tooLate.aborted || writes === writesMax) throw error;
      }
    }
  }

  async #write(table: Table, organizationId: number, draft: Draft): Promise<string | undefined> {
    const { read, digest } = draft;
    draft.leadId ??= await this.#idFor(organizationId, read);
    const { fields, stage, rotation, createdAt, updatedAt, archivedAt } = read;
    const owner = ownerIdOf({ fields }) ?? (rotation && (await nextOwner(table, organizationId, rotation)));
    const lead: Lead = {
      id: draft.leadId,
      organizationId,
      version: 1,
      fields: owner === undefined ? fields : { ...fields, assigned_to: owner },
      stageId: stage.id,
      pipelineId: stage.pipelineId,
      createdAt,
      updatedAt,
      ...(archivedAt !== undefined && { archivedAt }),
    };
    const importedAt = new Date().toISOString();
    const opening = { type: 'lead_created', at: createdAt, actorId: null, via: 'import', importedAt } as const;
    try {
      const result = await importLead(table, lead, opening, digest);
      if (result.outcome === 'duplicate') return this.#taken(result.what, result.leadId);
      const isNew = result.outcome === 'created' || result.leadId === lead.id;
      return this.#count(isNew ? 'imported' : 'alreadyThere');
    } catch (error) {
      if (error instanceof ThrottledError) return 'DynamoDB had no capacity left: import the row again, with a slower --rate.';
      if (!(error instanceof ContentionError)) throw error;
      return 'Other requests kept changing the same items: import the row again.';
    }
  }

  async #idFor(organizationId: number, { leadId }: ReadRow): Promise<number> {
    this.#ids ??= new ImportedIds(this.#table, organizationId);
    if (!this.#order.keepIds || leadId === undefined) return this.#ids.next();
    await passLeadId(this.#table, organizationId, leadId);
    return leadId;
  }

  #readOrRefuse(organization: Organization, says: ImportRow): ReadRow | string {
    try {
      return readImportRow(organization, says, new Date().toISOString());
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const issues = Object.entries((error.details?.fields ?? {}) as Readonly<Record<string, string>>);
      return issues.length === 0 ? error.message : issues.map(([name, sentence]) => `${this.#named(name)} ${sentence}`).join(' ');
    }
  }

  #taken(name: string, leadId: number): string {
    return `${this.#named(name)} is that of lead ${leadId}: no two leads may have the same.`;
  }

  /** A field or property as the rules name it, with the file's own heading where that is another. */
  #named(name: string): string {
    const heading = this.#order.file.headingOf.get(name);
    return heading === undefined ? name : `${name} (column ${JSON.stringify(heading)})`;
  }

  #count(what: 'imported' | 'alreadyThere'): undefined {
    this.counts[what] += 1;
  }

  /** What a real run would find in the table, if the rows before had been written. */
  #takeInDryRun({ row, read: { fields } }: Draft): string | undefined {
    const names = identityNames(fields);
    for (const name of names) {
      const other = this.#takenInDryRun.get(name);
      if (other !== undefined)
        return `${this.#named(name.split(' ')[0] ?? '')} is that of row ${other}: no two leads may have the same.`;
    }
    for (const name of names) this.#takenInDryRun.set(name, row.number);
    return this.#count('imported');
  }
}

/** A write of a lead costs by the kilobyte. */
const kilobytesOf = (fields: FieldValues): number => Math.ceil((Buffer.byteLength(JSON.stringify(fields)) + 400) / 1024);
