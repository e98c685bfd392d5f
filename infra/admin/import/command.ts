import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { Organization } from '../../../shared/organization/organization.ts';
import { addAuditEntry } from '../../../shared/store/organizations/audit-log.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { type CommandContext, CommandError, countOf, existingOrganization, parseId } from '../context.ts';
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
 * A lead of up to 1 KB is 2 write units in its organization's partition of the table (transactions count twice) and 1 in that of the
 * update index, the only one all leads share: at 200 leads a second 400 and 200 of the 1,000 that a partition takes, the rest is left for
 * live traffic. In all it is about 14 units, so 2,800 of the 4,000 a second that a new on-demand table takes. Larger leads count by the KB.
 */
const rateDefault = 200;
const rateMax = 400;

/** `lead import`. */
export function leadImportCommand(lead: Command, context: CommandContext): void {
  lead
    .command('import')
    .description('make leads of the rows of a file; what was imported before is not made again')
    .argument('<FILE>', 'a .csv file with headings, or a .jsonl file with an object on each line; UTF-8')
    .requiredOption('--organization <ID>', "organization's id", parseId)
    .option('--map <COLUMN=FIELD>', 'which field a column is, by its key; may be repeated', parseMap)
    .option('--ignore <COLUMN>', 'leave a column out; may be repeated', (column, before: string[] = []) => [...before, column])
    .option('--dry-run', 'only say what would be imported, and report what would be refused')
    .option('--keep-ids', 'leads keep the ids that the file gives them; for an organization that takes no requests yet')
    .option('--rate <N>', `leads a second at the most, 1 to ${rateMax}`, parseRate, rateDefault)
    .option(
      '--report <FILE>',
      'where refused rows go with their reasons (default: leads.refused.csv for leads.csv, leads.would-be-refused.csv of a dry run)',
    )
    .addHelpText(
      'after',
      `
A column is the field that its heading names by key or label, or one of: owner,
stage, pipeline (by id or name), created at, updated at, archived, archived at.
A source or a person is given by id or name, an option by value or label.
Several options of one field stand in one cell with commas between (hostel,loan)
or as a JSON list (["hostel","Education loan, bank"]).

Rows follow the rules of create-lead. A row that lead export wrote, as its column
"lead service export" says, is taken as it was, with stages, people, sources,
options and fields that are no longer active too. A column "Lead ID" without that
one is another system's: leave it out with --ignore 'Lead ID', or name a field for
it with --map 'Lead ID=FIELD' (FIELD may be 'lead id', for --keep-ids). Without
"updated at" a lead counts as updated now; with one that is past, a sync job that
has been there already does not meet it.

After a kill, run the same command again. Rows that were imported before are
skipped. Refused rows are in the report, under the file's own headings: correct
a copy, and import it with the same --map and --ignore. A run of the file that
comes to its end writes a new report; one that breaks off, and a dry run, leave
an earlier report as it is. Status 1 when rows were refused.

Examples:
  npm run admin -- lead import --organization 1 leads.csv --dry-run
  npm run admin -- lead import --organization 1 leads.csv --map 'Full name=name' --map 'Mobile=phone' --ignore Remarks`,
    )
    .action((file: string, options: ImportOptions) => importFile(context, file, options));
}

async function importFile(context: CommandContext, path: string, options: ImportOptions): Promise<void> {
  const { organization: organizationId, map = [], ignore = [], dryRun = false, keepIds = false, rate } = options;
  const table = context.table();
  const organization = await existingOrganization(table, organizationId);
  const mapping = new ColumnMapping(map, ignore);
  mapping.checkAgainst(organization);
  const file = await openImportFile(path, organization, mapping);
  const reportFile = options.report ?? reportPath(path, dryRun);
  if (resolve(reportFile) === resolve(path))
    throw new CommandError(`--report ${reportFile} is the file that is imported: name another.`);
  const report = await ImportReport.begin(reportFile, file);
  const begun = Date.now();
  const order: ImportRequest = {
    file,
    report,
    organization: freshOrganization(table, organization),
    keepIds,
    dryRun,
    leadsPerSecond: dryRun ? rateMax : rate,
    onProgress: (so) => context.progress(`${Math.floor(100 * file.progress())} %: ${summary(so, dryRun)}${speed(so, begun)}`),
  };
  const run = dryRun ? importRows : withHistory(context, organizationId);
  const counts = await run(table, order).catch(async (error: unknown) => {
    await report.discard();
    throw error;
  });
  await (dryRun && counts.refused === 0 ? report.discard() : report.finish());
  const reported = counts.refused > 0 ? report.path : null;
  if (reported) context.exitWithFailure();
  context.print({ ...counts, report: reported, dryRun }, () =>
    [
      `Organization ${organizationId}: ${summary(counts, dryRun)}${speed(counts, begun)}.`,
      ...(reported
        ? [
            `Refused rows, with their reasons: ${reported}. Correct it and import it with the same --map and --ignore. It holds personal data: delete it when it is done with.`,
          ]
        : []),
    ].join('\n'),
  );
}

/** An import that is in the history from its first row on: one that breaks off leaves its beginning there. */
const withHistory =
  (context: CommandContext, organizationId: number): typeof importRows =>
  async (table, order) => {
    const who = await context.callerIdentity();
    await addAuditEntry(table, organizationId, { who, what: 'lead import begun' });
    const counts = await importRows(table, order);
    await addAuditEntry(table, organizationId, { who, what: `lead import, ${countOf(counts.imported, 'lead')}` });
    return counts;
  };

function summary({ rows, imported, alreadyThere, refused }: ImportCounts, dryRun: boolean): string {
  const [made, turned] = dryRun ? ['would be imported', 'would be refused'] : ['imported', 'refused'];
  const before = alreadyThere > 0 ? `, ${alreadyThere.toLocaleString('en')} imported before` : '';
  return `${countOf(rows, 'row')}, ${imported.toLocaleString('en')} ${made}${before}, ${refused.toLocaleString('en')} ${turned}`;
}

function speed({ rows }: ImportCounts, begun: number): string {
  const seconds = (Date.now() - begun) / 1000;
  return seconds < 1 ? '' : `, ${Math.round(rows / seconds)} rows a second`;
}

const readAgainMs = 1000;

/** Settings may be applied while an import runs. */
function freshOrganization(table: Table, first: Organization): () => Promise<Organization> {
  let [current, readAt] = [Promise.resolve(first), Date.now()];
  return () => {
    if (Date.now() - readAt > readAgainMs) [current, readAt] = [existingOrganization(table, first.id), Date.now()];
    return current;
  };
}

function parseRate(text: string): number {
  const rate = Number(text);
  if (!/^\d{1,3}$/.test(text) || rate < 1 || rate > rateMax) {
    throw new InvalidArgumentError(`It must be an integer from 1 to ${rateMax}.`);
  }
  return rate;
}
