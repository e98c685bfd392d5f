import { type Command, Option } from 'commander';
import type { Lead } from '../../../shared/leads/lead.ts';
import { csvLine } from '../../../shared/leads/transfer/csv-cells.ts';
import {
  exportCells,
  exportedIds,
  exportHeadings,
  exportObject,
} from '../../../shared/leads/transfer/export-lines.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { type FileOptions, IdSet, type RecordForm } from '../../cli/resumable-file.ts';
import { CommandError } from '../context.ts';

type ExportFormat = 'jsonl' | 'csv';

const delimiters = { comma: ',', semicolon: ';', tab: '\t' } as const;

/** How an export writes leads. */
export interface FormOptions extends FileOptions {
  readonly format?: ExportFormat;
  readonly excel?: boolean;
  readonly separator?: keyof typeof delimiters;
}

export const withFormOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--format <FORMAT>',
        'file format (default: by the ending .csv or .jsonl; jsonl on stdout)',
      ).choices(['jsonl', 'csv']),
    )
    .option('--excel', 'CSV that a spreadsheet opens by itself, with a byte order mark')
    .addOption(
      new Option(
        '--separator <NAME>',
        'with --excel: semicolon where the comma is the decimal mark (default: comma)',
      ).choices(Object.keys(delimiters)),
    );

/** The format that the options name, or that a file name ends in, as lead import reads it. Any other is wrong usage. */
export function formatOf(
  { format, out, excel = false, separator }: FormOptions,
  command: Command,
): ExportFormat {
  if (separator !== undefined && !excel) command.error("error: option '--separator' needs --excel");
  const named = format ?? formatNamedBy(out);
  // A spreadsheet refuses CSV in a file that ends in .xlsx.
  if (excel && named !== 'csv' && (named !== undefined || out !== undefined))
    command.error(
      "error: option '--excel' writes CSV: remove --format jsonl, or end --out in .csv",
    );
  if (excel) return 'csv';
  if (named === undefined && out !== undefined)
    return command.error(
      `error: option '--out ${out}' must end in .csv or .jsonl, or add --format csv or --format jsonl`,
    );
  return named ?? 'jsonl';
}

function formatNamedBy(path = ''): ExportFormat | undefined {
  if (/\.(jsonl|ndjson)$/i.test(path)) return 'jsonl';
  return /\.csv$/i.test(path) ? 'csv' : undefined;
}

/** How an export writes a lead, and recognizes it in a file. Memory: 4 bytes for each lead in the file. */
export interface LeadForm extends RecordForm<number> {
  readonly lineOf: (lead: Lead) => string;
}

export function formOf(
  organization: Organization,
  format: ExportFormat,
  options: FormOptions,
): LeadForm {
  let otherId: number | undefined;
  const isCsv = format === 'csv';
  return {
    ...(isCsv ? csvLines(organization, options) : jsonLines(organization)),
    isQuoted: isCsv,
    idOf: (start) => {
      const { organizationId = organization.id, leadId } = exportedIds(format, start) ?? {};
      if (organizationId !== organization.id) otherId = organizationId;
      return leadId;
    },
    ids: new IdSet(Uint32Array),
    foreignError: (path, record) =>
      new CommandError(
        record === 0
          ? `${path} has other columns than an export has now: either the settings or this program changed, or the file is not an export. Start a new file.`
          : `Record ${record} of ${path} is not a lead as an export writes it now: either this program changed, or the file is not an export. Start a new file.`,
      ),
    assertOwn: (path) => {
      if (otherId === undefined) return;
      throw new CommandError(
        `${path} has leads of organization ${otherId}: name another file for the leads of organization ${organization.id}.`,
      );
    },
  };
}

type Lines = Pick<LeadForm, 'heading' | 'begins' | 'lineOf'>;

const jsonLines = (organization: Organization): Lines => ({
  heading: '',
  begins: '{"leadId":',
  lineOf: (lead) => `${JSON.stringify(exportObject(organization, lead))}\n`,
});

function csvLines(
  organization: Organization,
  { excel = false, separator = 'comma' }: FormOptions,
): Lines {
  const dialect = { delimiter: delimiters[separator], lineEnd: excel ? '\r\n' : '\n' };
  const heading = csvLine(exportHeadings(organization), dialect);
  return {
    heading: excel ? `\uFEFF${heading}` : heading,
    begins: '',
    lineOf: (lead) =>
      csvLine(exportCells(organization, lead, { isForSpreadsheet: excel }), dialect),
  };
}
