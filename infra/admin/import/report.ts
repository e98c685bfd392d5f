import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { stringify } from 'csv-stringify/sync';
import { reportHeadings } from '../../../shared/leads/transfer/import-columns.ts';
import { errorCode } from '../../cli/error-code.ts';
import { CommandError } from '../context.ts';
import type { RefusedRow } from './drafts.ts';
import { encoded, type ImportFile } from './file.ts';

type ReportSource = Pick<ImportFile, 'form' | 'headings'>;

/**
 * The default path of a report: next to the file. A dry run has a path of its own, because an earlier report may contain corrections that
 * have not been imported yet.
 */
export const reportPath = (file: string, dryRun: boolean): string =>
  file.replace(
    /\.[^.]+$/,
    (extension) => `.${dryRun ? 'would-be-refused' : 'refused'}${extension}`,
  );

/**
 * The refused rows of a file, each with its number and the reason, as the program of the file writes: in its format, with its delimiter,
 * line ends, encoding and byte order mark. Once corrected, the report can be imported.
 * It is written to a temporary file, which replaces an earlier report when the run is complete. Without refused rows there is no report.
 * Only its owner may read it, because it contains personal data.
 */
export class ImportReport {
  readonly path: string;
  readonly #source: ReportSource;
  /** The columns of the file, without those of an earlier report. */
  readonly #columns: readonly number[];
  readonly #file: FileHandle;
  #isEmpty = true;

  private constructor(path: string, source: ReportSource, file: FileHandle) {
    this.path = path;
    this.#source = source;
    this.#file = file;
    const own: readonly string[] = Object.values(reportHeadings);
    this.#columns = source.headings.flatMap((heading, column) =>
      own.includes(heading.trim()) ? [] : [column],
    );
  }

  /** @throws CommandError when the report cannot be written */
  static async begin(path: string, source: ReportSource): Promise<ImportReport> {
    const failure = (reason: string, cause?: unknown) =>
      new CommandError(`The report ${path} cannot be written: ${reason}.`, { cause });
    const earlier = await stat(path).catch(() => undefined);
    if (earlier && !earlier.isFile()) throw failure('it is not a file');
    try {
      return new ImportReport(path, source, await open(unfinished(path), 'w', 0o600));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw failure(errorCode(error) === 'ENOENT' ? 'its folder does not exist' : message, error);
    }
  }

  /** Adds rows, ordered by their number. */
  async add(refused: readonly RefusedRow[]): Promise<void> {
    if (refused.length === 0) return;
    const ordered = [...refused].sort((a, b) => a.row.number - b.row.number);
    const heading = this.#isEmpty ? this.#heading() : '';
    this.#isEmpty = false;
    const text = heading + ordered.map((one) => this.#lineOf(one)).join('');
    await this.#file.appendFile(encoded(text, this.#source.form.encoding));
  }

  /** The run is complete: this report replaces an earlier one, which is deleted if no rows were refused. */
  async finish(): Promise<void> {
    await this.#file.sync();
    await this.#file.close();
    if (!this.#isEmpty) return rename(unfinished(this.path), this.path);
    await Promise.all([this.path, unfinished(this.path)].map((path) => rm(path, { force: true })));
  }

  /** The run was interrupted, or needs no report: an earlier report is kept. */
  async discard(): Promise<void> {
    await this.#file.close();
    await rm(unfinished(this.path), { force: true });
  }

  #heading(): string {
    const { form, headings } = this.#source;
    const mark = form.hasByteOrderMark ? '\uFEFF' : '';
    if (form.format !== 'csv') return mark;
    const line = this.#csvLine([
      reportHeadings.row,
      reportHeadings.reason,
      ...this.#columns.map((at) => headings[at] ?? ''),
    ]);
    return mark + line;
  }

  #csvLine(cells: readonly string[]): string {
    const { delimiter, lineEnd } = this.#source.form;
    // Most programs end a row at any line break, whichever one the file uses.
    const form = { delimiter, record_delimiter: lineEnd, quote_record_delimiter: true };
    return stringify([[...cells]], form);
  }

  #lineOf({ row: { number, original }, issues }: RefusedRow): string {
    const reason = issues.map(({ sentence }) => sentence).join(' ');
    if ('cells' in original) {
      const { cells } = original;
      const beyondHeadings = cells.slice(this.#source.headings.length);
      return this.#csvLine([
        String(number),
        reason,
        ...this.#columns.map((at) => cells[at] ?? ''),
        ...beyondHeadings,
      ]);
    }
    return `${JSON.stringify({ ...original.object, [reportHeadings.row]: number, [reportHeadings.reason]: reason })}\n`;
  }
}

const unfinished = (path: string): string => `${path}.unfinished`;
