import { type Command, Option } from 'commander';
import { stringify } from 'csv-stringify/sync';
import type { Lead } from '../../shared/leads/lead.ts';
import { exportCells, exportHeadings, exportObject } from '../../shared/leads/transfer/export-lines.ts';
import type { Organization } from '../../shared/organization/organization.ts';
import { scanLeadsAscending } from '../../shared/store/maintenance/export-leads.ts';
import { addAuditEntry, completeAuditEntry } from '../../shared/store/organizations/audit-log.ts';
import { type CommandContext, countOf, existingOrganization, parseId } from './context.ts';
import { brokenExport, type ExportForm, type ExportFormat, newExport, type OpenExport } from './export-file.ts';

interface ExportOptions {
  organization: number;
  format?: ExportFormat;
  out?: string;
  archived?: boolean;
  resume?: boolean;
}

/** `lead export`. */
export function leadExportCommand(lead: Command, context: CommandContext): void {
  lead
    .command('export')
    .description('write the leads to a file, by id, in a form that lead import takes')
    .requiredOption('--organization <ID>', "organization's id", parseId)
    .addOption(
      new Option('--format <FORMAT>', 'form of the file (default: by its ending, .csv or .jsonl; on stdout jsonl)').choices([
        'jsonl',
        'csv',
      ]),
    )
    .option('--out <FILE>', 'the file; left out, stdout')
    .option('--archived', 'archived leads too')
    .option('--resume', 'continue a file that was broken off, or add to a whole one: the leads that it does not have yet')
    .addHelpText(
      'after',
      `
Imported into an organization with the same settings, the file gives the same
leads, with new ids unless lead import --keep-ids; their timelines stay behind.
Each lead is written as it is when its turn comes; one that is made, imported or
restored behind that comes with the next --resume. Spreadsheets may open a CSV
file: a text that they would run as a formula has an apostrophe before it, which
lead import takes away again. The file holds personal data: only you may read it.

--resume reads the file once, and then every lead of the organization, which
costs what a new export costs: a read unit for 4 KB of leads. It keeps 4 bytes in
memory for each lead of the file. What the file has is left as it is, though the
lead be changed, archived or erased since; leads that are added stand at the end.

Examples:
  npm run admin -- lead export --organization 1 --archived --out leads.jsonl
  npm run admin -- lead export --organization 1 --archived --out leads.jsonl --resume
  npm run --silent admin -- lead export --organization 1 --format csv > leads.csv`,
    )
    .action((options: ExportOptions, command: Command) => exportLeads(context, options, command));
}

async function exportLeads(context: CommandContext, options: ExportOptions, command: Command): Promise<void> {
  const { out, archived = false, resume = false } = options;
  if (resume && out === undefined) command.error("error: option '--resume' needs --out <FILE>, the file to continue");
  const format = options.format ?? formatOf(out);
  if (!format)
    command.error(`error: option '--out ${out}' ends neither in .csv nor in .jsonl: say the form with --format csv or jsonl`);
  const table = context.table();
  const organization = await existingOrganization(table, options.organization);
  const form = formOf(organization, format);
  const opened = out === undefined ? undefined : await (resume ? brokenExport(out, form) : newExport(out));
  let leads = 0;
  try {
    // Before the first lead leaves: one that is broken off has an entry too.
    const entry = await addAuditEntry(table, organization.id, { who: await context.callerIdentity(), what: 'lead export begun' });
    leads = await writeLeads(context, { organization, archived, form, opened });
    await completeAuditEntry(table, entry, `lead export, ${countOf(leads, 'lead')}`);
  } finally {
    await opened?.file.close();
  }
  if (out === undefined || !opened) return context.note(`${countOf(leads, 'lead')} exported.`);
  const { size, highest } = opened.leadIds;
  context.print({ leads, file: out, ...(size > 0 && { after: highest }) }, () => {
    const also = size > 0 ? `, which had ${countOf(size, 'lead')} already` : '';
    return `${countOf(leads, 'lead')} exported to ${out}${also}.`;
  });
}

interface ExportOrder {
  readonly organization: Organization;
  readonly archived: boolean;
  readonly form: Form;
  /** Undefined for stdout. */
  readonly opened: OpenExport | undefined;
}

/** Writes the leads that the file does not have. @returns how many */
async function writeLeads(context: CommandContext, { organization, archived, form, opened }: ExportOrder): Promise<number> {
  const write = opened ? await endOf(opened) : toStdout;
  if (opened?.isNew ?? true) await write(form.heading);
  let leads = 0;
  // From the first on, whatever the file has: ids are not committed in their order, and an archived lead may be restored.
  for await (const page of scanLeadsAscending(context.table(), organization.id, { after: 0, withArchived: archived })) {
    const missing = page.filter(({ id }) => !opened?.leadIds.has(id));
    await write(missing.map(form.lineOf).join(''));
    leads += missing.length;
    context.progress(`Exporting: ${countOf(leads, 'lead')}`);
  }
  await opened?.file.sync();
  return leads;
}

/** By the file's ending, as lead import tells it; undefined for another one. */
function formatOf(out: string | undefined): ExportFormat | undefined {
  if (out === undefined || /\.(jsonl|ndjson)$/i.test(out)) return 'jsonl';
  return /\.csv$/i.test(out) ? 'csv' : undefined;
}

interface Form extends ExportForm {
  readonly lineOf: (lead: Lead) => string;
}

/** A text with a semicolon is quoted too: programs that guess what parts the cells count what stands outside quotes. */
const csv = (cells: readonly string[]): string => stringify([[...cells]], { quoted_match: /;/ });

function formOf(organization: Organization, format: ExportFormat): Form {
  const { id: organizationId } = organization;
  if (format === 'jsonl') {
    return { organizationId, format, heading: '', lineOf: (lead) => `${JSON.stringify(exportObject(organization, lead))}\n` };
  }
  const heading = csv(exportHeadings(organization));
  return { organizationId, format, heading, lineOf: (lead) => csv(exportCells(organization, lead)) };
}

/** Appends by position: the file may have been opened for reading and writing. */
async function endOf({ file }: OpenExport): Promise<(text: string) => Promise<unknown>> {
  let { size } = await file.stat();
  return async (text) => {
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, written, bytes.length - written, size);
      written += bytesWritten;
      size += bytesWritten;
    }
  };
}

/** Waits until a slow reader has taken it. */
const toStdout = (text: string): Promise<void> =>
  new Promise((taken) => {
    if (process.stdout.write(text)) taken();
    else process.stdout.once('drain', taken);
  });
