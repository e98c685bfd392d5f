import { Option } from 'commander';
import type { Lead } from '../../../shared/leads/lead.ts';
import { csvLine } from '../../../shared/leads/transfer/csv-cells.ts';
import {
  exportCells,
  exportedIds,
  exportHeadings,
  exportObject,
} from '../../../shared/leads/transfer/export-lines.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { scanLeadsAscending } from '../../../shared/store/maintenance/read-leads.ts';
import { type CliCommand, CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import {
  alreadyHad,
  type FileOptions,
  type RecordForm,
  type WriteRecords,
  withFileOptions,
  writeRecords,
} from '../../cli/resumable-file.ts';
import { type CommandContext, existingOrganization, withAuditEntry } from '../context.ts';
import { organizationCommand, readRateOption } from '../options.ts';

type ExportFormat = 'jsonl' | 'csv';

const delimiters = { comma: ',', semicolon: ';', tab: '\t' } as const;

/** How an export writes leads. */
interface FormOptions {
  readonly excel?: boolean;
  readonly separator?: keyof typeof delimiters;
}

interface ExportOptions extends FormOptions, FileOptions {
  readonly organization: number;
  readonly format?: ExportFormat;
  readonly archived?: boolean;
  readonly rate?: number;
}

export function leadExportCommand(lead: CliCommand, context: CommandContext): void {
  const command = organizationCommand(
    lead,
    'export',
    'write leads to a file that lead import can read',
  )
    .option('--archived', 'also export archived leads')
    .addOption(readRateOption())
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
    )
    .notes(exportHelp)
    .action((options: ExportOptions) => exportLeads(context, options, command));
  withFileOptions(command, 'leads');
}

const exportHelp = `
If you import the file into an organization with the same settings, you get the
same leads. They get new IDs unless you use lead import --keep-ids. Timelines
are not exported: lead timelines writes them. A lead that is created, imported
or restored during the export may be missing: --resume adds it.

An apostrophe stands before a text that a spreadsheet would run as a formula, and
with --excel before phones; lead import removes it. Numbers have a decimal point:
where the comma is the decimal mark, load a column of numbers as text.

The file contains personal data: only you may read it. An export reads every lead:
one read unit per 4 KB. So does --resume, which uses 4 bytes of memory for each
lead of the file and never changes one.

Examples:
  npm run admin -- lead export --organization 1 --archived --out leads.jsonl
  npm run admin -- lead export --organization 1 --archived --out leads.jsonl \\
    --resume
  npm run admin -- lead export --organization 1 --excel --separator semicolon \\
    --out leads.csv
  npm run --silent admin -- lead export --organization 1 --format csv > leads.csv`;

async function exportLeads(
  context: CommandContext,
  options: ExportOptions,
  command: CliCommand,
): Promise<void> {
  const { out: file, archived = false, rate } = options;
  const format = formatOf(options, command);
  const organization = await existingOrganization(context.table(), options.organization);
  const form = formOf(organization, format, options);
  // Always from the first lead: IDs are not committed in ascending order, and an archived lead may have been restored.
  const pages = scanLeadsAscending(context.pacedTable(rate), organization.id, {
    withArchived: archived,
  });
  let leads = 0;
  const writePages = async (write: WriteRecords): Promise<void> => {
    for await (const page of pages) {
      leads += await write(page.map(form.lineOf));
      context.progress(`Exporting: ${countOf(leads, 'lead')}`);
    }
  };
  const action = { organizationId: organization.id, what: 'lead export' };
  const earlier = await writeRecords(options, form, (write) =>
    withAuditEntry(
      context,
      action,
      () => writePages(write),
      () => countOf(leads, 'lead'),
    ),
  );
  if (file === undefined) return context.note(`${countOf(leads, 'lead')} exported.`);
  const { highest } = earlier;
  context.print(
    { leads, file, ...(highest !== undefined && { after: highest }) },
    () => `${countOf(leads, 'lead')} exported to ${file}${alreadyHad(earlier, 'lead')}.`,
  );
}

/** The format that the options name, or that a file name ends in, as lead import reads it. Any other is wrong usage. */
function formatOf(
  { format, out, excel = false, separator }: ExportOptions,
  command: CliCommand,
): ExportFormat {
  if (separator !== undefined && !excel) command.error("error: option '--separator' needs --excel");
  const withoutFile = excel ? 'csv' : 'jsonl';
  const named = format ?? (out === undefined ? withoutFile : formatNamedBy(out));
  // A spreadsheet refuses CSV in a file that ends in .xlsx.
  if (excel && named !== 'csv')
    command.error(
      "error: option '--excel' writes CSV: remove --format jsonl, or end --out in .csv",
    );
  const ending = 'must end in .csv or .jsonl, or add --format csv or --format jsonl';
  return named ?? command.error(`error: option '--out ${out}' ${ending}`);
}

function formatNamedBy(path: string): ExportFormat | undefined {
  if (/\.(jsonl|ndjson)$/i.test(path)) return 'jsonl';
  return /\.csv$/i.test(path) ? 'csv' : undefined;
}

/** How an export writes a lead, and recognizes it in a file. */
export interface LeadForm extends RecordForm<number> {
  readonly lineOf: (lead: Lead) => string;
}

export function formOf(
  organization: Organization,
  format: ExportFormat,
  { excel = false, separator = 'comma' }: FormOptions,
): LeadForm {
  const dialect = { delimiter: delimiters[separator], lineEnd: excel ? '\r\n' : '\n' };
  const mark = excel ? '\uFEFF' : '';
  const isCsv = format === 'csv';
  let otherId: number | undefined;
  return {
    heading: isCsv ? mark + csvLine(exportHeadings(organization), dialect) : '',
    lineOf: (lead) =>
      isCsv
        ? csvLine(exportCells(organization, lead, { isForSpreadsheet: excel }), dialect)
        : `${JSON.stringify(exportObject(organization, lead))}\n`,
    newIds: (length) => new Uint32Array(length),
    idOf: (start) => {
      const ids = exportedIds(format, start);
      if (ids && ids.organizationId !== organization.id) otherId = ids.organizationId;
      return ids?.leadId;
    },
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
