import { rowsPerLookUp } from '../../../shared/store/maintenance/import-leads.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { type Draft, DraftReader, identitiesOf, isLeadDraft, type LeadDraft } from './drafts.ts';
import type { ImportFile } from './file.ts';
import type { FileRow } from './rows.ts';
import { LeadWriter, type RowResult, type WriteOptions } from './write.ts';

export interface ImportRequest extends WriteOptions {
  readonly file: Pick<ImportFile, 'rows' | 'headingOf'>;
  /** Called with the rows of a batch that follow the rules, whether or not they become leads. */
  readonly onDrafts: (drafts: readonly LeadDraft[]) => void;
  /** Called with what became of the rows of a batch, batch by batch in the order of the file. */
  readonly onResults: (results: readonly RowResult[], counts: ImportCounts) => unknown;
}

export interface ImportCounts {
  rows: number;
  imported: number;
  /** Rows that were imported before. */
  alreadyThere: number;
  refused: number;
}

/** Batches under way. With 4, a local engine was idle for 7 % of the time, with 8 for 2 %. */
const batchesMax = 8;

interface Batch {
  /** The phones and emails of its rows. */
  readonly people: ReadonlySet<string>;
  readonly results: Promise<readonly RowResult[]>;
}

/**
 * Makes leads of the rows of a file: reads a batch of rows, drafts its leads by the rules, and writes them while it reads further ones.
 * Rows that share a phone or an email are written in the order of the file, other rows in parallel. Each row is written whole or not at
 * all, together with a record of the row: a repeat creates no second lead, even after a kill. After an error no further row is begun, and
 * what was begun has ended before the error is thrown.
 */
export async function importRows(table: Table, request: ImportRequest): Promise<ImportCounts> {
  const run = new ImportRun(table, request);
  try {
    for await (const rows of batchesOf(request)) await run.begin(rows);
    await run.end();
    return run.counts;
  } catch (error) {
    await run.stop(error);
    throw error;
  }
}

/** Batches are small at a low rate, so that no row waits long between its reading and its write. */
async function* batchesOf({ file, leadsPerSecond }: ImportRequest): AsyncGenerator<FileRow[]> {
  const rowsAtRate = Math.floor(leadsPerSecond / (2 * batchesMax));
  const rowsMax = Math.max(1, Math.min(rowsPerLookUp, rowsAtRate));
  let batch: FileRow[] = [];
  for await (const row of file.rows) {
    batch.push(row);
    if (batch.length < rowsMax) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

class ImportRun {
  readonly counts: ImportCounts = { rows: 0, imported: 0, alreadyThere: 0, refused: 0 };
  readonly #request: ImportRequest;
  readonly #reader: DraftReader;
  readonly #writer: LeadWriter;
  /** In the order of the file. */
  readonly #batches: Batch[] = [];
  readonly #stop = new AbortController();

  constructor(table: Table, request: ImportRequest) {
    this.#request = request;
    this.#reader = new DraftReader(request.file);
    this.#writer = new LeadWriter(table, request, this.#reader, this.#stop.signal);
  }

  /** Drafts the leads of rows, and begins to write them. Waits while too many batches are under way. */
  async begin(rows: readonly FileRow[]): Promise<void> {
    this.#stop.signal.throwIfAborted();
    const organization = await this.#request.organization();
    const refused: RowResult[] = [];
    const drafts: Draft[] = [];
    for (const row of rows) {
      const draft = this.#reader.draftOf(organization, row);
      if ('digests' in draft) drafts.push(draft);
      else refused.push({ ...draft, outcome: 'refused' });
    }
    this.#request.onDrafts(drafts.filter(isLeadDraft));
    const people = new Set(drafts.flatMap(identitiesOf));
    const earlier = this.#batches.filter((batch) =>
      [...people].some((one) => batch.people.has(one)),
    );
    const results = Promise.all(earlier.map((batch) => batch.results))
      .then(() => this.#writer.write(drafts))
      .then((written) => [...refused, ...written]);
    results.catch((error: unknown) => this.#stop.abort(error));
    this.#batches.push({ people, results });
    if (this.#batches.length === batchesMax) await this.#endFirst();
  }

  async end(): Promise<void> {
    while (this.#batches.length > 0) await this.#endFirst();
  }

  /** Begins no further row, and waits for those that were begun. */
  async stop(error: unknown): Promise<void> {
    this.#stop.abort(error);
    await Promise.allSettled(this.#batches.map(({ results }) => results));
  }

  async #endFirst(): Promise<void> {
    const results = (await this.#batches[0]?.results) ?? [];
    this.#batches.shift();
    this.counts.rows += results.length;
    for (const { outcome } of results) this.counts[outcome] += 1;
    await this.#request.onResults(results, this.counts);
  }
}
