import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { lacksCountryCode, readPhone } from '../../../shared/leads/identity.ts';
import { csvLine } from '../../../shared/leads/transfer/csv-cells.ts';
import { reportHeadings } from '../../../shared/leads/transfer/import-columns.ts';
import type { ImportRow } from '../../../shared/leads/transfer/import-row.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { CommandError } from '../../cli/command.ts';
import { refusePath } from '../../cli/error-code.ts';
import { countOf, firstOf, printable } from '../../cli/format.ts';
import { type Cell, cellOf, workbookFile } from '../files/workbook.ts';
import type { RowResult } from './drafts.ts';
import type { ImportFile } from './file.ts';
import type { MappingOptions } from './mapping.ts';
import { updateText } from './update.ts';
import type { ImportCounts } from './write.ts';

export interface ReportOptions {
  readonly report?: string;
  readonly dryRun?: boolean;
}

/**
 * The path of a report: by default next to the file. A dry run has a path of its own, because an earlier report may contain corrections that
 * have not been imported yet.
 * @throws CommandError for a path that cannot be written, or that of the file
 */
export async function reportFileOf(
  file: string,
  { report, dryRun = false }: ReportOptions,
): Promise<string> {
  const kind = dryRun ? 'would-be-refused' : 'refused';
  const path = report ?? file.replace(/\.[^.]+$/, (extension) => `.${kind}${extension}`);
  if (resolve(path) === resolve(file))
    throw new CommandError(`--report ${path} is the file to import: name another file.`);
  const issue = `The report ${path} cannot be written`;
  const earlier = await stat(path).catch(() => undefined);
  if (earlier && !earlier.isFile()) throw new CommandError(`${issue}: it is not a file.`);
  await writeFile(unfinished(path), '').catch((error: unknown) => refusePath(issue, error));
  await rm(unfinished(path));
  return path;
}

const unfinished = (path: string): string => `${path}.unfinished`;

const reasonLinesMax = 5;
const reasonMaxChars = 300;
const plannedMax = 20;

/** The refused rows of a file, and what the command says at its end. */
export class ImportReport {
  readonly #refusals: RowResult[] = [];
  /** The issues of rows by their reason. A row that has several issues counts for each of them. */
  readonly #reasons = new Map<string, { readonly first: string; count: number }>();
  /** The first changes of leads, and all rows that become leads. */
  readonly #changes: string[] = [];
  readonly #newRows: number[] = [];
  readonly #organization: Organization;
  readonly #phoneKeys: readonly string[];
  /** Phones that were read as Indian because they have no country code: the file may be from another country. */
  #nationalPhones = 0;
  #nationalPhone: string | undefined;

  /** @param country of the phones without a country code */
  constructor(organization: Organization, country: string | undefined) {
    this.#organization = organization;
    const { fields } = organization;
    const phones = fields.filter(({ type }) => type === 'phone' && country === undefined);
    this.#phoneKeys = phones.map(({ key }) => key);
  }

  /** Adds the results of a batch. */
  add(results: readonly RowResult[]): void {
    const inOrder = results.toSorted((a, b) => a.row.number - b.row.number);
    for (const result of inOrder) {
      const { row, outcome, update, issues } = result;
      this.#countPhones(row.read);
      if (outcome === 'refused') this.#refusals.push(result);
      for (const issue of issues) {
        const reason = this.#reasons.get(withoutNames(issue)) ?? { first: issue, count: 0 };
        reason.count += 1;
        this.#reasons.set(withoutNames(issue), reason);
      }
      if (outcome === 'imported') this.#newRows.push(row.number);
      if (outcome === 'updated' && update && this.#changes.length < plannedMax)
        this.#changes.push(updateText(this.#organization, update, true));
    }
  }

  /**
   * Writes the refused rows, each with its number and the reason, in the format of the file: once corrected, they can be imported. Only their
   * owner may read them, because they contain personal data. An earlier report is replaced, or deleted if no rows were refused.
   */
  async write(path: string, file: Pick<ImportFile, 'form' | 'headings'>): Promise<void> {
    if (this.#refusals.length === 0) return rm(path, { force: true });
    const content = await reportContent(this.#refusals, file);
    await writeFile(unfinished(path), content, { mode: 0o600, flush: true });
    await rename(unfinished(path), path);
  }

  /** What the command says after its counts. */
  *lines(
    { updated = 0, imported, report }: ImportCounts & { readonly report: string | null },
    { dryRun = false, update = false, keepIds = false }: MappingOptions & ReportOptions,
  ): Generator<string> {
    if (dryRun && update) {
      // The leads that would be changed or made.
      yield* this.#changes;
      if (updated > plannedMax) yield `and ${updated - plannedMax} more`;
      if (imported > 0)
        yield `Rows that would become new leads: ${firstOf(this.#newRows, plannedMax)}.`;
    }
    yield* this.#reasonLines();
    yield* this.phoneLines();
    if (report !== null)
      yield `Refused rows and their reasons: ${report}. Correct a copy and import it with the same options. The report contains personal data: delete it when you no longer need it.`;
    const isTaken = [...this.#reasons.keys()].some((reason) => reason.includes('to another lead'));
    if (isTaken && !update && !keepIds) yield 'To change those leads, add --update.';
    if (!dryRun && imported > 0)
      yield 'To remove the leads that it created, run the same command with --undo.';
  }

  /** Says how phones without a country code were read, if there are any. */
  *phoneLines(): Generator<string> {
    if (this.#nationalPhones === 0) return;
    const [have, are] = this.#nationalPhones === 1 ? ['has', 'is'] : ['have', 'are'];
    yield `${countOf(this.#nationalPhones, 'phone')} ${have} no country code and ${are} read as Indian, such as ${this.#nationalPhone}. If that is wrong, name the country: --country DE.`;
  }

  /** The most frequent reasons, and how many of the refused rows have each: an option that a reason names would help so many. */
  *#reasonLines(): Generator<string> {
    const sorted = [...this.#reasons].sort(([, a], [, b]) => b.count - a.count);
    const all = countOf(this.#refusals.length, 'refused row');
    for (const [reason, { first, count }] of sorted.slice(0, reasonLinesMax)) {
      const text = printable(count === 1 ? first : reason);
      const isLong = text.length > reasonMaxChars;
      yield `  ${count.toLocaleString('en')} of ${all}: ${isLong ? `${text.slice(0, reasonMaxChars - 1)}…` : text}`;
    }
    const others = sorted.slice(reasonLinesMax).reduce((sum, [, { count }]) => sum + count, 0);
    if (others > 0) yield `  other reasons: ${others.toLocaleString('en')}`;
  }

  #countPhones({ fields, properties }: ImportRow): void {
    for (const key of properties.mark ? [] : this.#phoneKeys) {
      const text = fields[key];
      if (typeof text !== 'string') continue;
      const { phone } = readPhone(text);
      if (phone === undefined || !lacksCountryCode(text, phone)) continue;
      this.#nationalPhones += 1;
      this.#nationalPhone ??= `${printable(text.trim())} as ${phone}`;
    }
  }
}

/** The reason of a refusal, whichever lead, row or cell it names. */
const withoutNames = (issue: string): string =>
  issue
    .replace(/\bcreated lead \d+/, 'created a lead')
    .replace(/\b(lead|row) \d+/g, 'another $1')
    .replace(/^cell ([A-Z]+)\d+/, 'a cell of column $1');

async function reportContent(
  refusals: readonly RowResult[],
  { form, headings }: Pick<ImportFile, 'form' | 'headings'>,
): Promise<string | Buffer> {
  const { row: number, reason } = reportHeadings;
  if (form.format === 'jsonl')
    return refusals
      .map(({ row, issues }) => ({
        ...row.original,
        [number]: row.number,
        [reason]: issues.join(' '),
      }))
      .map((object) => `${JSON.stringify(object)}\n`)
      .join('');
  // Without the columns of an earlier report.
  const isOwn = headings.map((heading) => [number, reason].some((own) => own === heading.trim()));
  const headingCells = [number, reason, ...headings.filter((_, at) => !isOwn[at])];
  const rows = refusals.map(({ row, issues }): Cell[] => {
    const cells: readonly Cell[] = Array.isArray(row.original) ? row.original : [];
    const padded = [...cells, ...headings.slice(cells.length).map(() => '')];
    return [row.number, issues.join(' '), ...padded.filter((_, at) => !isOwn[at])];
  });
  if (form.format === 'xlsx')
    return workbookFile(
      headingCells,
      rows.map((cells) => cells.map(cellOf)),
    );
  const lines = [headingCells, ...rows].map((cells) => csvLine(cells.map(String), form));
  return form.mark + lines.join('');
}
