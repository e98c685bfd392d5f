import { constants, type FileHandle, open, rm } from 'node:fs/promises';
import { type CliCommand, CommandError } from './command.ts';
import { errorCode, refusePath } from './error-code.ts';
import { countOf } from './format.ts';

/** Where a command writes its records. */
export interface FileOptions {
  readonly out?: string;
  readonly resume?: boolean;
}

export const withFileOptions = <C extends CliCommand>(command: C, nounOfRecords: string): C =>
  command
    .option('--out <FILE>', 'file to write (default: stdout)')
    .option(
      '--resume',
      `add the ${nounOfRecords} that the file does not have yet, whether the file is complete or not`,
    )
    .needs('--resume', '--out <FILE>');

/** A `Uint32Array` or a `BigUint64Array`. */
interface IdArray<Id> extends ArrayLike<Id> {
  [index: number]: Id;
  set(ids: ArrayLike<Id>): void;
  sort(): IdArray<Id>;
  subarray(from: number, to: number): IdArray<Id>;
}

/** The records that a command writes, and how it recognizes them in a file that it continues. */
export interface RecordForm<Id extends number | bigint> {
  /** Such as `timeline item`. */
  readonly nounOfRecord: string;
  /** Creates an array for that many IDs. */
  readonly newIds: (length: number) => IdArray<Id>;
  /** The first line of a CSV file; empty for JSON lines. */
  readonly heading: string;
  /**
   * Reads the ID of a record from its first bytes. The last record of a file may be incomplete.
   * @returns undefined if the command does not write such a record
   */
  readonly idOf: (start: string) => Id | undefined;
  /** Called after all records are read, and before anything is changed. @throws CommandError for a file of another organization */
  readonly assertOwn?: (path: string) => Promise<void>;
}

/** Adds those records that the file did not have yet. @returns how many */
export type WriteRecords = (records: readonly string[]) => Promise<number>;

/**
 * Writes records to a file, or to stdout, below the heading. Only its owner may read a new file, because it contains personal data. A file
 * that is continued is read once, and loses an incomplete last record.
 * @returns the IDs of the records that the file already had
 * @throws CommandError when a new file exists, and when a file to continue is not one of the command's
 */
export async function writeRecords<Id extends number | bigint>(
  { out, resume = false }: FileOptions,
  form: RecordForm<Id>,
  produce: (write: WriteRecords) => Promise<void>,
): Promise<IdSet<Id>> {
  const ids = new IdSet(form);
  if (out === undefined) {
    await toStdout(form.heading);
    await produce(async (records) => {
      await toStdout(records.join(''));
      return records.length;
    });
    return ids;
  }
  await using file = resume
    ? await openToContinue(out)
    : await createFile(out, 'Name another file, or continue it with --resume.');
  const end = resume ? await readRecords(file, out, form, ids) : 0;
  await file.truncate(end); // Only now is it certain that the file is the command's.
  if (end === 0) await file.appendFile(form.heading);
  await produce(async (records) => {
    const added = ids.size === 0 ? records : records.filter((one) => !ids.has(form.idOf(one)));
    await file.appendFile(added.join(''));
    return added.length;
  });
  await file.sync();
  return ids;
}

/** The end of a sentence about a file that was continued; empty for any other. */
export const alreadyHad = (size = 0, nounOfRecord: string): string =>
  size > 0 ? `, which already had ${countOf(size, nounOfRecord)}` : '';

/** Writes a new file that only its owner may read, with content that is made once the file is known to be new. @throws CommandError */
export async function writeNewFile(
  path: string,
  contentOf: () => Promise<string | Buffer>,
): Promise<void> {
  await using file = await createFile(path);
  try {
    await file.writeFile(await contentOf());
  } catch (error) {
    await rm(path);
    throw error;
  }
}

const openToContinue = (path: string): Promise<FileHandle> =>
  open(path, constants.O_RDWR | constants.O_APPEND).catch((error: unknown) =>
    refusePath(`${path} cannot be continued`, error, 'Start it without --resume.'),
  );

/** @param ifThere what to do if the file exists */
function createFile(path: string, ifThere?: string): Promise<FileHandle> {
  return open(path, 'wx', 0o600).catch((error: unknown) => {
    const next = errorCode(error) === 'EEXIST' && ifThere;
    return refusePath(`${path} cannot be written`, error, next || 'Name another file.');
  });
}

/** Waits for a slow reader. */
const toStdout = (text: string): Promise<void> =>
  new Promise((resolve) => {
    if (process.stdout.write(text)) resolve();
    else process.stdout.once('drain', resolve);
  });

/** @param ids gets those of the complete records @returns where the last one ends, in bytes */
async function readRecords<Id extends number | bigint>(
  file: FileHandle,
  path: string,
  form: RecordForm<Id>,
  ids: IdSet<Id>,
): Promise<number> {
  const refuse = (issue: string): never => {
    throw new CommandError(`${path} cannot be continued: ${issue}. Start a new file.`);
  };
  const heading = Buffer.from(form.heading);
  const { buffer, bytesRead } = await file.read({
    buffer: Buffer.alloc(heading.length + 1),
    position: 0,
  });
  const compared = Math.min(bytesRead, heading.length);
  if (heading.compare(buffer, 0, compared, 0, compared) !== 0)
    refuse('It has other columns than this command writes now');
  if (compared < heading.length) return 0;
  const isCsv = heading.length > 0;
  let end = heading.length;
  for await (const { start, endsAt } of recordsIn(file, end, isCsv)) {
    const id = form.idOf(start);
    if (endsAt === undefined ? !isCsv && !mayBeginJsonLine(start) : id === undefined)
      refuse(`Record ${ids.size + 1} is not a ${form.nounOfRecord} as this command writes it now`);
    if (endsAt === undefined || id === undefined) continue;
    ids.add(id);
    end = endsAt;
  }
  await form.assertOwn?.(path);
  ids.sort();
  return end;
}

/** Whether a line of an export or of timelines can begin like this. Its end may be missing. */
const mayBeginJsonLine = (start: string): boolean =>
  '{"leadId":'.startsWith(start.slice(0, '{"leadId":'.length));

const [lineFeed, quote] = [0x0a, 0x22];
/** Enough of a record for its ID. */
const startMaxBytes = 300;

interface FileRecord {
  readonly start: string;
  /** Undefined for an incomplete last record. */
  readonly endsAt: number | undefined;
}

/** @param isCsv a line feed between quotes belongs to its record */
async function* recordsIn(
  file: FileHandle,
  position: number,
  isCsv: boolean,
): AsyncGenerator<FileRecord> {
  let [start, offset, isWithinQuotes] = ['', position, false];
  const chunks: AsyncIterable<Buffer> = file.createReadStream({
    start: position,
    autoClose: false,
  });
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      const feed = chunk.indexOf(lineFeed, from);
      const part = chunk.subarray(from, feed < 0 ? chunk.length : feed + 1);
      start += part.toString('latin1', 0, startMaxBytes - start.length);
      if (isCsv) for (const byte of part) if (byte === quote) isWithinQuotes = !isWithinQuotes;
      from += part.length;
      if (feed < 0 || isWithinQuotes) continue;
      yield { start, endsAt: offset + from };
      start = '';
    }
    offset += chunk.length;
  }
  if (start !== '') yield { start, endsAt: undefined };
}

/** The IDs of a file's records, in 4 or 8 bytes each: a file may have millions. A `Set` needs several times the memory, and is full at 16.7 million. */
export class IdSet<Id extends number | bigint> {
  readonly #newIds: (length: number) => IdArray<Id>;
  #ids: IdArray<Id>;
  size = 0;

  constructor({ newIds }: Pick<RecordForm<Id>, 'newIds'>) {
    this.#newIds = newIds;
    this.#ids = newIds(1024);
  }

  add(id: Id): void {
    if (this.size === this.#ids.length) {
      const full = this.#ids;
      this.#ids = this.#newIds(2 * this.size);
      this.#ids.set(full);
    }
    this.#ids[this.size] = id;
    this.size += 1;
  }

  /** After the last `add`, and before the first `has`. */
  sort(): void {
    this.#ids.subarray(0, this.size).sort();
  }

  get highest(): Id | undefined {
    return this.#ids[this.size - 1];
  }

  has(id: Id | undefined): boolean {
    if (id === undefined) return false;
    let [from, to] = [0, this.size];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#ids[middle] ?? id) < id) from = middle + 1;
      else to = middle;
    }
    return from < this.size && this.#ids[from] === id;
  }
}
