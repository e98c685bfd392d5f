import { stat } from 'node:fs/promises';
import type { Organization } from '../../../shared/organization/organization.ts';
import { unfinishedErasures } from '../../../shared/store/erasure/erase-lead.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf, firstOf, printable } from '../../cli/format.ts';
import { writeNewFile } from '../../cli/resumable-file.ts';
import { audited, type CommandContext } from '../context.ts';
import {
  type FileOptions,
  type ImportFile,
  type OpenFile,
  openImportFile,
  shownRow,
} from './open.ts';
import { ImportReport, type ReportOptions, reportFileOf } from './report.ts';
import type { ReadRow } from './rows.ts';
import { type ImportCounts, type ImportRequest, importRows } from './write.ts';

export interface ImportOptions extends FileOptions, ReportOptions {
  readonly rate?: number;
}

/**
 * A lead of up to 1 KB costs 2 write units in its organization's partition, because a transaction costs double. It costs 1 in the partition
 * of the update index, which all leads share. So 200 leads per second use 400 and 200 of a partition's 1,000 units, and leave the rest for
 * live traffic. A lead costs about 14 units in total, so they use 2,800 of the 4,000 units per second of a new on-demand table. Larger
 * leads cost more per KB.
 */
export const rateDefault = 200;
export const rateMax = 400;

/** What an import works with, from a command or from the page. */
export interface ImportWork {
  readonly table: Table;
  readonly organizationId: number;
  /** The organization's current state, because settings may be applied during an import. */
  readonly organization: () => Promise<Organization>;
  /** Who runs the import, for timelines and the audit log. */
  readonly who: () => Promise<string>;
  /** The maximum number of leads per second. Infinity for a local engine, which has no other traffic. */
  readonly rate: number;
  readonly onProgress: (sentence: string) => void;
}

export const importRateOf = (context: CommandContext): number =>
  context.isLocalEngine() ? Number.POSITIVE_INFINITY : rateDefault;

export const importWorkOf = (
  context: CommandContext,
  { rate = importRateOf(context) }: ImportOptions,
): ImportWork => ({
  table: context.table(),
  organizationId: context.organizationId,
  organization: () => context.organization(),
  who: () => context.callerIdentity(),
  rate,
  onProgress: (sentence) => context.progress(sentence),
});

/** The result of an import. */
export interface Imported {
  readonly counts: ImportCounts;
  readonly report: ImportReport;
  /** The first rows as read, a line each. */
  readonly first: readonly string[];
}

/** Imports the rows of a file with an entry in the audit log, or previews the import. */
export async function importRowsOf(
  file: ImportFile,
  work: ImportWork,
  options: ImportOptions,
): Promise<Imported> {
  const { table, organizationId, organization, who, rate, onProgress } = work;
  const { dryRun = false, keepIds = false, update: updates = false } = options;
  const rules = await organization();
  const report = new ImportReport(rules, file.country);
  const first: ReadRow[] = [];
  const onWritten: ImportRequest['onWritten'] = (rows, counts) => {
    const inOrder = rows.toSorted((a, b) => a.number - b.number);
    if (first.length < rowsShown) first.push(...inOrder.slice(0, rowsShown - first.length));
    report.add(inOrder);
    onProgress(`Of ${countOf(file.lastRow, 'row')}: ${summary(counts, dryRun)}`);
  };
  const request: ImportRequest = {
    organizationId,
    organization,
    rows: file.rows,
    erasing: new Set(await unfinishedErasures({ table, organizationId })),
    keepIds,
    dryRun,
    leadsPerSecond: dryRun ? rateMax : rate,
    updates,
    // A dry run writes nothing, so it needs no identity.
    by: dryRun ? '' : await who(),
    onWritten,
  };
  const run = () => importRows(table, request);
  const action = { who: request.by, what: 'lead import' };
  const resultOf = ({ imported, updated }: ImportCounts) =>
    `${countOf(imported, 'lead')}${updated === undefined ? '' : `, ${updated} updated`}`;
  const counts = await (dryRun ? run() : audited({ table, organizationId }, action, run, resultOf));
  return { counts, report, first: shownLines(rules, first) };
}

/** Imports a file, or writes a plan for it if some columns are open. */
export async function importFile(
  context: CommandContext,
  path: string,
  options: ImportOptions,
): Promise<void> {
  const { dryRun = false } = options;
  const organization = await context.organization();
  context.progress(`Reading ${path}`);
  const file = await openImportFile(path, organization, options);
  if ('open' in file) return propose(context, path, file);
  const reportFile = await reportFileOf(path, options);
  const work = importWorkOf(context, options);
  const imported = await importRowsOf(file, work, options);
  const hasRefused = imported.counts.refused > 0;
  if (hasRefused || !dryRun) await imported.report.write(reportFile, file);
  if (hasRefused) context.exitWithFailure();
  const result = {
    ...imported.counts,
    report: hasRefused ? reportFile : null,
    dryRun,
    ...leftOut(file),
  };
  for (const remark of remarksOf(file, imported)) context.note(remark);
  context.print(
    result,
    [...importLines(file, work, imported, options)],
    [...imported.report.nextLines(result.report, imported.counts, options)],
  );
}

/** Sentences about how the file was read, where people might expect another reading. */
export const remarksOf = (file: ImportFile, { report }: Imported): string[] => [
  ...file.remarks,
  ...report.timeLine(file.timeZone),
];

/** What an import did, or would do. */
export function* importLines(
  file: ImportFile,
  { organizationId, rate }: ImportWork,
  { counts, report, first }: Imported,
  options: ImportOptions,
): Generator<string> {
  const { dryRun = false } = options;
  yield `Organization ${organizationId}${ofSheet(file)}: ${summary(counts, dryRun)}.`;
  if (dryRun) yield* first;
  yield* ignoredLines(file, dryRun);
  if (dryRun) yield* durationLines(rate, counts);
  yield* report.lines(counts, options);
}

/** Which parts of the file were read, and which were not. */
const leftOut = ({ hidden, sheet, ignoresOthers, others }: ImportFile) => ({
  ...(hidden > 0 && { hidden }),
  ...(sheet !== undefined && { sheet }),
  ...(ignoresOthers && { ignored: [...others] }),
});

/** The sheet of a workbook, and what it hides. */
function ofSheet({ sheet, hidden }: ImportFile): string {
  if (sheet === undefined) return '';
  const leftOut = hidden > 0 ? ` (${countOf(hidden, 'hidden row')} left out)` : '';
  return `, sheet ${JSON.stringify(sheet)}${leftOut}`;
}

const rowsShown = 3;

/** The rows as read, a line each. */
const shownLines = (organization: Organization, rows: readonly ReadRow[]): string[] =>
  rows.map((row) => {
    const values = Object.entries(shownRow(organization, row))
      .filter(([, value]) => value !== null && value !== '')
      .map(
        ([name, value]) =>
          `${name}: ${printable(String(value).replace(/\s+/g, ' ')).slice(0, valueMaxChars)}`,
      );
    return `  row ${row.number}: ${row.issue ?? values.join(' · ')}`;
  });
const valueMaxChars = 60;

function* ignoredLines({ ignored, ignoresOthers }: ImportFile, dryRun: boolean): Generator<string> {
  if ((dryRun || ignoresOthers) && ignored.length > 0)
    yield `Ignored columns: ${firstOf(
      ignored.map((name) => printable(name)),
      ignoredMax,
    )}.`;
}
const ignoredMax = 100;

/** About how many leads per second a local engine writes. */
const localLeadsPerSecond = 100;

function* durationLines(rate: number, { imported, updated = 0 }: ImportCounts): Generator<string> {
  const leads = imported + updated;
  if (leads === 0) return;
  const seconds = Math.ceil(leads / (Number.isFinite(rate) ? rate : localLeadsPerSecond));
  yield `The import will take about ${seconds < 120 ? countOf(seconds, 'second') : countOf(Math.round(seconds / 60), 'minute')}.`;
}

/** The columns that a person must review. Columns with the same reason share a line. */
const openLines = (open: OpenFile['open']): string[] =>
  [...Map.groupBy(open, ({ why }) => why)].map(([why, columns]) => {
    const names = columns.flatMap(({ column }) => (column === null ? [] : [printable(column)]));
    return names.length === 0
      ? `  ${why}`
      : `  ${names.map((name) => JSON.stringify(name)).join(', ')}: ${why}`;
  });

export const planBeside = (path: string): string => path.replace(/\.[^.]+$/, '.plan.json');

/** Writes the plan that a file with open columns needs, and shows how its first rows would be read. */
async function propose(context: CommandContext, path: string, file: OpenFile): Promise<void> {
  const plan = planBeside(path);
  const organization = await context.organization();
  const ofFile = `lead import ${path} --organization ${organization.id} --plan ${plan}`;
  if (await stat(plan).catch(() => undefined))
    throw new CommandError(
      `Nothing was imported: ${path} has columns to look at, and ${plan} exists. To import by it, add --plan ${plan}. For a new plan, move that file away.`,
    );
  await writeNewFile(plan, async () => `${JSON.stringify(file.proposal, null, 2)}\n`);
  const open = file.open.map(({ column, why, inPlan = '' }) => ({ column, why: why + inPlan }));
  const rows = file.rows.map((row) => shownRow(organization, row));
  context.exitWithFailure();
  context.print(
    { plan, open, rows },
    `Nothing was imported: look at ${countOf(open.length, 'column')} of ${path}. The plan ${plan} says how each is read:`,
    openLines(open),
    'The first rows would be read as:',
    shownLines(organization, file.rows),
    'Correct the plan, then:',
    `  npm run admin -- ${ofFile} --dry-run`,
    `  npm run admin -- ${ofFile}`,
  );
}

function summary(
  { rows, imported, updated, alreadyThere, refused }: ImportCounts,
  dryRun: boolean,
): string {
  const would = dryRun ? 'would be ' : '';
  const state = updated === undefined ? 'imported before' : 'unchanged';
  const before = alreadyThere > 0 ? `, ${alreadyThere.toLocaleString('en')} ${state}` : '';
  const changed = updated ? `, ${updated.toLocaleString('en')} ${would}updated` : '';
  return `${countOf(rows, 'row')}, ${imported.toLocaleString('en')} ${would}imported${changed}${before}, ${refused.toLocaleString('en')} ${would}refused`;
}
