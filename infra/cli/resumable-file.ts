import {
  access,
  constants,
  type FileHandle,
  open,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
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

/** Describes the records that a command writes, and how it recognizes them in a file that it continues. */
export interface RecordForm<Id> {
  /** Such as `timeline item`. */
  readonly nounOfRecord: string;
  /** The first line of a CSV file; empty for JSON lines. */
  readonly heading: string;
  /**
   * Reads a record's ID from its first bytes. The last record of a file may be incomplete.
   * @returns undefined if the command does not write such records
   */
  readonly idOf: (start: string) => Id | undefined;
  /** Called with the ID of each complete record. */
  readonly onRecord?: (id: Id) => void;
  /** Called after all records are read, and before anything is changed. @throws CommandError if the file belongs to another organization */
  readonly assertOwn?: (path: string) => Promise<void>;
}

/** What a continued file already contains. */
export interface EarlierRecords<Id> {
  readonly count: number;
  /** The ID of the last complete record. */
  readonly last: Id | undefined;
}

export type WriteRecords = (records: readonly string[]) => Promise<void>;

/**
 * Writes records to a file or to stdout, below the heading. Only the owner may read a new file, because it contains personal data. A
 * continued file is read once, and an incomplete last record is cut off.
 * @param produce writes the records that are missing from the file
 * @throws CommandError if a new file exists already, or if the command did not write the file to continue
 */
export async function writeRecords<Id>(
  { out, resume = false }: FileOptions,
  form: RecordForm<Id>,
  produce: (write: WriteRecords, earlier: EarlierRecords<Id>) => Promise<void>,
): Promise<EarlierRecords<Id>> {
  const none = { count: 0, last: undefined };
  if (out === undefined) {
    await toStdout(form.heading);
    await produce((records) => toStdout(records.join('')), none);
    return none;
  }
  await using file = resume
    ? await openToContinue(out)
    : await createFile(out, 'Name another file, or continue it with --resume.');
  const { end, ...earlier } = resume ? await readRecords(file, out, form) : { end: 0, ...none };
  await file.truncate(end); // only now is it certain that the command wrote this file
  if (end === 0) await file.appendFile(form.heading);
  await produce((records) => file.appendFile(records.join('')), earlier);
  await file.sync();
  return earlier;
}

/** The end of a sentence about a continued file; empty for a new one. */
export const alreadyHad = (count = 0, nounOfRecord: string): string =>
  count > 0 ? `, which already had ${countOf(count, nounOfRecord)}` : '';

/** Writes a new file that only its owner may read. Its content is computed only after the file has been created. @throws CommandError */
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

/**
 * Replaces a file's content atomically: if the command is killed, the file has either the old or the new content.
 * @throws CommandError if it cannot be written
 */
export async function replaceFile(path: string, content: string): Promise<void> {
  try {
    const file = await realpath(path);
    await access(file, constants.W_OK);
    const { mode, uid, gid } = await stat(file);
    const draft = `${file}.${process.pid}.tmp`;
    await using handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      // Only root may give a file to somebody else.
      if (process.getuid?.() === 0) await handle.chown(uid, gid);
      await handle.chmod(mode);
      await handle.sync();
      await rename(draft, file);
    } catch (error) {
      await rm(draft);
      throw error;
    }
  } catch (error) {
    refusePath(`${path} cannot be written`, error);
  }
}

const openToContinue = (path: string): Promise<FileHandle> =>
  open(path, constants.O_RDWR | constants.O_APPEND).catch((error: unknown) =>
    refusePath(`${path} cannot be continued`, error, 'Start it without --resume.'),
  );

/** @param ifThere the sentence that says what to do if the file exists */
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

/** @returns the complete records, and the offset in bytes where the last one ends */
async function readRecords<Id>(
  file: FileHandle,
  path: string,
  form: RecordForm<Id>,
): Promise<EarlierRecords<Id> & { readonly end: number }> {
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
  let last: Id | undefined;
  if (compared < heading.length) return { end: 0, count: 0, last };
  const isCsv = heading.length > 0;
  let [end, count] = [heading.length, 0];
  for await (const { start, endsAt } of recordsIn(file, end, isCsv)) {
    const id = form.idOf(start);
    if (endsAt === undefined ? !isCsv && !mayBeginJsonLine(start) : id === undefined)
      refuse(`Record ${count + 1} is not a ${form.nounOfRecord} as this command writes it now`);
    if (endsAt === undefined || id === undefined) continue;
    form.onRecord?.(id);
    [end, count, last] = [endsAt, count + 1, id];
  }
  await form.assertOwn?.(path);
  return { end, count, last };
}

/** Whether a line of an export or of timelines can begin with this text. The end of the line may be missing. */
const mayBeginJsonLine = (start: string): boolean =>
  '{"leadId":'.startsWith(start.slice(0, '{"leadId":'.length));

const [lineFeed, quote] = [0x0a, 0x22];
/** How much of a record is read to find its ID. */
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
