import type { Organization } from '../../../shared/organization/organization.ts';
import { rowsPerLookUp } from '../../../shared/store/maintenance/import-leads.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import {
  type Draft,
  draftOf,
  identitiesOf,
  isLeadDraft,
  type RowResult,
  refused,
} from './drafts.ts';
import type { FileRow } from './rows.ts';
import { LeadWriter, type WriteOptions } from './write.ts';

export interface ImportRequest extends WriteOptions {
  readonly rows: AsyncIterable<FileRow>;
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
 * all, together with a record of the row: a repeat creates no second lead, even after a kill. After an error no further batch is begun, and
 * what was begun has ended before the error is thrown.
 */
export async function importRows(table: Table, request: ImportRequest): Promise<ImportCounts> {
  const counts: ImportCounts = { rows: 0, imported: 0, alreadyThere: 0, refused: 0 };
  const writer = new LeadWriter(table, request);
  const draftsOf = rowReader(request);
  const batches: Batch[] = [];
  let hasFailed = false;
  const endFirst = async (): Promise<void> => {
    const results = (await batches[0]?.results) ?? [];
    batches.shift();
    counts.rows += results.length;
    for (const { outcome } of results) counts[outcome] += 1;
    await request.onResults(results, counts);
  };
  try {
    for await (const rows of batchesOf(request)) {
      if (hasFailed) break;
      const { drafts, results: unusable } = draftsOf(await request.organization(), rows);
      const people = new Set(drafts.flatMap(identitiesOf));
      const earlier = batches.filter((batch) => [...people].some((one) => batch.people.has(one)));
      const results = Promise.all(earlier.map((batch) => batch.results))
        .then(() => writer.write(drafts))
        .then((written) => [...unusable, ...written]);
      results.catch(() => {
        hasFailed = true;
      });
      batches.push({ people, results });
      if (batches.length === batchesMax) await endFirst();
    }
    while (batches.length > 0) await endFirst();
    return counts;
  } finally {
    await Promise.allSettled(batches.map(({ results }) => results));
  }
}

/** Batches are small at a low rate, so that no row waits long between its reading and its write. */
async function* batchesOf({ rows, leadsPerSecond }: ImportRequest): AsyncGenerator<FileRow[]> {
  const rowsAtRate = Math.floor(leadsPerSecond / (2 * batchesMax));
  const rowsMax = Math.max(1, Math.min(rowsPerLookUp, rowsAtRate));
  let batch: FileRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < rowsMax) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Drafts leads of rows. Nothing can make a row a lead that cannot be read, or that repeats an earlier row of the file: it has its result. */
function rowReader({ headingOf }: ImportRequest) {
  const rowOfDigest = new Map<string, number>();
  return (organization: Organization, rows: readonly FileRow[]) => {
    const drafts: Draft[] = [];
    const results: RowResult[] = [];
    for (const row of rows) {
      if (typeof row.read === 'string') {
        results.push(refused({ row }, row.read));
        continue;
      }
      const draft = draftOf(organization, headingOf, row, row.read);
      const { digest } = draft.digests;
      const same = rowOfDigest.get(digest);
      const repeated = `The row has the same values as row ${same}.`;
      if (same === undefined) drafts.push(draft);
      else results.push(refused({ row }, ...(isLeadDraft(draft) ? [repeated] : draft.issues)));
      rowOfDigest.set(digest, same ?? row.number);
    }
    return { drafts, results };
  };
}
