import type { Command } from 'commander';
import { scanLeadsAscending } from '../../../shared/store/maintenance/read-leads.ts';
import {
  addAuditEntry,
  completeAuditEntry,
} from '../../../shared/store/organizations/audit-log.ts';
import { countOf } from '../../cli/format.ts';
import { parseId } from '../../cli/options.ts';
import { alreadyHad, openRecords, withFileOptions } from '../../cli/resumable-file.ts';
import { type CommandContext, existingOrganization } from '../context.ts';
import { readRateOption } from '../options.ts';
import { type FormOptions, formatOf, formOf, withFormOptions } from './export-form.ts';

interface ExportOptions extends FormOptions {
  organization: number;
  archived?: boolean;
  rate?: number;
}

export function leadExportCommand(lead: Command, context: CommandContext): void {
  const command = lead
    .command('export')
    .description('write leads to a file that lead import can read')
    .requiredOption('--organization <ID>', 'organization ID', parseId)
    .option('--archived', 'also export archived leads')
    .addOption(readRateOption())
    .addHelpText('after', exportHelp)
    .action((options: ExportOptions) => exportLeads(context, options, command));
  withFileOptions(withFormOptions(command), 'leads');
}

const exportHelp = `
If you import the file into an organization with the same settings, you get the
same leads. They get new IDs unless you use lead import --keep-ids. Timelines
are not exported: lead timelines writes them. A lead that is created, imported
or restored during the export may be missing: --resume adds it.

Spreadsheets run some texts in a CSV file as formulas. An apostrophe is put
before such a text, and lead import removes it. With --excel, phones have one
too, because a spreadsheet takes them for numbers. Numbers have a decimal point:
where the comma is the decimal mark, a spreadsheet can take 12.5 for a date. Load a
column of such numbers as text.
The file contains personal data: only you may read it.

--resume reads the file once, then every lead of the organization, so it costs
the same as a new export: one read unit per 4 KB of leads. It uses 4 bytes of
memory for each lead in the file. Leads in the file are not updated, even if
they have been changed, archived or erased since. New leads are added at the end.

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
  command: Command,
): Promise<void> {
  const format = formatOf(options, command);
  const table = context.table();
  const organization = await existingOrganization(table, options.organization);
  const form = formOf(organization, format, options);
  const { write, close } = await openRecords(options, form);
  let leads = 0;
  try {
    // Logged before the first lead is written, so that an export that is interrupted has an entry too.
    const entry = await addAuditEntry(table, organization.id, {
      who: await context.callerIdentity(),
      what: 'lead export begun',
    });
    // Always from the first lead: IDs are not committed in ascending order, and an archived lead may have been restored.
    const pages = scanLeadsAscending(context.pacedTable(options.rate), organization.id, {
      withArchived: options.archived ?? false,
    });
    for await (const page of pages) {
      leads += await write(page.map(form.lineOf));
      context.progress(`Exporting: ${countOf(leads, 'lead')}`);
    }
    await completeAuditEntry(table, entry, `lead export, ${countOf(leads, 'lead')}`);
  } finally {
    await close();
  }
  const { out: file } = options;
  if (file === undefined) return context.note(`${countOf(leads, 'lead')} exported.`);
  const { size, highest } = form.ids;
  context.print(
    { leads, file, ...(size > 0 && { after: highest }) },
    () => `${countOf(leads, 'lead')} exported to ${file}${alreadyHad(form, 'lead')}.`,
  );
}
