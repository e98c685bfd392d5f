import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { archiveLead, type Choice, type Counts, eraseLead, noCounts, sumOf } from './leads.ts';
import {
  batchSize,
  isSame,
  jsonText,
  type NewRow,
  placesOf,
  readState,
  rowsById,
  type SqlDatabase,
  transaction,
  upsert,
  writeState,
} from './sql-database.ts';

/** A line of `lead timelines`. */
interface Line {
  readonly leadId: number;
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly actor?: { readonly userId: number | null };
  readonly importedAt?: string;
  /** When an erased person was last removed from the item. */
  readonly cleanedAt?: string;
}

/** How far a file has been read, and a digest of what stands before: another file with the same name begins at its start. */
interface Mark {
  readonly offset: number;
  readonly digest: string;
}

const chunkBytes = 1 << 20;
const markBytes = 1024;

/** Reads the lines that no earlier run has read. Each megabyte and the place it ends at are one transaction. */
export async function syncTimelines(
  database: SqlDatabase,
  path: string,
  choice: Choice,
): Promise<Counts> {
  const file = await openFile(path);
  try {
    const mark = JSON.parse((await readState(database, 'timelines')) ?? 'null') as Mark | null;
    const isContinued = mark && (await digestBefore(file, mark.offset)) === mark.digest;
    const offset = isContinued ? mark.offset : 0;
    return await storeFile({ database, file, path, choice }, offset, randomUUID());
  } finally {
    await file.close();
  }
}

const openFile = (path: string): Promise<FileHandle> =>
  open(path).catch((cause) => {
    throw new Error(`${path} cannot be read: run lead timelines --out ${path} first.`, { cause });
  });

/**
 * Reads the whole file, and removes stored items that it lacks, from the time of its first item to that of its last. The file must have
 * been written after the last one that was read.
 */
export async function compareTimelines(
  database: SqlDatabase,
  path: string,
  choice: Choice,
): Promise<Counts> {
  const file = await openFile(path);
  try {
    const run = randomUUID();
    const stored = await storeFile({ database, file, path, choice }, 0, run);
    const surplus = await database.query(
      `DELETE FROM timeline_items WHERE read_by <> ?
       AND stored_at >= (SELECT min(stored_at) FROM timeline_items WHERE read_by = ?)
       AND stored_at <= (SELECT max(stored_at) FROM timeline_items WHERE read_by = ?) RETURNING id`,
      [run, run, run],
    );
    return { ...stored, removed: surplus.length };
  } finally {
    await file.close();
  }
}

interface Source {
  readonly database: SqlDatabase;
  readonly file: FileHandle;
  readonly path: string;
  readonly choice: Choice;
}

async function storeFile(source: Source, from: number, run: string): Promise<Counts> {
  const { database, file, path, choice } = source;
  let counts = noCounts;
  let offset = from;
  for (let size = chunkBytes; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, offset);
    const end = buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1;
    if (end === 0) {
      if (bytesRead < size) return counts; // a last line without its end is still being written
      size *= 2;
      continue;
    }
    const texts = buffer.subarray(0, end).toString().trimEnd().split('\n');
    const lines = texts.map((text) => parseLine(text, path));
    const next = offset + end;
    const digest = await digestBefore(file, next);
    await transaction(database, async () => {
      for (let at = 0; at < lines.length; at += batchSize)
        counts = sumOf(counts, await storeLines(source, lines.slice(at, at + batchSize), run));
      await writeState(database, 'timelines', JSON.stringify({ offset: next, digest }));
    });
    offset = next;
    choice.progress?.(`${offset >> 20} MB of ${path} read`);
  }
}

function parseLine(text: string, path: string): Line {
  try {
    const line = JSON.parse(text) as Partial<Line>;
    if (line.leadId && line.id && line.type && line.at) return line as Line;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Error(`${path} is not a file of lead timelines: it has a line that is not an item.`);
}

/**
 * An erasure removes what was stored before it, and an item from which an erased person was removed replaces what it was before. So lines can
 * be read again, in any order.
 */
async function storeLines(
  { database, choice }: Source,
  lines: readonly Line[],
  run: string,
): Promise<Counts> {
  for (const { id, leadId, at } of lines.filter(({ type }) => type === 'erased')) {
    await upsert(database, 'erasures', [{ id, lead_id: leadId, at }]);
    await eraseLead(database, choice, { leadId, at });
  }
  const rows = latestRows(lines.filter(({ type }) => type !== 'erased'));
  const stored = await rowsById(database, 'timeline_items', [...rows.keys()]);
  const erasedAt = await lastErasures(database, [...rows.values()]);
  const counts = { ...noCounts };
  const written: ItemRow[] = [];
  for (const row of rows.values()) {
    const before = stored.get(row.id);
    const since = String(before?.stored_at ?? '');
    if (since > row.stored_at || String(erasedAt.get(row.lead_id) ?? '') >= row.stored_at) continue;
    written.push(row);
    if (!before) counts.new += 1;
    else if (since < row.stored_at) counts.changed += 1;
    else if (!isSame(before, row)) counts.repaired += 1;
  }
  await upsert(
    database,
    'timeline_items',
    written.map((row) => ({ ...row, read_by: run })),
  );
  for (const { type, lead_id: leadId, at } of written)
    if (type === 'archived') await archiveLead(database, choice, { leadId, at });
  return counts;
}

interface ItemRow extends NewRow {
  readonly id: string;
  readonly lead_id: number;
  readonly type: string;
  readonly at: string;
  readonly stored_at: string;
}

/** By ID. An item that was cleaned can be in the file twice. */
function latestRows(lines: readonly Line[]): Map<string, ItemRow> {
  const rows = new Map<string, ItemRow>();
  for (const { leadId, id, type, at, actor, ...details } of lines) {
    const storedAt = details.cleanedAt ?? details.importedAt ?? at;
    if ((rows.get(id)?.stored_at ?? '') > storedAt) continue;
    rows.set(id, {
      id,
      lead_id: leadId,
      type,
      at,
      stored_at: storedAt,
      actor_user_id: actor?.userId ?? null,
      item: jsonText(details),
    });
  }
  return rows;
}

async function lastErasures(
  database: SqlDatabase,
  rows: readonly ItemRow[],
): Promise<ReadonlyMap<unknown, unknown>> {
  if (rows.length === 0) return new Map();
  const ids = [...new Set(rows.map((row) => row.lead_id))];
  const erasures = await database.query(
    `SELECT lead_id, max(at) AS at FROM erasures WHERE lead_id IN (${placesOf(ids)}) GROUP BY lead_id`,
    ids,
  );
  return new Map(erasures.map((erasure) => [erasure.lead_id, erasure.at]));
}

async function digestBefore(file: FileHandle, offset: number): Promise<string> {
  const start = Math.max(0, offset - markBytes);
  const { buffer, bytesRead } = await file.read(
    Buffer.alloc(offset - start),
    0,
    offset - start,
    start,
  );
  return createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('hex');
}
