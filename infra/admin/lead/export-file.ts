import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { exportedIds, exportedIdsMaxBytes } from '../../../shared/leads/transfer/export-lines.ts';
import { errorCode } from '../../cli/error-code.ts';
import { CommandError } from '../context.ts';
import { LeadIds } from './lead-ids.ts';

export type ExportFormat = 'jsonl' | 'csv';

/** A file that an export writes to. */
export interface ExportFile {
  readonly handle: FileHandle;
  /** The leads that the file already has. */
  readonly leadIds: LeadIds;
  /** Whether the heading is still to be written. */
  readonly isNew: boolean;
}

/** Creates the file. Only its owner may read it, because it contains personal data. @throws CommandError when the file exists */
export async function createExportFile(path: string): Promise<ExportFile> {
  try {
    return { handle: await open(path, 'wx', 0o600), leadIds: new LeadIds(), isNew: true };
  } catch (error) {
    if (errorCode(error) === 'EEXIST') {
      throw new CommandError(
        `${path} already exists: name another file, or continue it with --resume.`,
        { cause: error },
      );
    }
    if (errorCode(error) === 'ENOENT') {
      throw new CommandError(`${path} cannot be written: its folder does not exist.`, {
        cause: error,
      });
    }
    throw error;
  }
}

/** What an export would write now. */
export interface ExportForm {
  readonly organizationId: number;
  readonly format: ExportFormat;
  /** The first line of a CSV file; empty for JSONL. */
  readonly heading: string;
}

/**
 * Opens an export to continue it, and removes an incomplete last line. Reads the file once; keeps 4 bytes per lead.
 * @throws CommandError for a file that is not an export of this form, or is of another organization
 */
export async function reopenExportFile(path: string, form: ExportForm): Promise<ExportFile> {
  const records = await readRecords(path, form.format);
  const handle = await open(path, 'r+');
  try {
    await assertExport(path, handle, { form, records });
    await handle.truncate(records.end); // Only now is it certain that the file is an export.
    return { handle, leadIds: records.leadIds, isNew: records.count === 0 };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

interface ReadExport {
  readonly form: ExportForm;
  readonly records: FileRecords;
}

async function assertExport(
  path: string,
  handle: FileHandle,
  { form, records }: ReadExport,
): Promise<void> {
  const { format, heading, organizationId } = form;
  const beginning = format === 'csv' ? heading : '{"leadId":';
  if (records.count === 0 && !(await isBeginningOf(beginning, handle)))
    throw notAnExportError(path);
  if (
    format === 'csv' &&
    records.count > 0 &&
    (await readText(handle, Buffer.byteLength(heading))) !== heading
  ) {
    throw new CommandError(
      `${path} has other columns than an export has now: either the settings or this program changed, or the file is not an export. Start a new file.`,
    );
  }
  if (records.foreignAt === records.count) throw notAnExportError(path);
  if (records.foreignAt !== undefined) {
    throw new CommandError(
      `Record ${records.foreignAt} of ${path} is not a lead as an export writes it now: either this program changed, or the file is not an export. Start a new file.`,
    );
  }
  const other = [...records.organizationIds].find((id) => id !== organizationId);
  if (other !== undefined) {
    throw new CommandError(
      `${path} has leads of organization ${other}: name another file for the leads of organization ${organizationId}.`,
    );
  }
}

const notAnExportError = (path: string) =>
  new CommandError(`${path} does not end in a lead as an export writes it now: start a new file.`);

/** Whether the file contains the beginning of the text and nothing else. */
async function isBeginningOf(text: string, handle: FileHandle): Promise<boolean> {
  return text.startsWith(await readText(handle, Buffer.byteLength(text)));
}

const lineFeed = 0x0a;
const quote = 0x22;

/** The records of a file. A line feed within quotes does not end a CSV record. */
class FileRecords {
  readonly leadIds = new LeadIds();
  readonly organizationIds = new Set<number>();
  /** Complete records, including the heading. */
  count = 0;
  /** Where the last complete record ends, in bytes. */
  end = 0;
  /** The last record that is not a lead, counted from 1. The heading of a CSV file does not count. */
  foreignAt: number | undefined;
  readonly #format: ExportFormat;
  /** The first bytes of the current record: enough for its IDs. */
  readonly #prefix = Buffer.alloc(exportedIdsMaxBytes);
  #prefixBytes = 0;
  #offset = 0;
  #isQuoted = false;

  constructor(format: ExportFormat) {
    this.#format = format;
  }

  add(chunk: Buffer): void {
    for (const byte of chunk) {
      this.#offset += 1;
      if (this.#prefixBytes < exportedIdsMaxBytes) this.#prefix[this.#prefixBytes++] = byte;
      if (byte === quote && this.#format === 'csv') this.#isQuoted = !this.#isQuoted;
      if (byte === lineFeed && !this.#isQuoted) this.#endRecord();
    }
  }

  /** Reads the organization of an incomplete last record; its lead does not count. */
  addEnd(): void {
    const ids = this.#ids();
    if (ids) this.organizationIds.add(ids.organizationId);
  }

  #endRecord(): void {
    const ids = this.#ids();
    [this.count, this.end, this.#prefixBytes] = [this.count + 1, this.#offset, 0];
    if (ids) {
      this.leadIds.add(ids.leadId);
      this.organizationIds.add(ids.organizationId);
    } else if (this.#format === 'jsonl' || this.count > 1) this.foreignAt = this.count;
  }

  #ids() {
    return exportedIds(this.#format, this.#prefix.toString('latin1', 0, this.#prefixBytes));
  }
}

async function readRecords(path: string, format: ExportFormat): Promise<FileRecords> {
  const records = new FileRecords(format);
  try {
    for await (const chunk of createReadStream(path)) records.add(chunk as Buffer);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new CommandError(
      `${path} cannot be continued: the file does not exist. Start it without --resume.`,
      { cause: error },
    );
  }
  records.addEnd();
  return records;
}

/** The first bytes of a file as text. */
async function readText(handle: FileHandle, bytes: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
  return buffer.toString('utf8', 0, bytesRead);
}
