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

/** What an import reads, and where it writes its report. */
export const withFileOptions = (command: Command): Command =>
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
    );

/** What an import writes into the table. */
export const withWriteOptions = (command: Command): Command =>
  command
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
    );

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
