import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { lacksCountryCode } from '../../../shared/leads/identity.ts';
import { csvLine } from '../../../shared/leads/transfer/csv-cells.ts';
import { reportHeadings } from '../../../shared/leads/transfer/import-columns.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { CommandError } from '../../cli/command.ts';
import { pathIssue } from '../../cli/error-code.ts';
import { countOf, printable } from '../../cli/format.ts';
import { cellOf, workbookFile } from '../lead/workbook.ts';
import type { RowResult } from './drafts.ts';
import type { ImportFile } from './file.ts';
import type { ImportCounts } from './run.ts';
import type { Cell } from './workbook.ts';

type ReportSource = Pick<ImportFile, 'form' | 'headings' | 'formats'>;

/**
 * The default path of a report: next to the file. A dry run has a path of its own, because an earlier report may contain corrections that
 * have not been imported yet.
 */
export const reportPath = (file: string, dryRun: boolean): string =>
  file.replace(
    /\.[^.]+$/,
    (extension) => `.${dryRun ? 'would-be-refused' : 'refused'}${extension}`,
  );

const reasonLinesMax = 5;
const reasonMaxChars = 300;
const plannedMax = 20;

/**
 * The refused rows of a file, each with its number and the reason, in the format of the file. Once corrected, the report can be imported.
 * It is written to a temporary file, which replaces an earlier report when the run is complete. Without refused rows there is no report.
 * Only its owner may read it, because it contains personal data. The report also counts what the command says at its end.
 */
export class ImportReport {
  readonly path: string;
  readonly #source: ReportSource;
  readonly #phoneKeys: readonly string[];
  readonly #file: FileHandle;
  /** The rows of a workbook, which is written at the end. */
  readonly #cells: Cell[][] = [];
  readonly #reasons = new Map<string, number>();
  /** The first changes of leads, and the first rows that become leads. */
  #changes: readonly string[] = [];
  #newRows: readonly number[] = [];
  /** Phones that were read as Indian. */
  #nationalPhones = 0;
  #nationalPhone: string | undefined;

  private constructor(
    path: string,
    source: ReportSource,
    { fields }: Pick<Organization, 'fields'>,
    file: FileHandle,
  ) {
    this.path = path;
    this.#source = source;
    this.#phoneKeys = fields.filter(({ type }) => type === 'phone').map(({ key }) => key);
    this.#file = file;
  }

  /** @throws CommandError when the report cannot be written */
  static async begin(
    path: string,
    source: ReportSource,
    organization: Pick<Organization, 'fields'>,
  ): Promise<ImportReport> {
    const failure = (reason: string, cause?: unknown) =>
      new CommandError(`The report ${path} cannot be written: ${reason}.`, { cause });
    const earlier = await stat(path).catch(() => undefined);
    if (earlier && !earlier.isFile()) throw failure('it is not a file');
    const file = await open(unfinished(path), 'w', 0o600).catch((error: unknown) => {
      throw failure(pathIssue(error) ?? String(error), error);
    });
    return new ImportReport(path, source, organization, file);
  }

  /** Adds the results of a batch. The refused rows are ordered by their number. */
  async add(results: readonly RowResult[]): Promise<void> {
    for (const result of results) this.#countPhones(result);
    const inOrder = results.toSorted((a, b) => a.row.number - b.row.number);
    const changes = inOrder.flatMap(({ change }) => change ?? []);
    const newRows = inOrder.filter(({ outcome }) => outcome === 'imported');
    this.#changes = [...this.#changes, ...changes].slice(0, plannedMax);
    this.#newRows = [...this.#newRows, ...newRows.map(({ row }) => row.number)].slice(
      0,
      plannedMax,
    );
    const refused = inOrder.filter(({ outcome }) => outcome === 'refused');
    if (refused.length === 0) return;
    const { form } = this.#source;
    const heading = this.#isEmpty ? this.#heading() : '';
    for (const { issues } of refused) this.#countReasons(issues);
    if (form.format === 'xlsx') this.#cells.push(...refused.map((one) => this.#cellsOf(one)));
    else await this.#file.appendFile(heading + refused.map((one) => this.#lineOf(one)).join(''));
  }

  /** The run is complete: this report replaces an earlier one, which is deleted if no rows were refused. */
  async finish(): Promise<void> {
    const rows = this.#cells.map((cells) => cells.map(cellOf));
    if (rows.length > 0) await this.#file.writeFile(await workbookFile(this.#headings, rows));
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

  /** What a dry run of an update says of the leads that it would change or make. */
  plannedLines({ updated = 0, imported }: Pick<ImportCounts, 'updated' | 'imported'>): string[] {
    const more = (count: number) => (count > plannedMax ? [`and ${count - plannedMax} more`] : []);
    const rows = [...this.#newRows, ...more(imported)].join(', ');
    const newLeads = imported === 0 ? [] : [`Rows that would become new leads: ${rows}.`];
    return [...this.#changes, ...more(updated), ...newLeads];
  }

  /** The most frequent reasons of refusals, and how many phones were read as Indian. */
  lines(): string[] {
    const sorted = [...this.#reasons].sort(([, a], [, b]) => b - a);
    const frequent = sorted.slice(0, reasonLinesMax);
    const others = sorted.slice(reasonLinesMax).reduce((sum, [, count]) => sum + count, 0);
    if (others > 0) frequent.push(['other reasons', others]);
    const counts = frequent.map(([, count]) => count.toLocaleString('en'));
    const width = Math.max(0, ...counts.map(({ length }) => length));
    const reasons = frequent.map(([reason], at) => {
      const text = printable(reason);
      const isLong = text.length > reasonMaxChars;
      const line = isLong ? `${text.slice(0, reasonMaxChars - 1)}…` : text;
      return `  ${counts[at]?.padStart(width)} × ${line}`;
    });
    if (this.#nationalPhones === 0) return reasons;
    const [have, are] = this.#nationalPhones === 1 ? ['has', 'is'] : ['have', 'are'];
    return [
      ...reasons,
      `${countOf(this.#nationalPhones, 'phone')} ${have} no country code and ${are} read as Indian, such as ${this.#nationalPhone}. If that is wrong, name the country: --country DE.`,
    ];
  }

  /** Whether rows were refused because other leads have their phones or emails. */
  hasTaken(): boolean {
    return [...this.#reasons.keys()].some((reason) => reason.includes('belongs to another lead'));
  }

  get #isEmpty(): boolean {
    return this.#reasons.size === 0;
  }

  /** A row that has several issues counts for each of them. */
  #countReasons(issues: readonly string[]): void {
    for (const issue of issues) {
      // Which lead or row a reason names does not matter.
      const reason = issue
        .replace(/\bcreated lead \d+/, 'created a lead')
        .replace(/\b(lead|row) \d+/g, 'another $1');
      this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
    }
  }

  /** Counts the phones that were read as Indian numbers because they have no country code. The command says so: the file may be from another country. */
  #countPhones({ row: { read }, lead }: RowResult): void {
    const { country } = this.#source.formats;
    if (!lead || typeof read === 'string' || read.isExported || country) return;
    for (const key of this.#phoneKeys) {
      const [text, phone] = [read.fields[key], lead.fields[key]];
      if (typeof text !== 'string' || typeof phone !== 'string') continue;
      if (!lacksCountryCode(text, phone)) continue;
      this.#nationalPhones += 1;
      this.#nationalPhone ??= `${printable(text.trim())} as ${phone}`;
    }
  }

  get #headings(): string[] {
    const { row, reason } = reportHeadings;
    return this.#ownCells(row, reason, this.#source.headings);
  }

  #heading(): string {
    const { form } = this.#source;
    return form.mark + (form.format === 'csv' ? csvLine(this.#headings, form) : '');
  }

  #lineOf(result: RowResult): string {
    const { form } = this.#source;
    const { row, reason: because } = reportHeadings;
    const { number, original } = result.row;
    const reason = result.issues.join(' ');
    return form.format === 'csv'
      ? csvLine(this.#cellsOf(result).map(String), form)
      : `${JSON.stringify({ ...original, [row]: number, [because]: reason })}\n`;
  }

  #cellsOf({ row: { number, original }, issues }: RowResult): Cell[] {
    const cells: readonly Cell[] = Array.isArray(original) ? original : [];
    return this.#ownCells<Cell>(number, issues.join(' '), cells);
  }

  /** A row with the columns of the file, without those of an earlier report. */
  #ownCells<T>(number: T, reason: T, cells: readonly T[]): (T | '')[] {
    const { headings } = this.#source;
    const own: readonly string[] = Object.values(reportHeadings);
    const isOwn = headings.map((heading) => own.includes(heading.trim()));
    const padded = [...cells, ...headings.slice(cells.length).map(() => '' as const)];
    return [number, reason, ...padded.filter((_, at) => !isOwn[at])];
  }
}

const unfinished = (path: string): string => `${path}.unfinished`;
