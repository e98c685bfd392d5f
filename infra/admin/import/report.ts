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
import { cellOf, type WrittenValue, workbookFile } from '../files/workbook.ts';
import type { RowIssue, WrittenRow } from './decide.ts';
import type { FileOptions, ImportFile } from './open.ts';
import { updateText } from './update.ts';
import type { ImportCounts } from './write.ts';

export interface ReportOptions {
  readonly report?: string;
  readonly dryRun?: boolean;
}

/**
 * The path of a report, by default next to the file. A dry run has another path, because an earlier report may contain corrections that
 * have not been imported yet.
 * @throws CommandError if the path cannot be written, or is the file's own
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

/** The refused rows of a file, and the command's final sentences. */
export class ImportReport {
  readonly #refusals: WrittenRow[] = [];
  /** Issues by reason. A row with several issues counts for each of them. */
  readonly #reasons = new Map<string, Reason>();
  /** The first changes to leads, and all rows that become leads. */
  readonly #changes: string[] = [];
  readonly #newRows: number[] = [];
  readonly #organization: Organization;
  readonly #phoneKeys: readonly string[];
  /** Phones that were read as Indian because they have no country code: the file may be from another country. */
  #nationalPhones = 0;
  #nationalPhone: string | undefined;
  /** Times that were read as UTC because they have no zone. */
  #localTimes = 0;
  #localTime: string | undefined;

  /** @param country the country of phones without a country code */
  constructor(organization: Organization, country: string | undefined) {
    this.#organization = organization;
    const { fields } = organization;
    const phones = fields.filter(({ type }) => type === 'phone' && country === undefined);
    this.#phoneKeys = phones.map(({ key }) => key);
  }

  /** Adds the rows of a batch, in the order of the file. */
  add(rows: readonly WrittenRow[]): void {
    for (const row of rows) {
      const { outcome, update, issues } = row;
      this.#countPhones(row.read);
      this.#localTimes += row.localTime === undefined ? 0 : 1;
      this.#localTime ??= row.localTime;
      if (outcome === 'refused') this.#refusals.push(row);
      for (const issue of issues) this.#count(issue);
      if (outcome === 'imported') this.#newRows.push(row.number);
      if (outcome === 'updated' && update && this.#changes.length < plannedMax)
        this.#changes.push(updateText(this.#organization, update, true));
    }
  }

  /**
   * Writes the refused rows with their numbers and reasons, in the file's format, so that they can be imported once corrected. Only the
   * owner may read the report, because it contains personal data. An earlier report is replaced, or deleted if no rows were refused.
   */
  async write(path: string, file: Pick<ImportFile, 'form' | 'headings'>): Promise<void> {
    if (this.#refusals.length === 0) return rm(path, { force: true });
    const content = await reportContent(this.#refusals, file);
    await writeFile(unfinished(path), content, { mode: 0o600, flush: true });
    await rename(unfinished(path), path);
  }

  /** The lines below the counts: what a dry run would change, and why rows were refused. */
  *lines(
    { updated = 0, imported }: ImportCounts,
    { dryRun = false, update = false }: FileOptions & ReportOptions,
  ): Generator<string> {
    if (dryRun && update) {
      // The leads that would be changed or created.
      yield* this.#changes;
      if (updated > plannedMax) yield `and ${updated - plannedMax} more`;
      if (imported > 0)
        yield `Rows that would become new leads: ${firstOf(this.#newRows, plannedMax)}.`;
    }
    yield* this.#reasonLines();
    yield* this.phoneLines();
  }

  /** The command's final sentences: where the report is, and which options help. @param file null if no row was refused */
  *nextLines(
    file: string | null,
    { imported }: ImportCounts,
    { dryRun = false, update = false, keepIds = false }: FileOptions & ReportOptions,
  ): Generator<string> {
    if (file !== null)
      yield `Refused rows and their reasons: ${file}. Correct a copy and import it with the same options. The report contains personal data: delete it when you no longer need it.`;
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

  /** Says how times without a zone were read, if there are any. @param zone undefined for UTC */
  *timeLine(zone: string | undefined): Generator<string> {
    const [have, are] =
      this.#localTimes === 1 ? ['has a time', 'it is'] : ['have times', 'they are'];
    if (this.#localTimes > 0 && zone === undefined)
      yield `${countOf(this.#localTimes, 'row')} ${have} without a zone, such as ${this.#localTime}: ${are} read as UTC. If that is wrong, name the zone: --time-zone Asia/Kolkata.`;
  }

  /** The most frequent reasons, with the number of refused rows and the correction that would help. */
  *#reasonLines(): Generator<string> {
    const sorted = [...this.#reasons].sort(([, a], [, b]) => b.count - a.count);
    const all = countOf(this.#refusals.length, 'refused row');
    for (const [reason, one] of sorted.slice(0, reasonLinesMax)) {
      const { first, replacement, count, values, column } = one;
      const text = printable((count === 1 ? first : reason) + replacement);
      const isLong = text.length > reasonMaxChars;
      yield `  ${count.toLocaleString('en')} of ${all}: ${isLong ? `${text.slice(0, reasonMaxChars - 1)}…` : text}`;
      if (column !== undefined) yield* correctionLines(column, values);
    }
    const others = sorted.slice(reasonLinesMax).reduce((sum, [, { count }]) => sum + count, 0);
    if (others > 0) yield `  other reasons: ${others.toLocaleString('en')}`;
  }

  /**
   * The values of a column for which rows were refused, most frequent first, each with the name that was probably meant, or itself. Omits
   * values that occur once, because they are no habit of the file.
   */
  refusedValues(column: string): Record<string, string> {
    const own = [...this.#reasons.values()].filter((reason) => reason.column === column);
    const counts = own
      .flatMap(({ values, near }) => [...values].map(([value, count]) => ({ value, count, near })))
      .filter(({ value, count }) => count > 1 && !/[=\n]/.test(value));
    const sorted = counts.sort((a, b) => b.count - a.count).slice(0, refusedValuesMax);
    return Object.fromEntries(sorted.map(({ value, near }) => [value, near ?? value]));
  }

  #count({ sentence, replacement = '', near, column, value }: RowIssue): void {
    const key = withoutNames(sentence);
    const reason = this.#reasons.get(key) ?? {
      first: sentence,
      replacement,
      near,
      column,
      count: 0,
      values: new Map(),
    };
    reason.count += 1;
    if (value !== undefined && (reason.values.has(value) || reason.values.size < valuesMax))
      reason.values.set(value, (reason.values.get(value) ?? 0) + 1);
    this.#reasons.set(key, reason);
  }

  #countPhones({ fields, properties }: ImportRow): void {
    for (const key of properties.mark ? [] : this.#phoneKeys) {
      const text = fields[key];
      if (typeof text !== 'string' || text.startsWith('+')) continue;
      const { phone } = readPhone(text);
      if (phone === undefined || !lacksCountryCode(text, phone)) continue;
      this.#nationalPhones += 1;
      this.#nationalPhone ??= `${printable(text.trim())} as ${phone}`;
    }
  }
}

interface Reason {
  readonly first: string;
  /** How to replace the value of the first row. */
  readonly replacement: string;
  readonly near: string | undefined;
  readonly column: string | undefined;
  count: number;
  /** How many rows have each refused value. */
  readonly values: Map<string, number>;
}

/** A file may have another value in each row. */
const valuesMax = 1000;
const correctionsMax = 3;
const refusedValuesMax = 20;
/** Words that people and programs write for no value. */
const emptyWords =
  /^(?:[-–—.?/]+|n\.?\s?[/.]?\s?a\.?|none|no|nil|null|nan|unknown|undefined|empty|not (?:available|provided|given|known)|keine?|kein(?:e|er)? angabe|unbekannt|nahi|nahin)$/i;

/** How to read the most frequent refused values, if they mean no value. */
function* correctionLines(column: string, values: ReadonlyMap<string, number>): Generator<string> {
  const empty = [...values].filter(([value]) => emptyWords.test(value));
  for (const [value, count] of empty.sort(([, a], [, b]) => b - a).slice(0, correctionsMax)) {
    const option = `--value '${`${column}:${value}=`.replaceAll("'", "'\\''")}'`;
    yield `    ${countOf(count, 'row')} with ${JSON.stringify(value)}. Add to the plan: "values": {${JSON.stringify(value)}: null}; or add ${option}.`;
  }
}

/** The reason of a refusal, whichever lead, row or cell it names. */
const withoutNames = (issue: string): string =>
  issue
    .replace(/\bcreated lead \d+/, 'created a lead')
    .replace(/\b(lead|row) \d+/g, 'another $1')
    .replace(/^cell ([A-Z]+)\d+/, 'a cell of column $1');

const sentences = ({ issues }: WrittenRow): string =>
  issues.map(({ sentence, replacement = '' }) => sentence + replacement).join(' ');

async function reportContent(
  refusals: readonly WrittenRow[],
  { form, headings }: Pick<ImportFile, 'form' | 'headings'>,
): Promise<string | Buffer> {
  const { row: number, reason } = reportHeadings;
  if (form.format === 'jsonl')
    return refusals
      .map((row) => ({ ...row.original, [number]: row.number, [reason]: sentences(row) }))
      .map((object) => `${JSON.stringify(object)}\n`)
      .join('');
  // Omits the columns of an earlier report.
  const isOwn = headings.map((heading) => [number, reason].some((own) => own === heading.trim()));
  const headingCells = [number, reason, ...headings.filter((_, at) => !isOwn[at])];
  const rows = refusals.map((row): WrittenValue[] => {
    const cells: readonly WrittenValue[] = Array.isArray(row.original) ? row.original : [];
    const padded = [...cells, ...headings.slice(cells.length).map(() => '')];
    return [row.number, sentences(row), ...padded.filter((_, at) => !isOwn[at])];
  });
  if (form.format === 'xlsx')
    return workbookFile(
      headingCells,
      rows.map((cells) => cells.map(cellOf)),
    );
  const lines = [headingCells, ...rows].map((cells) => csvLine(cells.map(String), form));
  return form.mark + lines.join('');
}
