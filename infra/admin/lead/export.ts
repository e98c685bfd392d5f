import { Option } from 'commander';
import type { Lead } from '../../../shared/leads/lead.ts';
import { leadMatcher } from '../../../shared/leads/lead-query.ts';
import { csvLine } from '../../../shared/leads/transfer/csv-cells.ts';
import {
  exportCells,
  exportColumnAt,
  exportedIds,
  exportHeadings,
  exportNames,
  exportObject,
} from '../../../shared/leads/transfer/export-lines.ts';
import { unknownColumn } from '../../../shared/leads/transfer/import-columns.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { scanLeadsAscending } from '../../../shared/store/maintenance/read-leads.ts';
import { type CliCommand, CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import {
  alreadyHad,
  type FileOptions,
  type RecordForm,
  withFileOptions,
  writeNewFile,
  writeRecords,
} from '../../cli/resumable-file.ts';
import { type CommandContext, existingOrganization, withAuditEntry } from '../context.ts';
import { namedId } from '../named-id.ts';
import { organizationCommand, readRateOption } from '../options.ts';
import { Workbook } from './workbook.ts';

type ExportFormat = 'jsonl' | 'csv' | 'xlsx';

const delimiters = { comma: ',', semicolon: ';', tab: '\t' } as const;

/** How an export writes leads. */
interface FormOptions {
  readonly excel?: boolean;
  readonly separator?: keyof typeof delimiters;
  /** @default all columns */
  readonly choose?: Choose;
}

interface ExportOptions extends Omit<FormOptions, 'choose'>, FileOptions {
  readonly organization: number;
  readonly format?: 'jsonl' | 'csv';
  readonly archived?: boolean;
  readonly columns?: readonly string[];
  readonly stage?: string;
  readonly owner?: string;
  readonly rate?: number;
}

export function leadExportCommand(lead: CliCommand, context: CommandContext): void {
  const command = organizationCommand(
    lead,
    'export',
    'write leads to a file that lead import can read',
  )
    .option('--archived', 'also export archived leads')
    .addOption(
      new Option(
        '--columns <NAMES>',
        'only these columns, in this order: field keys, labels, lead id, stage, …',
      )
        .argParser((text) => text.split(','))
        .conflicts('resume'),
    )
    .option('--stage <STAGE>', 'only leads in this stage, named by ID or name')
    .option('--owner <USER>', 'only leads of this user, named by ID or name')
    .addOption(readRateOption())
    .addOption(
      new Option(
        '--format <FORMAT>',
        'file format (default: by the ending .csv, .jsonl or .xlsx; jsonl on stdout)',
      ).choices(['jsonl', 'csv']),
    )
    .option('--excel', 'CSV that a spreadsheet program opens correctly, with a byte order mark')
    .addOption(
      new Option(
        '--separator <NAME>',
        'with --excel: semicolon where the comma is the decimal mark (default: comma)',
      ).choices(Object.keys(delimiters)),
    )
    .needs('--separator', '--excel')
    .notes(exportHelp)
    .action((options: ExportOptions) => exportLeads(context, options, command));
  withFileOptions(command, 'leads');
}

const exportHelp = `
Importing a .csv or .jsonl file into an organization with the same settings creates
the same leads, with new IDs unless you use lead import --keep-ids. A lead that is
created, imported or restored during the export may be missing: --resume adds it.

An .xlsx file is for people to read, and has at most 4 million cells. --columns
names columns by field key, by label, or as lead id, pipeline, stage, created at,
updated at, archived at.

The file contains personal data: only you may read it. An export reads every lead:
one read unit per 4 KB. The rules are in infra/guides/commands.md, "Export".

Examples:
  npm run admin -- lead export --organization 1 --archived --out leads.jsonl
  npm run admin -- lead export --organization 1 --archived --out leads.jsonl \\
    --resume
  npm run admin -- lead export --organization 1 --stage New \\
    --columns name,phone,owner --out new-leads.xlsx
  npm run admin -- lead export --organization 1 --excel --separator semicolon \\
    --out leads.csv
  npm run --silent admin -- lead export --organization 1 --format csv > leads.csv`;

async function exportLeads(
  context: CommandContext,
  options: ExportOptions,
  command: CliCommand,
): Promise<void> {
  const { out: file } = options;
  const format = formatOf(options, command);
  const organization = await existingOrganization(context.table(), options.organization);
  const choose =
    chooserOf(organization, options.columns) ?? (format === 'xlsx' ? chooseForPeople : chooseAll);
  const pages = leadPages(context, organization, options);
  const action = { organizationId: organization.id, what: 'lead export' };
  let leads = 0;
  const logged = (write: () => Promise<void>): Promise<void> =>
    withAuditEntry(context, action, write, () => countOf(leads, 'lead'));
  if (format === 'xlsx' && file !== undefined) {
    const workbook = new Workbook(organization, choose);
    await writeNewFile(file, async () => {
      await logged(async () => {
        for await (const page of pages) leads += workbook.add(page);
      });
      return workbook.content();
    });
    if (workbook.loss !== undefined) context.note(workbook.loss);
    return context.print({ leads, file }, () => `${countOf(leads, 'lead')} exported to ${file}.`);
  }
  const form = formOf(organization, format, { ...options, choose });
  const earlier = await writeRecords(options, form, (write) =>
    logged(async () => {
      for await (const page of pages) leads += await write(page.map(form.lineOf));
    }),
  );
  if (file === undefined) return context.note(`${countOf(leads, 'lead')} exported.`);
  const { highest } = earlier;
  context.print(
    { leads, file, ...(highest !== undefined && { after: highest }) },
    () => `${countOf(leads, 'lead')} exported to ${file}${alreadyHad(earlier, 'lead')}.`,
  );
}

/** Picks the columns to export from a list that has one item for each of `exportHeadings`. */
export type Choose = <T>(all: readonly T[]) => readonly T[];
const chooseAll: Choose = (all) => all;
/** The mark of an export, which is for programs, comes last. */
const chooseForPeople: Choose = ([leadId, mark, ...others]) =>
  [leadId, ...others, mark].filter((one) => one !== undefined);

/** @throws CommandError for a name of no column */
function chooserOf(
  organization: Organization,
  names: readonly string[] | undefined,
): Choose | undefined {
  const places = names?.map((name) => {
    const at = exportColumnAt(organization, name);
    if (at >= 0) return at;
    throw new CommandError(
      `--columns: ${JSON.stringify(name.trim())} ${unknownColumn(organization, name)} The columns are ${exportHeadings(organization).join(', ')}.`,
    );
  });
  return places && ((all) => places.flatMap((at) => all.slice(at, at + 1)));
}

/** @throws CommandError for an unknown stage or owner, before anything is read */
function leadPages(
  context: CommandContext,
  organization: Organization,
  { archived = false, rate, stage, owner }: ExportOptions,
): AsyncGenerator<Lead[]> {
  const filters = {
    stage_id: namedId(organization, 'stage', stage),
    owner_id: namedId(organization, 'user', owner),
  };
  const isOfExport = leadMatcher(filters, () => true);
  const table = context.pacedTable(rate);
  // Always from the first lead: IDs are not committed in ascending order, and an archived lead may have been restored.
  const pages = scanLeadsAscending(table, organization.id, { withArchived: archived });
  async function* read(): AsyncGenerator<Lead[]> {
    let leads = 0;
    for await (const page of pages) {
      leads += page.length;
      context.progress(`Exporting: ${countOf(leads, 'lead')} read`);
      yield page.filter(isOfExport);
    }
  }
  return read();
}

/** The format that the options name, or that a file name ends in, as lead import reads it. Any other is wrong usage. */
function formatOf(
  { format, out, excel = false, resume }: ExportOptions,
  command: CliCommand,
): ExportFormat {
  const withoutFile = excel ? 'csv' : 'jsonl';
  const named = format ?? (out === undefined ? withoutFile : formatNamedBy(out));
  // A spreadsheet refuses CSV in a file that ends in .xlsx.
  if (excel && named !== 'csv')
    command.error(
      "error: option '--excel' writes CSV: remove --format jsonl, or end --out in .csv",
    );
  if (named === 'xlsx' && resume)
    command.error("error: option '--resume' continues .csv and .jsonl only: export to a new .xlsx");
  const ending = 'must end in .csv, .jsonl or .xlsx, or add --format csv or --format jsonl';
  return named ?? command.error(`error: option '--out ${out}' ${ending}`);
}

function formatNamedBy(path: string): ExportFormat | undefined {
  if (/\.(jsonl|ndjson)$/i.test(path)) return 'jsonl';
  if (/\.xlsx$/i.test(path)) return 'xlsx';
  return /\.csv$/i.test(path) ? 'csv' : undefined;
}

/** How an export writes a lead, and recognizes it in a file. */
export interface LeadForm extends RecordForm<number> {
  readonly lineOf: (lead: Lead) => string;
}

export function formOf(
  organization: Organization,
  format: ExportFormat,
  { excel = false, separator = 'comma', choose = chooseAll }: FormOptions,
): LeadForm {
  const dialect = { delimiter: delimiters[separator], lineEnd: excel ? '\r\n' : '\n' };
  const mark = excel ? '\uFEFF' : '';
  const isCsv = format === 'csv';
  const names = [...choose(exportNames(organization)), 'fields'];
  let otherId: number | undefined;
  return {
    heading: isCsv ? mark + csvLine(choose(exportHeadings(organization)), dialect) : '',
    lineOf: (lead) =>
      isCsv
        ? csvLine(choose(exportCells(organization, lead, { isForSpreadsheet: excel })), dialect)
        : `${JSON.stringify(exportObject(organization, lead), names)}\n`,
    newIds: (length) => new Uint32Array(length),
    idOf: (start) => {
      const ids = exportedIds(isCsv ? 'csv' : 'jsonl', start);
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
