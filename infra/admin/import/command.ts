import { Argument, Option } from 'commander';
import { integerOption, repeatedOption } from '../../cli/options.ts';
import type { AdminCommand } from '../command.ts';
import { decimalMarks, listSeparators } from '../files/cell-formats.ts';
import { dateFormats } from '../files/written-times.ts';
import { countryOption } from '../options.ts';
import { parseMap, parseTimeZone, parseValue, planJsonSchema, readOptions } from './plan.ts';
import { type ImportOptions, importFile, rateDefault, rateMax } from './run.ts';
import { undoImport } from './undo.ts';

interface CommandOptions extends ImportOptions {
  readonly planSchema?: boolean;
  readonly undo?: boolean;
  readonly organization?: number;
}

export function leadImportCommand(lead: AdminCommand): void {
  const command = lead
    .command('import')
    .description('create leads from the rows of a file; rows that were imported before are skipped')
    .addArgument(
      new Argument(
        '[FILE]',
        '.xlsx or .csv file with headings, or .jsonl file with one object per line',
      ),
    )
    .withOrganization(false);
  withRunOptions(withPlanOptions(command))
    .refuse(usageIssue(command))
    .notes(importHelp)
    .json(
      '{"rows","imported","alreadyThere","refused","report","dryRun","hidden"?,"sheet"?,"ignored"?}, with --update also "updated"; of a file with open columns {"plan","open":[{"column","why"}],"rows"}; with --undo {"removed","kept":[{"leadId"}]}',
    )
    .run((context, options: CommandOptions, path) => {
      if (options.planSchema)
        return context.print(planJsonSchema(), JSON.stringify(planJsonSchema(), null, 2));
      return options.undo ? undoImport(context, path, options) : importFile(context, path, options);
    });
}

const usageIssue =
  (command: AdminCommand) =>
  ({ planSchema = false, organization }: CommandOptions) => {
    if (planSchema) return false;
    if (command.args[0] === undefined) return "missing required argument 'FILE'";
    return organization === undefined && "required option '--organization <ID>' not specified";
  };

const withPlanOptions = (command: AdminCommand): AdminCommand =>
  command
    .option('--plan <FILE>', 'how each column is read (JSON), as a first run proposes it')
    .option('--plan-schema', 'print the JSON Schema (2020-12) of a plan, and import nothing')
    .addOptions(readOptions())
    .option('--map <COLUMN=FIELD>', 'field key of a column; may be repeated', parseMap)
    .option('--ignore <COLUMN>', 'ignore a column; may be repeated', repeatedOption)
    .option('--ignore-others', 'ignore every column that nothing maps, and name them')
    .addOption(countryOption())
    .addOption(new Option('--dates <FORMAT>', 'date format of the file').choices(dateFormats))
    .addOption(new Option('--decimal <MARK>', 'decimal mark of the file').choices(decimalMarks))
    .option('--time-zone <NAME>', 'zone of times without one (default: UTC)', parseTimeZone)
    .addOption(
      new Option('--list-separator <MARK>', 'what is between several options in a cell').choices(
        listSeparators,
      ),
    )
    .option(
      '--value <COLUMN:from=to>',
      'read a value of a column as another one; may be repeated',
      parseValue,
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

const importHelp = `
The heading of a column is the key or label of a field, or one of: owner, stage,
pipeline, created at, updated at, archived, archived at, note. If a column has another
heading, the command imports nothing: it proposes a plan beside the file
(leads.plan.json for leads.csv), by the headings and the values. Correct it, then repeat
the command with --plan. A plan may hold names of staff: keep it out of version control.

A plan names each column of the file. An option outranks it. null ignores a column;
several columns to one text field are joined by a blank, to note as lines with their
headings, to a multiselect as its values. A file with other columns is refused. A second
column with the same heading is named with a number, as in "Phone (2)". A .jsonl file and
a file of lead export need no plan.

In an .xlsx file, dates, numbers and TRUE are read from the cells' own types, hidden rows
are left out, and the first visible sheet is read. In a .csv file, an ambiguous date
(03/04/2026) needs --dates, an ambiguous number (12.500) --decimal: a refusal names what
would help. 2026-07-05 14:30, 14-Mar-2026 and 2026/07/05 2:30 PM need nothing. ="00123"
is its content. The error of a formula (#N/A) is an empty cell, and a formula without a
result refuses its row. An extension of a phone is dropped.

A sync job misses a lead whose "updated at" is before the time it has already read up
to. A dry run shows the first rows as they are read, what is ignored, why rows would be
refused, and how long the import will take.

If the command is interrupted, run it again with the same plan and options: rows that
were imported are skipped. The status is 1 if rows were refused: correct a copy of the
report, and import it likewise. The report has the file's format, delimiter and line
ends, in UTF-8. Only a complete run replaces an earlier report. A repeat that reads
values differently refuses the rows, and names their leads.

Rows follow the rules of create-lead. A row of lead export is imported unchanged, even
with an inactive stage, owner, source, option or field: it has the column "lead service
export" (leadServiceExport in JSON lines). There, formats and values of the plan count
only for values that cannot be read as they are. If DynamoDB throttles, the import
waits: choose a lower --rate.

--update changes the columns that the file names. It refuses a row that would change
"created at", "updated at" or "archived", which lead archive changes; the times of an
exported row are not compared with its lead's. An empty cell changes nothing (lead
edit --set KEY= empties a field), and a row that changes nothing is "already there". A
row that matches two leads is refused, and so is a second row of one lead. Phone and
email alone find the lead, not a lead ID. The dry run names the first 20 changes and new
leads.

--undo needs the plan, --map and --ignore of the import. Leads with a later timeline item
are kept and listed. It fails if no row created a lead. An equal row of another file
stands for the same lead, so that lead is removed too. Each removal frees the phone and
email, adds an audit log entry and publishes LeadErased. Then the file can be imported
again; an interrupted undo must be completed first.

Examples:
  npm run admin -- lead import --organization 1 leads.csv --dry-run
  npm run admin -- lead import --organization 1 leads.csv --plan leads.plan.json
  npm run admin -- lead import --organization 1 kunden.xlsx --country DE \\
    --map Vorname=name --map Nachname=name --map 'Mobil=phone' --ignore-others
  npm run admin -- lead import --organization 1 kunden.csv \\
    --encoding windows-1252 --dates dd.mm.yyyy --decimal comma \\
    --value 'Newsletter:ja=yes' --map 'Bemerkung=note'
  npm run admin -- lead import --organization 1 leads.csv --update
  npm run admin -- lead import --organization 1 leads.csv --undo --dry-run`;
