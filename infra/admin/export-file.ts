import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { CommandRefused } from './desk.ts';

export type ExportFormat = 'jsonl' | 'csv';

/** A file that an export goes on writing. */
export interface OpenExport {
  readonly file: FileHandle;
  /** Nothing lower is missing in the file; 0 when it has no lead yet. */
  readonly lastLeadId: number;
  /** The file has no heading yet. */
  readonly isNew: boolean;
}

/** Only its owner may read an export: it is personal data. @throws CommandRefused when the file is there already. */
export async function newExport(path: string): Promise<OpenExport> {
  try {
    return { file: await open(path, 'wx', 0o600), lastLeadId: 0, isNew: true };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      throw new CommandRefused(`${path} is there already: name another file, or continue it with --resume.`, { cause: error });
    }
    if (code === 'ENOENT') {
      throw new CommandRefused(`${path} cannot be written: its folder is not there.`, { cause: error });
    }
    throw error;
  }
}

/**
 * Opens an export that was broken off, without the line that was being written.
 * @param heading of a CSV file: the line that an export would begin with now
 * @throws CommandRefused for a file that is no such export
 */
export async function brokenExport(path: string, format: ExportFormat, heading: string): Promise<OpenExport> {
  const records = await lastRecord(path, format);
  const file = await open(path, 'r+');
  try {
    const begins = format === 'csv' ? heading : '{"leadId":';
    if (records.count === 0 && !(await isBeginning(file, begins))) throw notAnExport(path);
    if (format === 'csv' && records.count > 0 && (await textOf(file, 0, Buffer.byteLength(heading))) !== heading) {
      throw new CommandRefused(
        `${path} has other columns than an export has now: the settings have changed since, or it is no export. Begin a new file.`,
      );
    }
    const isEmpty = records.count === (format === 'csv' ? 1 : 0);
    const last = isEmpty || records.count === 0 ? '' : await textOf(file, records.lastStart, records.end);
    const id = (format === 'csv' ? /^(\d+)/ : /^\{"leadId":(\d+),/).exec(last)?.[1];
    if (last !== '' && id === undefined) throw notAnExport(path);
    await file.truncate(records.end); // only of what is an export
    return { file, lastLeadId: Number(id ?? 0), isNew: records.count === 0 };
  } catch (error) {
    await file.close();
    throw error;
  }
}

const notAnExport = (path: string) =>
  new CommandRefused(`${path} does not end in a lead as an export writes it: begin a new file.`);

/** Whether the file is what an export writes first, broken off anywhere. */
async function isBeginning(file: FileHandle, text: string): Promise<boolean> {
  const begun = await textOf(file, 0, Buffer.byteLength(text));
  return text.startsWith(begun);
}

interface LastRecord {
  readonly count: number;
  /** Where the last whole record begins and ends, in bytes. */
  readonly lastStart: number;
  readonly end: number;
}

const lineFeed = 0x0a;
const quote = 0x22;

/** Finds the last record that is whole: a line feed within quotes ends none. */
async function lastRecord(path: string, format: ExportFormat): Promise<LastRecord> {
  let [count, lastStart, end, at, isQuoted] = [0, 0, 0, 0, false];
  try {
    for await (const chunk of createReadStream(path)) {
      for (const byte of chunk as Buffer) {
        at += 1;
        if (byte === quote && format === 'csv') isQuoted = !isQuoted;
        if (byte !== lineFeed || isQuoted) continue;
        [count, lastStart, end] = [count + 1, end, at];
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new CommandRefused(`${path} cannot be continued: there is no such file. Begin it without --resume.`, { cause: error });
  }
  return { count, lastStart, end };
}

async function textOf(file: FileHandle, start: number, end: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
  return buffer.toString('utf8', 0, bytesRead);
}
