import { rowsPerLookUp } from '../../../shared/store/maintenance/import-leads.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import type { RowResult } from './drafts.ts';
import type { FileRow } from './rows.ts';
import { LeadWriter, type WriteOptions } from './write.ts';

export interface ImportRequest extends WriteOptions {
  readonly rows: Iterable<FileRow> | AsyncIterable<FileRow>;
  /** Called with the results of each batch, in the order of the file. */
  readonly onResults: (results: readonly RowResult[], counts: ImportCounts) => unknown;
}

export interface ImportCounts {
  rows: number;
  imported: number;
  /** With `updatedBy`: rows that changed the lead which has their phone or email. */
  updated?: number;
  /** Rows that were imported before. */
  alreadyThere: number;
  refused: number;
}

/**
 * Four lookups at once: enough for the highest rate at 100 ms to DynamoDB, and few enough that the writes of a slow engine end before
 * their deadline.
 */
const batchRowsMax = 4 * rowsPerLookUp;

/**
 * Makes leads of the rows of a file, batch by batch: reads the rows, drafts their leads by the rules, and writes them. Each row is written
 * whole or not at all, together with a record of the row: a repeat creates no second lead, even after a kill. After an error no further
 * batch is begun, and what was begun has ended before the error is thrown.
 */
export async function importRows(table: Table, request: ImportRequest): Promise<ImportCounts> {
  const counts: ImportCounts = { rows: 0, imported: 0, alreadyThere: 0, refused: 0 };
  if (request.updatedBy !== undefined) counts.updated = 0;
  const writer = new LeadWriter(table, request);
  for await (const rows of batchesOf(request.rows, request.leadsPerSecond)) {
    const results = await writer.write(rows);
    counts.rows += results.length;
    for (const { outcome } of results) counts[outcome] = (counts[outcome] ?? 0) + 1;
    await request.onResults(results, counts);
  }
  return counts;
}

/** Batches are small at a low rate, so that no row waits long between its reading and its write. */
export async function* batchesOf(
  rows: ImportRequest['rows'],
  leadsPerSecond: number,
): AsyncGenerator<FileRow[]> {
  const rowsMax = Math.max(1, Math.min(batchRowsMax, Math.floor(leadsPerSecond / 2)));
  let batch: FileRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < rowsMax) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
