import { constants, type FileHandle, open } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { CommandError } from '../admin/context.ts';
import { errorCode } from './error-code.ts';
import { countOf } from './format.ts';

/** Where a command writes its records. */
export interface FileOptions {
  readonly out?: string;
  readonly resume?: boolean;
}

export const withFileOptions = (command: Command, nounOfRecords: string): Command =>
  command
    .option('--out <FILE>', 'file to write (default: stdout)')
    .addOption(
      new Option(
        '--resume',
        `add the ${nounOfRecords} that the file does not have yet, whether the file is complete or not`,
      ),
    )
    .hook('preAction', () => {
      const { out, resume }: FileOptions = command.opts();
      if (resume && out === undefined)
        command.error("error: option '--resume' needs --out <FILE>, the file to continue");
    });

/** The records that a command writes, and how it recognizes them in a file that it continues. */
export interface RecordForm<Id extends number | bigint> {
  /** The first line of a file; empty if it has none. */
  readonly heading: string;
  /** What every record begins with. */
  readonly begins: string;
  /** Whether a line feed between quotes belongs to its record, as in CSV. */
  readonly isQuoted: boolean;
  /** Filled with the records that the file already has. */
  readonly ids: IdSet<Id>;
  /**
   * Reads the ID of a record, of which the last one of a file may be incomplete.
   * @param start the first bytes of the record
   * @returns undefined if the command does not write such a record
   */
  readonly idOf: (start: string) => Id | undefined;
  /** The refusal of a record, counted from 1, or of the heading, which is record 0. */
  readonly foreignError: (path: string, record: number) => CommandError;
  /** Called after all records are read, and before anything is changed. @throws CommandError for a file of another organization */
  readonly assertOwn: (path: string) => void | Promise<void>;
}

export interface RecordOutput {
  /** Adds those records that the file did not have yet. @returns how many */
  readonly write: (records: readonly string[]) => Promise<number>;
  /** Waits until the disk has everything. */
  readonly close: () => Promise<void>;
}

/**
 * Opens a file, or stdout, and writes the heading. Only its owner may read a new file, because it contains personal data. A file that is
 * continued is read once, and loses an incomplete last record.
 * @throws CommandError when a new file exists, and when a file to continue is not one of the command's
 */
export async function openRecords<Id extends number | bigint>(
  { out, resume = false }: FileOptions,
  form: RecordForm<Id>,
): Promise<RecordOutput> {
  if (out === undefined) {
    await toStdout(form.heading);
    return { write: writer(toStdout, form), close: async () => {} };
  }
  const file = await openFile(out, resume);
  try {
    const end = resume ? await readRecords(file, out, form) : 0;
    await file.truncate(end); // Only now is it certain that the file is the command's.
    if (end === 0) await file.appendFile(form.heading);
  } catch (error) {
    await file.close();
    throw error;
  }
  return {
    write: writer((text) => file.appendFile(text), form),
    close: () => file.sync().finally(() => file.close()),
  };
}

/** The end of a sentence about a file that was continued; empty for any other. */
export const alreadyHad = (
  { ids }: RecordForm<number> | RecordForm<bigint>,
  nounOfRecord: string,
): string => (ids.size > 0 ? `, which already had ${countOf(ids.size, nounOfRecord)}` : '');

const writer =
  <Id extends number | bigint>(
    append: (text: string) => Promise<void>,
    { ids, idOf }: RecordForm<Id>,
  ): RecordOutput['write'] =>
  async (records) => {
    const isNew = (record: string): boolean => {
      const id = idOf(record);
      return id === undefined || !ids.has(id);
    };
    const added = ids.size === 0 ? records : records.filter(isNew);
    if (added.length > 0) await append(added.join(''));
    return added.length;
  };

async function openFile(path: string, resume: boolean): Promise<FileHandle> {
  const { O_RDWR, O_APPEND } = constants;
  try {
    return resume ? await open(path, O_RDWR | O_APPEND) : await open(path, 'wx', 0o600);
  } catch (error) {
    const reasons: Readonly<Record<string, string>> = resume
      ? { ENOENT: 'cannot be continued: the file does not exist. Start it without --resume.' }
      : {
          EEXIST: 'already exists: name another file, or continue it with --resume.',
          ENOENT: 'cannot be written: its folder does not exist.',
        };
    const reason = reasons[errorCode(error) ?? ''];
    throw reason === undefined ? error : new CommandError(`${path} ${reason}`, { cause: error });
  }
}

/** Waits for a slow reader. */
const toStdout = (text: string): Promise<void> =>
  new Promise((resolve) => {
    if (process.stdout.write(text)) resolve();
    else process.stdout.once('drain', resolve);
  });

/** Adds the IDs of a file's records. @returns where the last complete record ends, in bytes */
async function readRecords<Id extends number | bigint>(
  file: FileHandle,
  path: string,
  form: RecordForm<Id>,
): Promise<number> {
  const heading = Buffer.from(form.heading);
  const { buffer, bytesRead } = await file.read({
    buffer: Buffer.alloc(heading.length + 1),
    position: 0,
  });
  const compared = Math.min(bytesRead, heading.length);
  if (heading.compare(buffer, 0, compared, 0, compared) !== 0) throw form.foreignError(path, 0);
  if (compared < heading.length) return 0;
  let end = heading.length;
  for await (const { start, endsAt } of recordsIn(file, end, form.isQuoted)) {
    const id = form.idOf(start);
    const isForeign =
      endsAt === undefined
        ? !form.begins.startsWith(start.slice(0, form.begins.length))
        : id === undefined;
    if (isForeign) throw form.foreignError(path, form.ids.size + 1);
    if (endsAt === undefined || id === undefined) continue;
    form.ids.add(id);
    end = endsAt;
  }
  await form.assertOwn(path);
  return end;
}

const [lineFeed, quote] = [0x0a, 0x22];
/** Enough of a record for its ID. */
const startMaxBytes = 300;

interface FileRecord {
  readonly start: string;
  /** Undefined for an incomplete last record. */
  readonly endsAt: number | undefined;
}

async function* recordsIn(
  file: FileHandle,
  position: number,
  isQuoted: boolean,
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
      if (isQuoted) for (const byte of part) if (byte === quote) isWithinQuotes = !isWithinQuotes;
      from += part.length;
      if (feed < 0 || isWithinQuotes) continue;
      yield { start, endsAt: offset + from };
      start = '';
    }
    offset += chunk.length;
  }
  if (start !== '') yield { start, endsAt: undefined };
}

/** A typed array, as far as a set of IDs uses it. */
interface IdArray<Id> {
  readonly length: number;
  [index: number]: Id;
  set(ids: ArrayLike<Id>): void;
  subarray(from: number, to: number): IdArray<Id>;
  sort(): unknown;
}

/** A set that uses as many bytes for an ID as its typed array. */
export class IdSet<Id extends number | bigint> {
  readonly #Array: new (
    length: number,
  ) => IdArray<Id>;
  #ids: IdArray<Id>;
  #size = 0;
  #isSorted = true;

  constructor(TypedArray: new (length: number) => IdArray<Id>) {
    this.#Array = TypedArray;
    this.#ids = new TypedArray(1024);
  }

  get size(): number {
    return this.#size;
  }

  get highest(): Id | undefined {
    this.#sort();
    return this.#size === 0 ? undefined : this.#ids[this.#size - 1];
  }

  add(id: Id): void {
    if (this.#size === this.#ids.length) {
      const larger = new this.#Array(2 * this.#size);
      larger.set(this.#ids);
      this.#ids = larger;
    }
    this.#ids[this.#size] = id;
    this.#size += 1;
    this.#isSorted = false;
  }

  has(id: Id): boolean {
    this.#sort();
    let [from, to] = [0, this.#size];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const other = this.#ids[middle];
      if (other === id) return true;
      if (other !== undefined && other < id) from = middle + 1;
      else to = middle;
    }
    return false;
  }

  #sort(): void {
    if (!this.#isSorted) this.#ids.subarray(0, this.#size).sort();
    this.#isSorted = true;
  }
}
