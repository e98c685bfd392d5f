import type { ImportRow, ReadRow } from '../../../shared/leads/transfer/import-row.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { allSettled } from '../../../shared/store/maintenance/all-settled.ts';
import { importedRows, rowsPerLookUp } from '../../../shared/store/maintenance/import-leads.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import type { ImportFile } from './file.ts';
import type { FileRow } from './file-row.ts';
import type { ImportReport, RefusedRow } from './report.ts';
import { type Draft, type RefusedDraft, RowReader } from './row-reader.ts';
import { RowWriter, readDifferently, type WriteOptions } from './row-writer.ts';

export interface ImportRequest extends WriteOptions {
  readonly file: ImportFile;
  readonly report: ImportReport | undefined;
  readonly onRefused: (refused: RefusedRow) => void;
  /** Called for each row that follows the rules, whether or not it becomes a lead. */
  readonly onRead: (organization: Organization, input: ImportRow, read: ReadRow) => void;
  readonly onProgress: (counts: ImportCounts) => void;
}

export interface ImportCounts {
  rows: number;
  imported: number;
  /** Rows that were imported before. */
  alreadyThere: number;
  refused: number;
}

/** Batches under way. With 4, a local engine was idle for 7 % of the time, with 8 for 2 %. */
const workers = 8;

/**
 * Makes leads of the rows of a file. Rows that share a phone or an email are written in the order of the file, other rows in parallel.
 * Each row is written whole or not at all, together with a record of the row: a repeat creates no second lead, even after a kill. After
 * an error no further row is begun, and what was begun has ended before the error is thrown.
 */
export async function importRows(table: Table, request: ImportRequest): Promise<ImportCounts> {
  const run = new ImportRun(table, request);
  const batches = run.batches();
  await allSettled(Array.from({ length: workers }, () => run.work(batches)));
  return run.counts;
}

/** Distributes the rows over workers, and reports the refused ones in the order of the file. */
class ImportRun {
  readonly counts: ImportCounts = { rows: 0, imported: 0, alreadyThere: 0, refused: 0 };
  readonly #table: Table;
  readonly #request: ImportRequest;
  readonly #reader: RowReader;
  readonly #writer: RowWriter;
  #isBroken = false;
  /** Settles when the refused rows of all earlier batches are in the report. */
  #reported: Promise<unknown> = Promise.resolve();

  constructor(table: Table, request: ImportRequest) {
    this.#table = table;
    this.#request = request;
    this.#reader = new RowReader(request.file);
    this.#writer = new RowWriter(table, request, this.#reader);
  }

  /** Batches are small at a low rate, so that no row waits long between its reading and its write. */
  async *batches(): AsyncGenerator<FileRow[]> {
    const rowsMax = Math.max(
      1,
      Math.min(rowsPerLookUp, Math.floor(this.#request.leadsPerSecond / (2 * workers))),
    );
    let batch: FileRow[] = [];
    for await (const row of this.#request.file.rows) {
      batch.push(row);
      if (batch.length < rowsMax) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  async work(batches: AsyncGenerator<FileRow[]>): Promise<void> {
    try {
      for (
        let next = await batches.next();
        !next.done && !this.#isBroken;
        next = await batches.next()
      ) {
        await this.#importBatch(next.value);
      }
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }

  async #importBatch(rows: readonly FileRow[]): Promise<void> {
    const before = this.#reported;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#reported = promise;
    try {
      const refused = await this.#refusedOf(rows);
      await before;
      await this.#request.report?.add(refused);
      for (const row of refused) this.#request.onRefused(row);
      this.counts.rows += rows.length;
      this.counts.refused += refused.length;
      this.#request.onProgress(this.counts);
    } finally {
      resolve();
    }
  }

  /** Makes leads of rows. @returns the refused rows */
  async #refusedOf(rows: readonly FileRow[]): Promise<readonly RefusedRow[]> {
    const organization = await this.#request.organization();
    const invalid: RefusedDraft[] = [];
    const drafts: Draft[] = [];
    const refused: RefusedRow[] = [];
    try {
      for (const row of rows) {
        const draft = this.#reader.draftOf(organization, row);
        if ('issues' in draft) invalid.push(draft);
        else {
          drafts.push(draft); // before anything that may fail: rows of the same person wait for it
          this.#request.onRead(organization, draft.input, draft.read);
        }
      }
      refused.push(...(await this.#notImportedBefore(organization.id, invalid)));
      const matches = drafts.length === 0 ? [] : await this.#writer.find(organization.id, drafts);
      await allSettled(
        drafts.map(async (draft, index) => {
          const result = await this.#writer
            .write(organization.id, draft, matches[index])
            .finally(draft.place.done);
          if (result.outcome === 'refused') refused.push({ row: draft.row, issues: result.issues });
          else this.counts[result.outcome] += 1;
        }),
      );
    } finally {
      for (const { place } of drafts) place.done();
    }
    return refused;
  }

  /** Counts the rows that an earlier run imported with the values read now, when the settings allowed them. @returns the others */
  async #notImportedBefore(
    organizationId: number,
    rows: readonly RefusedDraft[],
  ): Promise<RefusedDraft[]> {
    const digests = rows.flatMap((row) => row.digests?.digest ?? []);
    if (digests.length === 0) return [...rows];
    const found = await importedRows(this.#table, organizationId, digests);
    const importedByDigest = new Map(digests.map((digest, at) => [digest, found[at]]));
    return rows.flatMap((row) => {
      const imported = row.digests && importedByDigest.get(row.digests.digest);
      if (!imported) return [row];
      if (imported.readDigest !== row.digests?.readDigest)
        return [{ ...row, issues: [...row.issues, { sentence: readDifferently(imported) }] }];
      this.counts.alreadyThere += 1;
      return [];
    });
  }
}
