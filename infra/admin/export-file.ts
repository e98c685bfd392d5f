import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { exportedIds, exportedIdsMaxBytes } from '../../shared/leads/transfer/export-lines.ts';
import { CommandError } from './context.ts';
import { LeadIds } from './lead-ids.ts';

export type ExportFormat = 'jsonl' | 'csv';

/** A file that an export goes on writing. */
export interface OpenExport {
  readonly file: FileHandle;
  /** Of the leads that the file has. */
  readonly leadIds: LeadIds;
  /** The file has no heading yet. */
  readonly isNew: boolean;
}

/** Only its owner may read an export: it is personal data. @throws CommandRefused when the file is there already. */
export async function newExport(path: string): Promise<OpenExport> {
  try {
    return { file: await open(path, 'wx', 0o600), leadIds: new LeadIds(), isNew: true };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      throw new CommandError(`${path} is there already: name another file, or continue it with --resume.`, { cause: error });
    }
    if (code === 'ENOENT') {
      throw new CommandError(`${path} cannot be written: its folder is not there.`, { cause: error });
    }
    throw error;
  }
}

/** What an export would write now. */
export interface ExportForm {
  readonly organizationId: number;
  readonly format: ExportFormat;
  /** The first line of a CSV file; empty for none. */
  readonly heading: string;
}

/**
 * Opens an export that was broken off, without the line that was being written. Reads the file once, and keeps 4 bytes for each lead.
 * @throws CommandRefused for a file that is no such export, or that of another organization
 */
export async function brokenExport(path: string, { organizationId, format, heading }: ExportForm): Promise<OpenExport> {
  const records = await readRecords(path, format);
  const file = await open(path, 'r+');
  try {
    const begins = format === 'csv' ? heading : '{"leadId":';
    if (records.count === 0 && !(await isBeginning(file, begins))) throw notAnExport(path);
    if (format === 'csv' && records.count > 0 && (await textOf(file, 0, Buffer.byteLength(heading))) !== heading) {
      throw new CommandError(
        `${path} has other columns than an export has now: the settings or this program have changed since, or it is no export. Begin a new file.`,
      );
    }
    if (records.strangeAt === records.count) throw notAnExport(path);
    if (records.strangeAt !== undefined) {
      throw new CommandError(
        `${path} has in record ${records.strangeAt} no lead as an export writes it now: this program has changed since, or it is no export. Begin a new file.`,
      );
    }
    const other = [...records.organizationIds].find((id) => id !== organizationId);
    if (other !== undefined) {
      throw new CommandError(
        `${path} has leads of organization ${other}: name another file for those of organization ${organizationId}.`,
      );
    }
    await file.truncate(records.end); // only of what is an export
    return { file, leadIds: records.leadIds, isNew: records.count === 0 };
  } catch (error) {
    await file.close();
    throw error;
  }
}

const notAnExport = (path: string) =>
  new CommandError(`${path} does not end in a lead as an export writes it now: begin a new file.`);

/** Whether the file is what an export writes first, broken off anywhere. */
async function isBeginning(file: FileHandle, text: string): Promise<boolean> {
  const begun = await textOf(file, 0, Buffer.byteLength(text));
  return text.startsWith(begun);
}

/** What a file holds; a line feed within quotes ends no record of a CSV file. */
class FileRecords {
  readonly leadIds = new LeadIds();
  readonly organizationIds = new Set<number>();
  /** Whole ones, the heading too. */
  count = 0;
  /** Where the last whole record ends, in bytes. */
  end = 0;
  /** The last of them that is no lead, counted from 1; the heading of a CSV file is none either, and not meant. */
  strangeAt: number | undefined;
  readonly #format: ExportFormat;
  readonly #begins = Buffer.alloc(exportedIdsMaxBytes);
  #begun = 0;
  #at = 0;
  #isQuoted = false;

  constructor(format: ExportFormat) {
    this.#format = format;
  }

  add(chunk: Buffer): void {
    for (const byte of chunk) {
      this.#at += 1;
      if (this.#begun < exportedIdsMaxBytes) this.#begins[this.#begun++] = byte;
      if (byte === quote && this.#format === 'csv') this.#isQuoted = !this.#isQuoted;
      if (byte === lineFeed && !this.#isQuoted) this.#endRecord();
    }
  }

  /** What was being written is no lead of the file, but says whose file it is. */
  addEnd(): void {
    const ids = this.#ids();
    if (ids) this.organizationIds.add(ids.organizationId);
  }

  #endRecord(): void {
    const ids = this.#ids();
    [this.count, this.end, this.#begun] = [this.count + 1, this.#at, 0];
    if (ids) {
      this.leadIds.add(ids.leadId);
      this.organizationIds.add(ids.organizationId);
    } else if (this.#format === 'jsonl' || this.count > 1) this.strangeAt = this.count;
  }

  #ids() {
    return exportedIds(this.#format, this.#begins.toString('latin1', 0, this.#begun));
  }
}

async function readRecords(path: string, format: ExportFormat): Promise<FileRecords> {
  const records = new FileRecords(format);
  try {
    for await (const chunk of createReadStream(path)) records.add(chunk as Buffer);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new CommandError(`${path} cannot be continued: there is no such file. Begin it without --resume.`, { cause: error });
  }
  records.addEnd();
  return records;
}

const lineFeed = 0x0a;
const quote = 0x22;

async function textOf(file: FileHandle, start: number, end: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
  return buffer.toString('utf8', 0, bytesRead);
}
