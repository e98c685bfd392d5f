import { type Command, Option } from 'commander';
import { stringify } from 'csv-stringify/sync';
import type { Lead } from '../../../shared/leads/lead.ts';
import {
  exportCells,
  exportHeadings,
  exportObject,
} from '../../../shared/leads/transfer/export-lines.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import type { ExportForm, ExportFormat } from './export-file.ts';

const separators = { comma: ',', semicolon: ';', tab: '\t' } as const;

/** How an export writes leads. */
export interface FormOptions {
  readonly format?: ExportFormat;
  readonly out?: string;
  readonly excel?: boolean;
  readonly separator?: keyof typeof separators;
}

export const withFormOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--format <FORMAT>',
        'file format (default: by the ending .csv or .jsonl; jsonl on stdout)',
      ).choices(['jsonl', 'csv']),
    )
    .option('--out <FILE>', 'file to write (default: stdout)')
    .option('--excel', 'CSV that a spreadsheet opens by itself, with a byte order mark')
    .addOption(
      new Option(
        '--separator <NAME>',
        'with --excel: semicolon where the comma is the decimal mark (default: comma)',
      ).choices(Object.keys(separators)),
    );

/** The format that the options name, or that a file name ends in, as lead import reads it. Any other is wrong usage. */
export function formatOf(
  { format, out, excel = false, separator }: FormOptions,
  command: Command,
): ExportFormat {
  if (separator !== undefined && !excel) command.error("error: option '--separator' needs --excel");
  const isJsonl = out !== undefined && /\.(jsonl|ndjson)$/i.test(out);
  const isCsv = out !== undefined && /\.csv$/i.test(out);
  const isOther = out !== undefined && !isCsv && format === undefined;
  // A spreadsheet refuses CSV in a file that ends in .xlsx.
  if (excel && (format === 'jsonl' || isJsonl || isOther))
    command.error(
      "error: option '--excel' writes CSV: remove --format jsonl, or end --out in .csv",
    );
  if (excel || (isCsv && !format)) return 'csv';
  if (format) return format;
  if (out === undefined || isJsonl) return 'jsonl';
  return command.error(
    `error: option '--out ${out}' must end in .csv or .jsonl, or add --format csv or --format jsonl`,
  );
}

export interface LeadForm extends ExportForm {
  readonly lineOf: (lead: Lead) => string;
}

export function formOf(
  organization: Organization,
  format: ExportFormat,
  options: FormOptions,
): LeadForm {
  const { id: organizationId } = organization;
  if (format === 'csv') return csvForm(organization, options);
  return {
    organizationId,
    format,
    heading: '',
    lineOf: (lead) => `${JSON.stringify(exportObject(organization, lead))}\n`,
  };
}

/**
 * Programs that guess the delimiter count the ones outside quotes, so text with a semicolon is quoted too. Any line break ends a row for most
 * programs, but csv-stringify quotes the others only on request once `record_delimiter` is given:
 * https://csv.js.org/stringify/options/quote_record_delimiter/
 */
const quoting = { quoted_match: /;/, quote_record_delimiter: true };

function csvForm(
  organization: Organization,
  { excel = false, separator = 'comma' }: FormOptions,
): LeadForm {
  const form = excel
    ? { ...quoting, delimiter: separators[separator], record_delimiter: '\r\n' }
    : quoting;
  const lineOf = (cells: readonly string[]): string => stringify([[...cells]], form);
  const heading = lineOf(exportHeadings(organization));
  return {
    organizationId: organization.id,
    format: 'csv',
    heading: excel ? `\uFEFF${heading}` : heading,
    lineOf: (lead) => lineOf(exportCells(organization, lead, { isForSpreadsheet: excel })),
  };
}
