import { resolve } from 'node:path';
import type { Command } from 'commander';
import { addAuditEntry } from '../../../shared/store/organizations/audit-log.ts';
import { integerOption } from '../../cli/integer-option.ts';
import { type CommandContext, CommandError, existingOrganization, parseId } from '../context.ts';
import { countOf } from '../format.ts';
import { freshOrganization } from '../fresh-organization.ts';
import { openImportFile } from './file.ts';
import { ColumnMapping, type MappedColumn, parseMap } from './mapping.ts';
import { ImportReport, reportPath } from './report.ts';
import { type ImportCounts, type ImportRequest, importRows } from './run.ts';

interface ImportOptions {
  organization: number;
  map?: MappedColumn[];
  ignore?: string[];
  dryRun?: boolean;
  keepIds?: boolean;
  rate: number;
  report?: string;
}

/**
 * A lead of up to 1 KB costs 2 write units in its organization's partition of the table (a transaction costs double), and 1 in the
 * partition of the update index, which all leads share. 200 leads per second use 400 and 200 of the 1,000 units of a partition; the rest
 * is left for live traffic. A lead costs about 14 units in total, so they use 2,800 of the 4,000 units per second of a new on-demand
 * table. Larger leads cost more, by the KB.
 */
const rateDefault = 200;
const rateMax = 400;

export function leadImportCommand(lead: Command, context: CommandContext): void {
  lead
    .command('import')
    .description('create leads from the rows of a file; rows that were imported before are skipped')
    .argument('<FILE>', '.csv file with headings, or .jsonl file with one object per line; UTF-8')
    .requiredOption('--organization <ID>', 'organization ID', parseId)
    .option('--map <COLUMN=FIELD>', 'field key of a column; may be repeated', parseMap)
    .option('--ignore <COLUMN>', 'ignore a column; may be repeated', collectColumn)
    .option(
      '--dry-run',
      'import nothing; print the counts and report the rows that would be refused',
    )
    .option(
      '--keep-ids',
      'use the lead IDs of the file; only for an organization that gets no requests yet',
    )
    .option(
      '--rate <N>',
      `maximum number of leads per second, 1 to ${rateMax}`,
      integerOption(1, rateMax),
      rateDefault,
    )
    .option(
      '--report <FILE>',
      'file for the refused rows and their reasons (default: leads.refused.csv for leads.csv; leads.would-be-refused.csv in a dry run)',
    )
    .addHelpText(
      'after',
      `
${columnHelp}
${reportHelp}
Examples:
  npm run admin -- lead import --organization 1 leads.csv --dry-run
  npm run admin -- lead import --organization 1 leads.csv \\
    --map 'Full name=name' --map 'Mobile=phone' --ignore Remarks`,
    )
    .action((file: string, options: ImportOptions) => importFile(context, file, options));
}

const columnHelp = `\
The heading of a column is the key or label of a field, or one of: owner, stage,
pipeline, created at, updated at, archived, archived at.
Write a stage, pipeline, source or user as its ID or name, and an option as its
value or label. Separate several options by commas (hostel,loan), or write them
as a JSON list (["hostel","Education loan, bank"]).

Rows follow the rules of create-lead. A row that lead export wrote has a value
in the column "lead service export". It is imported unchanged, even if its stage,
users, source, options or fields are no longer active.
A column "Lead ID" without that column has the IDs of another system. Ignore it
with --ignore 'Lead ID', or map it to a field with --map 'Lead ID=FIELD' (for
--keep-ids, FIELD is 'lead id').
Without "updated at", a lead counts as updated now. With a past "updated at", a
sync job that has already read past that time does not see the lead.
`;

const reportHelp = `\
If the command is interrupted, run it again: rows that were imported are
skipped. The report has the refused rows under the headings of the file: correct a copy,
and import it with the same --map and --ignore. A completed import replaces the
report of an earlier one; an interrupted import or a dry run does not.
The status is 1 if rows were refused.
`;

const collectColumn = (column: string, before: readonly string[] = []): string[] => [
  ...before,
  column,
];

async function importFile(
  context: CommandContext,
  path: string,
  options: ImportOptions,
): Promise<void> {
  const { organization: organizationId, dryRun = false, keepIds = false, rate } = options;
  const table = context.table();
  const organization = await existingOrganization(table, organizationId);
  const mapping = new ColumnMapping(options.map ?? [], options.ignore ?? []);
  mapping.checkAgainst(organization, keepIds);
  const file = await openImportFile(path, organization, mapping);
  const report = await ImportReport.begin(reportFileOf(path, options), file);
  const begun = Date.now();
  const textOf = (counts: ImportCounts): string =>
    `${summary(counts, dryRun)}${speed(counts, begun)}`;
  const request: ImportRequest = {
    file,
    report,
    organization: freshOrganization(table, organization),
    keepIds,
    dryRun,
    leadsPerSecond: dryRun ? rateMax : rate,
    onProgress: (counts) => {
      context.progress(`${Math.floor(100 * file.progress())} %: ${textOf(counts)}`);
    },
  };
  const run = dryRun ? importRows : withAuditEntries(context, organizationId);
  const counts = await run(table, request).catch(async (error: unknown) => {
    await report.discard();
    throw error;
  });
  await (dryRun && counts.refused === 0 ? report.discard() : report.finish());
  const result = { ...counts, report: counts.refused > 0 ? report.path : null, dryRun };
  printResult(context, result, `Organization ${organizationId}: ${textOf(counts)}.`);
}

/** @throws CommandError for the path of the file to import, which the report would overwrite */
function reportFileOf(path: string, { report, dryRun = false }: ImportOptions): string {
  const reportFile = report ?? reportPath(path, dryRun);
  if (resolve(reportFile) !== resolve(path)) return reportFile;
  throw new CommandError(`--report ${reportFile} is the file to import: name another file.`);
}

interface ImportResult extends ImportCounts {
  readonly report: string | null;
  readonly dryRun: boolean;
}

function printResult(context: CommandContext, result: ImportResult, summaryLine: string): void {
  if (result.report !== null) context.exitWithFailure();
  context.print(result, () => {
    if (result.report === null) return summaryLine;
    return `${summaryLine}\nRefused rows and their reasons: ${result.report}. Correct a copy and import it with the same --map and --ignore. The report contains personal data: delete it when you no longer need it.`;
  });
}

/** An import that is in the audit log before its first row, so that one that is interrupted is there too. */
const withAuditEntries =
  (context: CommandContext, organizationId: number): typeof importRows =>
  async (table, request) => {
    const who = await context.callerIdentity();
    await addAuditEntry(table, organizationId, { who, what: 'lead import begun' });
    const counts = await importRows(table, request);
    await addAuditEntry(table, organizationId, {
      who,
      what: `lead import, ${countOf(counts.imported, 'lead')}`,
    });
    return counts;
  };

function summary({ rows, imported, alreadyThere, refused }: ImportCounts, dryRun: boolean): string {
  const would = dryRun ? 'would be ' : '';
  const before = alreadyThere > 0 ? `, ${alreadyThere.toLocaleString('en')} imported before` : '';
  return `${countOf(rows, 'row')}, ${imported.toLocaleString('en')} ${would}imported${before}, ${refused.toLocaleString('en')} ${would}refused`;
}

function speed({ rows }: ImportCounts, begun: number): string {
  const seconds = (Date.now() - begun) / 1000;
  return seconds < 1 ? '' : `, ${Math.round(rows / seconds)} rows per second`;
}
