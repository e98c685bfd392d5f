import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { archiveLead, type Choice, eraseLead, isSame, type Repairs } from './leads.ts';
import {
  jsonText,
  readState,
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
): Promise<number> {
  const file = await openFile(path);
  try {
    const mark = JSON.parse((await readState(database, 'timelines')) ?? 'null') as Mark | null;
    const isContinued = mark && (await digestBefore(file, mark.offset)) === mark.digest;
    const offset = isContinued ? mark.offset : 0;
    const { missing } = await storeLines({ database, file, path, choice }, offset, randomUUID());
    return missing;
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
export async function reconcileTimelines(
  database: SqlDatabase,
  path: string,
  choice: Choice,
): Promise<Repairs> {
  const file = await openFile(path);
  try {
    const run = randomUUID();
    const stored = await storeLines({ database, file, path, choice }, 0, run);
    const surplus = await database.query(
      `DELETE FROM timeline_items WHERE read_by <> ?
       AND stored_at >= (SELECT min(stored_at) FROM timeline_items WHERE read_by = ?)
       AND stored_at <= (SELECT max(stored_at) FROM timeline_items WHERE read_by = ?) RETURNING id`,
      [run, run, run],
    );
    return { ...stored, surplus: surplus.length };
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

async function storeLines(
  source: Source,
  from: number,
  run: string,
): Promise<{ missing: number; different: number }> {
  const { database, file } = source;
  const count = { missing: 0, different: 0, same: 0 };
  let offset = from;
  for (let size = chunkBytes; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, offset);
    const end = buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1;
    if (end === 0) {
      if (bytesRead < size) return count; // a last line without its end is still being written
      size *= 2;
      continue;
    }
    const lines = buffer.subarray(0, end).toString().trimEnd().split('\n');
    const next = offset + end;
    const digest = await digestBefore(file, next);
    await transaction(database, async () => {
      for (const text of lines)
        count[await storeLine(source, parseLine(text, source.path), run)] += 1;
      await writeState(database, 'timelines', JSON.stringify({ offset: next, digest }));
    });
    offset = next;
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
async function storeLine(
  { database, choice }: Source,
  line: Line,
  run: string,
): Promise<'missing' | 'different' | 'same'> {
  const { leadId, id, type, at, actor, ...details } = line;
  if (type === 'erased') {
    await upsert(database, 'erasures', { id, lead_id: leadId, at });
    await eraseLead(database, choice, { leadId, at });
    return 'same';
  }
  const storedAt = line.cleanedAt ?? line.importedAt ?? at;
  const erasures = await database.query('SELECT id FROM erasures WHERE lead_id = ? AND at >= ?', [
    leadId,
    storedAt,
  ]);
  if (erasures.length > 0) return 'same';
  const row = {
    id,
    lead_id: leadId,
    type,
    at,
    stored_at: storedAt,
    actor_user_id: actor?.userId ?? null,
    item: jsonText(details),
  };
  const [stored] = await database.query('SELECT * FROM timeline_items WHERE id = ?', [id]);
  if (stored && String(stored.stored_at) > storedAt) return 'same';
  await upsert(database, 'timeline_items', { ...row, read_by: run });
  if (type === 'archived') await archiveLead(database, choice, { leadId, at });
  if (!stored) return 'missing';
  return isSame(stored, row) ? 'same' : 'different';
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
