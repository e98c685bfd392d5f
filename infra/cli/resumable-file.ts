import { constants, type FileHandle, open, rm } from 'node:fs/promises';
import { type CliCommand, CommandError } from './command.ts';
import { errorCode, pathIssue } from './error-code.ts';
import { countOf } from './format.ts';

/** Where a command writes its records. */
export interface FileOptions {
  readonly out?: string;
  readonly resume?: boolean;
}

export const withFileOptions = (command: CliCommand, nounOfRecords: string): CliCommand =>
  command
    .option('--out <FILE>', 'file to write (default: stdout)')
    .option(
      '--resume',
      `add the ${nounOfRecords} that the file does not have yet, whether the file is complete or not`,
    )
    .needs('--resume', '--out <FILE>');

/** A `Uint32Array` or a `BigUint64Array`: a file may have millions of records, whose IDs are all kept in memory, in 4 or 8 bytes each. */
interface IdArray<Id> extends ArrayLike<Id> {
  [index: number]: Id;
  set(ids: ArrayLike<Id>): void;
  sort(): IdArray<Id>;
  subarray(from: number, to: number): IdArray<Id>;
}

/** The records that a command writes, and how it recognizes them in a file that it continues. */
export interface RecordForm<Id extends number | bigint> {
  /** An array for so many IDs. */
  readonly newIds: (length: number) => IdArray<Id>;
  /** The first line of a CSV file; empty for JSON lines. */
  readonly heading: string;
  /**
   * Reads the ID of a record. The last record of a file may be incomplete.
   * @param start the first bytes of the record
   * @returns undefined if the command does not write such a record
   */
  readonly idOf: (start: string) => Id | undefined;
  /** Such as `timeline item`. */
  readonly nounOfRecord: string;
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
  if (out === undefined) {
    await toStdout(form.heading);
    await produce(async (records) => {
      await toStdout(records.join(''));
      return records.length;
    });
    return new IdSet(form.newIds(0));
  }
  const file = await openFile(out, resume);
  try {
    const { ids, end } = resume ? await readRecords(file, out, form) : newFile(form);
    await file.truncate(end); // Only now is it certain that the file is the command's.
    if (end === 0) await file.appendFile(form.heading);
    await produce(async (records) => {
      const added = ids.size === 0 ? records : records.filter((one) => !ids.has(form.idOf(one)));
      await file.appendFile(added.join(''));
      return added.length;
    });
    await file.sync();
    return ids;
  } finally {
    await file.close();
  }
}

/** The end of a sentence about a file that was continued; empty for any other. */
export const alreadyHad = (
  earlier: { readonly size: number } | undefined,
  nounOfRecord: string,
): string => (earlier?.size ? `, which already had ${countOf(earlier.size, nounOfRecord)}` : '');

/** Writes a new file that only its owner may read, with content that is made once the file is known to be new. @throws CommandError */
export async function writeNewFile(
  path: string,
  contentOf: () => Promise<string | Buffer>,
): Promise<void> {
  const file = await openFile(path, false, 'Name another file.');
  try {
    await file.writeFile(await contentOf());
  } catch (error) {
    await rm(path);
    throw error;
  } finally {
    await file.close();
  }
}

async function openFile(
  path: string,
  resume: boolean,
  ifInTheWay = 'Name another file, or continue it with --resume.',
): Promise<FileHandle> {
  const { O_RDWR, O_APPEND } = constants;
  try {
    return resume ? await open(path, O_RDWR | O_APPEND) : await open(path, 'wx', 0o600);
  } catch (error) {
    const reason = resume ? pathIssue(error, 'the file does not exist') : pathIssue(error);
    if (!reason) throw error;
    const [verb, next] = resume
      ? ['continued', 'Start it without --resume.']
      : ['written', errorCode(error) === 'EEXIST' ? ifInTheWay : 'Name another file.'];
    throw new CommandError(`${path} cannot be ${verb}: ${reason}. ${next}`, { cause: error });
  }
}

/** Waits for a slow reader. */
const toStdout = (text: string): Promise<void> =>
  new Promise((resolve) => {
    if (process.stdout.write(text)) resolve();
    else process.stdout.once('drain', resolve);
  });

interface ReadFile<Id extends number | bigint> {
  /** Of the complete records. */
  readonly ids: IdSet<Id>;
  /** Where the last complete record ends, in bytes. */
  readonly end: number;
}

async function readRecords<Id extends number | bigint>(
  file: FileHandle,
  path: string,
  form: RecordForm<Id>,
): Promise<ReadFile<Id>> {
  const heading = Buffer.from(form.heading);
  const { buffer, bytesRead } = await file.read({
    buffer: Buffer.alloc(heading.length + 1),
    position: 0,
  });
  const compared = Math.min(bytesRead, heading.length);
  if (heading.compare(buffer, 0, compared, 0, compared) !== 0)
    throw foreignError(path, 'It has other columns than this command writes now');
  if (compared < heading.length) return newFile(form);
  const isCsv = heading.length > 0;
  let [ids, count, end] = [form.newIds(1024), 0, heading.length];
  for await (const { start, endsAt } of recordsIn(file, end, isCsv)) {
    const id = form.idOf(start);
    const isForeign = endsAt === undefined ? !isCsv && !mayBeginJsonLine(start) : id === undefined;
    if (isForeign)
      throw foreignError(
        path,
        `Record ${count + 1} is not a ${form.nounOfRecord} as this command writes it now`,
      );
    if (endsAt === undefined || id === undefined) continue;
    if (count === ids.length) {
      const full = ids;
      ids = form.newIds(2 * count);
      ids.set(full);
    }
    ids[count] = id;
    count += 1;
    end = endsAt;
  }
  await form.assertOwn?.(path);
  return { ids: new IdSet(ids.subarray(0, count)), end };
}

const foreignError = (path: string, issue: string): CommandError =>
  new CommandError(`${path} cannot be continued: ${issue}. Start a new file.`);

const newFile = <Id extends number | bigint>(form: RecordForm<Id>): ReadFile<Id> => ({
  ids: new IdSet(form.newIds(0)),
  end: 0,
});

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

/** A `Set` needs several times the memory, and is full at 16.7 million. */
export class IdSet<Id extends number | bigint> {
  readonly #sorted: IdArray<Id>;

  constructor(ids: IdArray<Id>) {
    this.#sorted = ids.sort();
  }

  get size(): number {
    return this.#sorted.length;
  }

  get highest(): Id | undefined {
    return this.#sorted[this.size - 1];
  }

  has(id: Id | undefined): boolean {
    if (id === undefined) return false;
    let [from, to] = [0, this.size];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#sorted[middle] ?? id) < id) from = middle + 1;
      else to = middle;
    }
    return this.#sorted[from] === id;
  }
}
