import { type FileHandle, open, rm } from 'node:fs/promises';
import { stringify } from 'csv-stringify/sync';
import { reportHeadings } from '../../shared/leads/import-columns.ts';
import type { FileRow, ImportFile } from './import-file.ts';

export interface RefusedRow {
  readonly row: FileRow;
  readonly reason: string;
}

/** Where the report of a file lies unless the administrator says otherwise: beside it. */
export const reportPath = (file: string): string => file.replace(/\.[^.]+$/, (extension) => `.refused${extension}`);

/**
 * The refused rows of a file, each with its number and the reason, in the file's own form: corrected, the report is a file to import.
 * Written as the rows are refused; not there when none was. Only its owner may read it, as it holds personal data.
 */
export class ImportReport {
  readonly path: string;
  readonly #source: Pick<ImportFile, 'format' | 'headings'>;
  /** The file's columns that are not of an earlier report. */
  readonly #columns: readonly number[];
  #file: FileHandle | undefined;
  #writing: Promise<void>;

  constructor(path: string, source: Pick<ImportFile, 'format' | 'headings'>) {
    this.path = path;
    this.#source = source;
    const own: readonly string[] = Object.values(reportHeadings);
    this.#columns = source.headings.flatMap((heading, column) => (own.includes(heading.trim()) ? [] : [column]));
    this.#writing = rm(path, { force: true });
  }

  /** Adds rows, in the order of their numbers. */
  async add(refused: readonly RefusedRow[]): Promise<void> {
    if (refused.length === 0) return;
    const ordered = [...refused].sort((a, b) => a.row.number - b.row.number);
    this.#writing = this.#writing.then(async () => {
      this.#file ??= await this.#begin();
      await this.#file.appendFile(ordered.map((one) => this.#lineOf(one)).join(''));
    });
    return this.#writing;
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file?.close();
  }

  async #begin(): Promise<FileHandle> {
    const file = await open(this.path, 'w', 0o600);
    const { format, headings } = this.#source;
    if (format === 'csv') {
      await file.appendFile(
        csvLine([reportHeadings.row, reportHeadings.reason, ...this.#columns.map((at) => headings[at] ?? '')]),
      );
    }
    return file;
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

const csvLine = (cells: readonly string[]): string => stringify([[...cells]]);
