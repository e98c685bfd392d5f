import { Option } from 'commander';
import type { Lead } from '../../../shared/leads/lead.ts';
import { leadMatcher } from '../../../shared/leads/lead-query.ts';
import { csvLine } from '../../../shared/leads/transfer/csv-cells.ts';
import {
  type ExportColumn,
  exportColumns,
  exportedIds,
  exportObject,
} from '../../../shared/leads/transfer/export-lines.ts';
import { targetNamed, unknownColumn } from '../../../shared/leads/transfer/import-columns.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { scanLeadsAscending } from '../../../shared/store/leads/read-leads.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import {
  alreadyHad,
  type EarlierRecords,
  type FileOptions,
  type RecordForm,
  withFileOptions,
  writeNewFile,
  writeRecords,
} from '../../cli/resumable-file.ts';
import type { AdminCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { Workbook } from '../files/workbook.ts';
import { namedId } from '../named.ts';

type ExportFormat = 'jsonl' | 'csv' | 'xlsx';

interface ExportOptions extends FileOptions {
  readonly json?: boolean;
  readonly excel?: boolean;
  readonly archived?: boolean;
  readonly columns?: readonly string[];
  readonly stage?: string;
  readonly owner?: string;
}

export function leadExportCommand(lead: AdminCommand): void {
  withFileOptions(
    lead.ofOrganization('export', 'write leads to a file that lead import can read'),
    'leads',
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
    .withReadRate()
    .option('--excel', 'CSV for a spreadsheet program, with a byte order mark and guarded texts')
    .refuse(usageIssue)
    .notes(exportHelp)
    .examples(
      '--organization 1 --archived --out leads.jsonl --resume',
      "--organization 1 --stage 'New enquiry' --columns name,phone,owner --out new-leads.xlsx",
    )
    .json('with --out {"leads":N,"file":"…","after"?}, else the leads')
    .run(exportLeads);
}

const exportHelp = `
The ending of FILE decides the format: .jsonl (as on stdout), .csv, or .xlsx, which is
for people to read and has at most 4 million cells. --columns names columns by field
key, by label, or as lead id, pipeline, stage, created at, updated at, archived at.

--resume continues after the last whole lead of the file: it adds what an interrupted
export lacks, and newer leads. It changes no line, even of a lead that changed, adds no
lead of a lower ID that was restored or imported since, and refuses another
organization's file.

In CSV, a text that a spreadsheet would run as a formula gets an apostrophe, which the
import removes. With --excel, so does one that it would change: a phone, 00411, 1E5, 3/4.
Fields of numbers and dates stay numbers and dates. An .xlsx file has labels, names and
typed cells, and needs no apostrophes: prefer it for editing.

The file contains personal data: only you may read it. An export reads every lead:
one read unit per 4 KB.`;

/** The format by the ending of the file's name, as lead import reads it. */
function formatOf({ out, excel = false }: ExportOptions): ExportFormat | undefined {
  if (out === undefined) return excel ? 'csv' : 'jsonl';
  if (/\.(jsonl|ndjson)$/i.test(out)) return 'jsonl';
  if (/\.xlsx$/i.test(out)) return 'xlsx';
  return /\.csv$/i.test(out) ? 'csv' : undefined;
}

function usageIssue(options: ExportOptions): string | false {
  const format = formatOf(options);
  // A spreadsheet program refuses CSV in a file whose name ends in .xlsx.
  if (options.excel && format !== 'csv') return "option '--excel' writes CSV: end --out in .csv";
  if (options.excel && options.json && options.out === undefined)
    return "option '--excel' writes CSV: remove --json, or name a file with --out";
  if (options.resume && format === 'xlsx')
    return "option '--resume' continues .csv and .jsonl only: export to a new .xlsx";
  return format === undefined && `option '--out ${options.out}' must end in .csv, .jsonl or .xlsx`;
}

async function exportLeads(context: CommandContext, options: ExportOptions): Promise<void> {
  const { out: file } = options;
  const organization = await context.organization();
  const format = formatOf(options) ?? 'jsonl';
  const columns = columnsOf(organization, format, options.columns);
  const isOfExport = leadMatcher({
    stage_id: namedId(organization, 'stage', options.stage),
    owner_id: namedId(organization, 'user', options.owner),
  });
  const isExported = (lead: Lead): boolean =>
    isOfExport(lead) && (options.archived || lead.archivedAt === undefined);
  const exportTo = (write: WriteLeads, after?: number): Promise<number> =>
    context.audited(
      'lead export',
      () => passLeads(context, after, isExported, write),
      (leads) => countOf(leads, 'lead'),
    );
  let leads = 0;
  let earlier: EarlierRecords<number> | undefined;
  if (format === 'xlsx' && file !== undefined) {
    const workbook = new Workbook(columns);
    await writeNewFile(file, async () => {
      leads = await exportTo(async (page) => workbook.add(page));
      return workbook.content();
    });
    if (workbook.loss !== undefined) context.note(workbook.loss);
  } else {
    const form = formOf(organization, format, columns, options.excel);
    earlier = await writeRecords(options, form, async (write, { last }) => {
      leads = await exportTo((page) => write(page.map(form.lineOf)), last);
    });
  }
  if (file === undefined) return context.note(`${countOf(leads, 'lead')} exported.`);
  const after = earlier?.last;
  context.print(
    { leads, file, ...(after !== undefined && { after }) },
    `${countOf(leads, 'lead')} exported to ${file}${alreadyHad(earlier?.count, 'lead')}.`,
  );
}

type WriteLeads = (leads: readonly Lead[]) => Promise<void>;

/** Passes the organization's leads on, page by page. @param after the last lead in the file @returns how many leads were written */
async function passLeads(
  context: CommandContext,
  after: number | undefined,
  isExported: (lead: Lead) => boolean,
  write: WriteLeads,
): Promise<number> {
  let [leads, leadsRead] = [0, 0];
  const table = context.pacedTable();
  for await (const page of scanLeadsAscending(table, context.organizationId, after)) {
    const exported = page.filter(isExported);
    await write(exported);
    leads += exported.length;
    leadsRead += page.length;
    context.progress(`Exporting: ${countOf(leadsRead, 'lead')} read`);
  }
  return leads;
}

/** @throws CommandError if no column has the name */
function columnsOf(
  organization: Organization,
  format: ExportFormat,
  names: readonly string[] | undefined,
): readonly ExportColumn[] {
  const all = exportColumns(organization);
  // In a workbook, the mark of the export comes last, because only programs need it.
  if (!names) return format === 'xlsx' ? [...all.toSpliced(1, 1), ...all.slice(1, 2)] : all;
  return names.map((name) => {
    const column = all.find(({ heading }) => heading === targetNamed(organization, name)?.name);
    if (column) return column;
    throw new CommandError(
      `--columns: ${JSON.stringify(name.trim())} ${unknownColumn(organization, name)} The columns are ${all.map(({ heading }) => heading).join(', ')}.`,
    );
  });
}

/** How an export writes a lead, and how it recognizes the lead in a file. */
export interface LeadForm extends RecordForm<number> {
  readonly lineOf: (lead: Lead) => string;
}

export function formOf(
  organization: Organization,
  format: ExportFormat,
  columns: readonly ExportColumn[] = exportColumns(organization),
  excel = false,
): LeadForm {
  const dialect = { delimiter: ',', lineEnd: excel ? '\r\n' : '\n' };
  const mark = excel ? '\uFEFF' : '';
  const isCsv = format === 'csv';
  const names = [...columns.map(({ name }) => name), 'fields'];
  const lineOf = (cellOf: (column: ExportColumn) => string) =>
    csvLine(columns.map(cellOf), dialect);
  return {
    heading: isCsv ? mark + lineOf(({ heading }) => heading) : '',
    lineOf: (lead) =>
      isCsv
        ? lineOf(({ textOf }) => textOf(lead, excel))
        : `${JSON.stringify(exportObject(organization, lead), names)}\n`,
    nounOfRecord: `lead of organization ${organization.id}`,
    idOf: (start) => {
      const ids = exportedIds(isCsv ? 'csv' : 'jsonl', start);
      return ids?.organizationId === organization.id ? ids.leadId : undefined;
    },
  };
}
