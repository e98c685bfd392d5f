import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { stringify } from 'csv-stringify/sync';
import { reportHeadings } from '../../../shared/leads/transfer/import-columns.ts';
import { CommandError } from '../context.ts';
import type { FileRow, ImportFile } from './file.ts';

export interface RefusedRow {
  readonly row: FileRow;
  readonly reason: string;
}

/**
 * Where the report of a file lies unless the administrator says otherwise: beside it. That of a dry run has a name of its own: an earlier
 * report may have corrections in it that were not imported yet.
 */
export const reportPath = (file: string, dryRun: boolean): string =>
  file.replace(/\.[^.]+$/, (extension) => `.${dryRun ? 'would-be-refused' : 'refused'}${extension}`);

/**
 * The refused rows of a file, each with its number and the reason, in the file's own form: corrected, the report is a file to import.
 * Written beside as the rows are refused, and takes the place of an earlier one when the run has come to its end; not there when none
 * was refused. Only its owner may read it, as it holds personal data.
 */
export class ImportReport {
  readonly path: string;
  readonly #source: Pick<ImportFile, 'format' | 'headings'>;
  /** The file's columns that are not of an earlier report. */
  readonly #columns: readonly number[];
  readonly #file: FileHandle;
  #isEmpty = true;

  private constructor(path: string, source: Pick<ImportFile, 'format' | 'headings'>, file: FileHandle) {
    this.path = path;
    this.#source = source;
    this.#file = file;
    const own: readonly string[] = Object.values(reportHeadings);
    this.#columns = source.headings.flatMap((heading, column) => (own.includes(heading.trim()) ? [] : [column]));
  }

  /** @throws CommandRefused where no file can be written */
  static async begin(path: string, source: Pick<ImportFile, 'format' | 'headings'>): Promise<ImportReport> {
    const refused = (reason: string, cause?: unknown) =>
      new CommandError(`The report ${path} cannot be written: ${reason}.`, { cause });
    const found = await stat(path).catch(() => undefined);
    if (found && !found.isFile()) throw refused('it is no file');
    try {
      return new ImportReport(path, source, await open(unfinished(path), 'w', 0o600));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw refused(code === 'ENOENT' ? 'its folder is not there' : message, error);
    }
  }

  /** Adds rows, in the order of their numbers. */
  async add(refused: readonly RefusedRow[]): Promise<void> {
    if (refused.length === 0) return;
    const ordered = [...refused].sort((a, b) => a.row.number - b.row.number);
    const heading = this.#isEmpty ? this.#heading() : '';
    this.#isEmpty = false;
    await this.#file.appendFile(heading + ordered.map((one) => this.#lineOf(one)).join(''));
  }

  /** The run came to its end: this report, whole, or none takes the place of an earlier one. */
  async finish(): Promise<void> {
    await this.#file.sync();
    await this.#file.close();
    if (!this.#isEmpty) return rename(unfinished(this.path), this.path);
    await Promise.all([this.path, unfinished(this.path)].map((path) => rm(path, { force: true })));
  }

  /** The run broke off, or is to leave no report: an earlier one stays as it is. */
  async discard(): Promise<void> {
    await this.#file.close();
    await rm(unfinished(this.path), { force: true });
  }

  #heading(): string {
    const { format, headings } = this.#source;
    if (format !== 'csv') return '';
    return csvLine([reportHeadings.row, reportHeadings.reason, ...this.#columns.map((at) => headings[at] ?? '')]);
  }

  #lineOf({ row: { number, original }, reason }: RefusedRow): string {
    if (this.#source.format === 'csv') {
      const cells = original as readonly string[];
      const beyond = cells.slice(this.#source.headings.length);
      return csvLine([String(number), reason, ...this.#columns.map((at) => cells[at] ?? ''), ...beyond]);
    }
    const own = typeof original === 'object' ? original : { text: original };
    return `${JSON.stringify({ ...own, [reportHeadings.row]: number, [reportHeadings.reason]: reason })}\n`;
  }
}

const unfinished = (path: string): string => `${path}.unfinished`;

const csvLine = (cells: readonly string[]): string => stringify([[...cells]]);
