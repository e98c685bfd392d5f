import { type Command, InvalidArgumentError, Option } from 'commander';
import { integerOption, parseId } from '../../cli/options.ts';
import { dateFormats, decimalMarks, type FormatOptions } from './cell-formats.ts';
import { type Encoding, encodings } from './file.ts';
import { type MappedColumn, parseMap } from './mapping.ts';

export interface ImportOptions extends FormatOptions {
  organization: number;
  map?: MappedColumn[];
  ignore?: string[];
  encoding: Encoding;
  dryRun?: boolean;
  keepIds?: boolean;
  rate?: number;
  report?: string;
}

/**
 * A lead of up to 1 KB costs 2 write units in its organization's partition of the table (a transaction costs double), and 1 in the
 * partition of the update index, which all leads share. 200 leads per second use 400 and 200 of the 1,000 units of a partition; the rest
 * is left for live traffic. A lead costs about 14 units in total, so they use 2,800 of the 4,000 units per second of a new on-demand
 * table. Larger leads cost more, by the KB.
 */
export const rateDefault = 200;
export const rateMax = 400;

/** What an import reads, where it writes its report, and what it writes into the table. */
export const withImportOptions = (command: Command): Command =>
  command
    .argument('<FILE>', '.csv file with headings, or .jsonl file with one object per line')
    .requiredOption('--organization <ID>', 'organization ID', parseId)
    .option('--map <COLUMN=FIELD>', 'field key of a column; may be repeated', parseMap)
    .option('--ignore <COLUMN>', 'ignore a column; may be repeated', collectColumn)
    .addOption(new Option('--dates <FORMAT>', 'how the file writes dates').choices(dateFormats))
    .addOption(
      new Option('--decimal <MARK>', 'which mark the file writes before decimals').choices(
        decimalMarks,
      ),
    )
    .option(
      '--value <COLUMN:from=to>',
      'read a value of a column as another one; may be repeated',
      parseValue,
    )
    .addOption(
      new Option('--encoding <NAME>', 'encoding of the file').choices(encodings).default('utf-8'),
    )
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
    .addHelpText('after', importHelp);

function parseValue(text: string, before: readonly string[] = []): string[] {
  if (!/^[^:]*\S[^:]*:.*=/s.test(text)) {
    throw new InvalidArgumentError(
      "It must be a column, a colon, and a value with its replacement, such as 'Newsletter:ja=yes'.",
    );
  }
  return [...before, text];
}

const collectColumn = (column: string, before: readonly string[] = []): string[] => [
  ...before,
  column,
];

const columnHelp = `\
The heading of a column is the key or label of a field, or one of: owner, stage,
pipeline, created at, updated at, archived, archived at.
Write a stage, pipeline, source or user as its ID or name, and an option as its
value or label. Separate several options by commas (hostel,loan), or write them
as a JSON list (["hostel","Education loan, bank"]). Write a phone with its country
code: a number without one is read as an Indian number, and the command says how
many were.

A column "note", or one mapped to note, becomes a note on the lead's timeline,
dated as the lead is created.

Rows follow the rules of create-lead. A row that lead export wrote has a value
in the column "lead service export". It is imported unchanged, even if its stage,
users, source, options or fields are no longer active.
A column "Lead ID" without that column has the IDs of another system. Ignore it
with --ignore 'Lead ID', or map it to a field with --map 'Lead ID=FIELD' (for
--keep-ids, FIELD is 'lead id').
Without "updated at", a lead counts as updated now. With a past "updated at", a
sync job that has already read past that time does not see the lead.
`;

const formatHelp = `\
A spreadsheet writes dates, numbers and answers as its country does. Say so:
  --dates dd.mm.yyyy            reads 21.11.2026, and 21.11.2026 14:30 (as UTC)
  --decimal comma               reads 12.500,50 as 12500.5
  --value 'Newsletter:ja=yes'   reads ja in the column Newsletter as yes
  --encoding windows-1252       for "CSV" of a spreadsheet on Windows; without it
                                UTF-8
Without --decimal the point marks decimals, and a number that a comma and a point
read differently (12.500; 1,250) is refused. When an option would help, the
command names it. Rows that lead export wrote are read as they are.
`;

const reportHelp = `\
If the command is interrupted, run it again: rows that were imported are
skipped. A row that another --dates, --decimal or --value reads differently than
its import did is refused, with the lead's ID. With another --map or --ignore a
row has other values: it is refused, as its phone belongs to a lead.
The report has the refused rows under the headings of the file, with its
delimiter and encoding: correct a copy, and import it with the same options. A
completed import replaces the report of an earlier one; an interrupted import or
a dry run does not.
The status is 1 if rows were refused.
`;

const importHelp = `
${columnHelp}
${formatHelp}
${reportHelp}
Examples:
  npm run admin -- lead import --organization 1 leads.csv --dry-run
  npm run admin -- lead import --organization 1 leads.csv \\
    --map 'Full name=name' --map 'Mobile=phone' --ignore Remarks
  npm run admin -- lead import --organization 1 kunden.csv \\
    --encoding windows-1252 --dates dd.mm.yyyy --decimal comma \\
    --value 'Newsletter:ja=yes' --value 'Newsletter:nein=no' \\
    --map 'Bemerkung=note'`;
