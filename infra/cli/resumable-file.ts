import { constants, type FileHandle, open, rm } from 'node:fs/promises';
import { type CliCommand, CommandError } from './command.ts';
import { pathIssue } from './error-code.ts';
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

/** A lead's ID, or the hash of an item's. */
type RecordId = number | bigint;

/** The records that a command writes, and how it recognizes them in a file of JSON lines that it continues. */
export interface RecordForm {
  /** The first line of a CSV file; empty for JSON lines. */
  readonly heading: string;
  /**
   * Reads the ID of a record. The last record of a file may be incomplete.
   * @param start the first bytes of the record
   * @returns undefined if the command does not write such a record
   * @throws CommandError for a record of another organization
   */
  readonly idOf: (start: string, path: string) => RecordId | undefined;
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
export async function writeRecords(
  { out, resume = false }: FileOptions,
  form: RecordForm,
  produce: (write: WriteRecords) => Promise<void>,
): Promise<ReadonlySet<RecordId>> {
  if (out === undefined) {
    await toStdout(form.heading);
    await produce(async (records) => {
      await toStdout(records.join(''));
      return records.length;
    });
    return new Set();
  }
  const file = await openFile(out, resume);
  try {
    const ids = new Set<RecordId>();
    // Only after all records are read is it certain that the file is the command's.
    if (resume) await file.truncate(await readRecords(file, out, form, ids));
    else await file.appendFile(form.heading);
    await produce(async (records) => {
      const added = resume ? records.filter((one) => !ids.has(form.idOf(one, out) ?? 0)) : records;
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
export const alreadyHad = ({ size }: { readonly size: number }, nounOfRecord: string): string =>
  size > 0 ? `, which already had ${countOf(size, nounOfRecord)}` : '';

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
  ifNotWritten = 'Name another file, or continue it with --resume.',
): Promise<FileHandle> {
  const { O_RDWR, O_APPEND } = constants;
  try {
    return resume ? await open(path, O_RDWR | O_APPEND) : await open(path, 'wx', 0o600);
  } catch (error) {
    const reason = resume ? pathIssue(error, 'the file does not exist') : pathIssue(error);
    if (!reason) throw error;
    const [verb, next] = resume
      ? ['continued', 'Start it without --resume.']
      : ['written', ifNotWritten];
    throw new CommandError(`${path} cannot be ${verb}: ${reason}. ${next}`, { cause: error });
  }
}

/** Waits for a slow reader. */
const toStdout = (text: string): Promise<void> =>
  new Promise((resolve) => {
    if (process.stdout.write(text)) resolve();
    else process.stdout.once('drain', resolve);
  });

/** The limit of a `Set`. */
const idsMax = 2 ** 24;

/** @param ids gets those of the complete records @returns where the last complete record ends, in bytes */
async function readRecords(
  file: FileHandle,
  path: string,
  form: RecordForm,
  ids: Set<RecordId>,
): Promise<number> {
  let end = 0;
  for await (const { start, endsAt } of linesIn(file)) {
    const id = form.idOf(start, path);
    const isOwn = endsAt === undefined ? mayBeginLine(start) : id !== undefined;
    if (!isOwn || ids.size === idsMax)
      throw new CommandError(
        isOwn
          ? `${path} has more than ${countOf(idsMax, 'line')}: start a new file.`
          : `Line ${ids.size + 1} of ${path} is not one that this command writes now: name a file that it wrote, or start a new file.`,
      );
    if (endsAt === undefined || id === undefined) continue;
    ids.add(id);
    end = endsAt;
  }
  await form.assertOwn?.(path);
  return end;
}

/** Whether a line of an export or of timelines can begin like this. Its end may be missing. */
const mayBeginLine = (start: string): boolean =>
  '{"leadId":'.startsWith(start.slice(0, '{"leadId":'.length));

const lineFeed = 0x0a;
/** Enough of a line for its ID. */
const startMaxBytes = 300;

interface Line {
  readonly start: string;
  /** In bytes from the start of the file. Undefined for an incomplete last line. */
  readonly endsAt: number | undefined;
}

/** Splits at line feeds only: JSON may contain other line separators. */
async function* linesIn(file: FileHandle): AsyncGenerator<Line> {
  let [start, offset] = ['', 0];
  const chunks: AsyncIterable<Buffer> = file.createReadStream({ start: 0, autoClose: false });
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      const feed = chunk.indexOf(lineFeed, from);
      const part = chunk.subarray(from, feed < 0 ? chunk.length : feed + 1);
      start += part.toString('latin1', 0, startMaxBytes - start.length);
      from += part.length;
      if (feed < 0) continue;
      yield { start, endsAt: offset + from };
      start = '';
    }
    offset += chunk.length;
  }
  if (start !== '') yield { start, endsAt: undefined };
}
