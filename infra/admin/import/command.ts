import { Argument, InvalidArgumentError, Option } from 'commander';
import { unfinishedErasures } from '../../../shared/store/erasure/erase-lead.ts';
import { countOf } from '../../cli/format.ts';
import { integerOption, repeatedOption } from '../../cli/options.ts';
import type { AdminCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { dateFormats, decimalMarks } from '../files/cell-formats.ts';
import { countryOption } from '../options.ts';
import { encodings, type FileOptions, openImportFile } from './file.ts';
import { parseMap } from './mapping.ts';
import { ImportReport, type ReportOptions, reportFileOf } from './report.ts';
import { undoImport } from './undo.ts';
import { type ImportCounts, type ImportRequest, importRows, type WriteOptions } from './write.ts';

interface ImportOptions extends FileOptions, ReportOptions {
  readonly rate?: number;
  readonly undo?: boolean;
}

/**
 * A lead of up to 1 KB costs 2 write units in its organization's partition of the table (a transaction costs double), and 1 in the
 * partition of the update index, which all leads share. 200 leads per second use 400 and 200 of the 1,000 units of a partition; the rest
 * is left for live traffic. A lead costs about 14 units in total, so they use 2,800 of the 4,000 units per second of a new on-demand
 * table. Larger leads cost more, by the KB.
 */
const rateDefault = 200;
const rateMax = 400;

export function leadImportCommand(lead: AdminCommand): void {
  const command = lead.ofOrganization(
    'import',
    'create leads from the rows of a file; rows that were imported before are skipped',
    new Argument(
      '<FILE>',
      '.xlsx or .csv file with headings, or .jsonl file with one object per line',
    ),
  );
  withRunOptions(withFileOptions(command))
    .notes(importHelp)
    .json(
      '{"rows","imported","alreadyThere","refused","report","dryRun"}, with --update also "updated"; with --undo {"removed","kept":[{"leadId"}]}',
    )
    .run((context, options: ImportOptions, path) =>
      options.undo
        ? undoImport(context, path, { ...options, rate: rateOf(context, options) })
        : importFile(context, path, options),
    );
}

const withFileOptions = (command: AdminCommand): AdminCommand =>
  command
    .option('--sheet <NAME>', 'sheet of an .xlsx file (default: the first one)')
    .option('--map <COLUMN=FIELD>', 'field key of a column; may be repeated', parseMap)
    .option('--ignore <COLUMN>', 'ignore a column; may be repeated', repeatedOption)
    .addOption(countryOption())
    .addOption(new Option('--dates <FORMAT>', 'date format of the file').choices(dateFormats))
    .addOption(new Option('--decimal <MARK>', 'decimal mark of the file').choices(decimalMarks))
    .option(
      '--value <COLUMN:from=to>',
      'read a value of a column as another one; may be repeated',
      parseValue,
    )
    .addOption(
      new Option('--encoding <NAME>', 'encoding of a file without a byte order mark')
        .choices(encodings)
        .default('utf-8'),
    );

const withRunOptions = (command: AdminCommand): AdminCommand =>
  command
    .option(
      '--report <FILE>',
      'file for the refused rows and their reasons (default: leads.refused.csv for leads.csv; leads.would-be-refused.csv in a dry run)',
    )
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
      `maximum number of leads per second, 1 to ${rateMax} (default: ${rateDefault}; without limit on a local engine)`,
      integerOption(1, rateMax),
    )
    .addOption(
      new Option(
        '--update',
        'if a lead has the phone or email of a row, update it instead of refusing the row',
      ).conflicts(['undo', 'keepIds']),
    )
    .addOption(
      new Option(
        '--undo',
        "remove the leads that the file's rows made, unless their timelines have later items",
      ).conflicts('report'),
    )
    .option('--yes', 'with --undo: do not ask for confirmation');

function parseValue(text: string, before?: readonly string[]): string[] {
  if (!/^[^:]*\S[^:]*:.*=/s.test(text)) {
    throw new InvalidArgumentError(
      "It must be a column, a colon, and a value with its replacement, such as 'Newsletter:ja=yes'.",
    );
  }
  return repeatedOption(text, before);
}

async function importFile(
  context: CommandContext,
  path: string,
  options: ImportOptions,
): Promise<void> {
  const { dryRun = false } = options;
  const organization = await context.organization();
  const file = await openImportFile(path, organization, options);
  const reportFile = await reportFileOf(path, options);
  const report = new ImportReport(organization, options.country);
  const onResults: ImportRequest['onResults'] = (results, counts) => {
    report.add(results);
    context.progress(`Of ${countOf(file.lastRow, 'row')}: ${summary(counts, dryRun)}`);
  };
  const written = await writeOptions(context, options);
  const counts = await context.audited(
    'lead import',
    () => importRows(context.table(), { ...written, rows: file.rows, onResults }),
    ({ imported, updated }) =>
      `${countOf(imported, 'lead')}${updated === undefined ? '' : `, ${updated} updated`}`,
    { dryRun },
  );
  const hasRefused = counts.refused > 0;
  if (hasRefused || !dryRun) await report.write(reportFile, file);
  if (hasRefused) context.exitWithFailure();
  const result = { ...counts, report: hasRefused ? reportFile : null, dryRun };
  const total = `Organization ${organization.id}: ${summary(counts, dryRun)}.`;
  context.print(result, total, [...report.lines(result, options)]);
}

async function writeOptions(
  context: CommandContext,
  options: ImportOptions,
): Promise<WriteOptions> {
  const { dryRun = false, keepIds = false } = options;
  const table = context.table();
  const { organizationId } = context;
  return {
    organizationId,
    organization: () => context.organization(),
    erasing: new Set(await unfinishedErasures({ table, organizationId })),
    keepIds,
    dryRun,
    leadsPerSecond: rateOf(context, options),
    updates: options.update ?? false,
    // A dry run writes nothing, so it needs no identity.
    by: dryRun ? '' : await context.callerIdentity(),
  };
}

function rateOf(context: CommandContext, { rate, dryRun = false }: ImportOptions): number {
  if (dryRun) return rateMax;
  return rate ?? (context.isLocalEngine() ? Number.POSITIVE_INFINITY : rateDefault);
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

const importHelp = `
The heading of a column is the key or label of a field, or one of: owner, stage,
pipeline, created at, updated at, archived, archived at, note. Separate several
options with commas (hostel,loan), or write them as a JSON list. A sync job
misses a lead whose "updated at" is before the time it has already read up to.

In an .xlsx file, dates, numbers and TRUE are read from the cells' own types. For a
.csv file, name the formats with --dates, --decimal, --value and --encoding: a refusal
names the option that would help.

If the command is interrupted, run it again with the same options: rows that were
imported are skipped. The status is 1 if rows were refused: correct a copy of the
report, and import it with the same options.

Rows follow the rules of create-lead. A row of lead export is imported unchanged, even
with an inactive stage, owner, source, option or field: it has the column "lead service
export" (leadServiceExport in JSON lines). There, --dates, --decimal, --country and
--value count only for values that cannot be read as they are. Without that column, the
column "Lead ID" is refused as another system's.

In an .xlsx file, the error of a formula (#N/A) is an empty cell, and a formula without a
result refuses its row. In a .csv file, ="00123" is its content, and an ambiguous number
(12.500, 1,250) needs --decimal. An extension of a phone is dropped. Text columns mapped
to one field are joined. A column mapped to note becomes a timeline note dated as the
lead. A repeat with other formats refuses rows that would now read differently, and
names their leads. If DynamoDB throttles, the import waits: choose a lower --rate.

The report has the file's format, delimiter and line ends, in UTF-8. Only a complete run
replaces an earlier report.

--update changes the columns that the file names. It refuses a row that would change
"created at", "updated at" or "archived", which lead archive changes; the times of an
exported row are not compared with its lead's. An empty cell changes nothing (lead
edit --set KEY= empties a field), and a row that changes nothing is "already there". A
row that matches two leads is refused, and so is a second row of one lead. Phone and
email alone find the lead, not a lead ID. The dry run names the first 20 changes and new
leads.

--undo needs the file's --map and --ignore. Leads with a later timeline item are kept and
listed. It fails if no row created a lead. An equal row of another file stands for the
same lead, so that lead is removed too. Each removal frees the phone and email, adds an
audit log entry and publishes LeadErased. Then the file can be imported again; an
interrupted undo must be completed first. An undo waits half a second for each 16 leads, so
that it misses no note that is being added.

Examples:
  npm run admin -- lead import --organization 1 leads.csv --dry-run
  npm run admin -- lead import --organization 1 kunden.xlsx --country DE \\
    --map Vorname=name --map Nachname=name --map 'Mobil=phone' --ignore Remarks
  npm run admin -- lead import --organization 1 kunden.csv \\
    --encoding windows-1252 --dates dd.mm.yyyy --decimal comma \\
    --value 'Newsletter:ja=yes' --map 'Bemerkung=note'
  npm run admin -- lead import --organization 1 leads.csv --update
  npm run admin -- lead import --organization 1 leads.csv --undo --dry-run`;
