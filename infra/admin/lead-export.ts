import { type Command, Option } from 'commander';
import { stringify } from 'csv-stringify/sync';
import { exportCells, exportHeadings, exportObject } from '../../shared/leads/export-lines.ts';
import type { Lead } from '../../shared/leads/lead.ts';
import type { Organization } from '../../shared/organization/organization.ts';
import { walkLeadsUp } from '../../shared/store/export-leads.ts';
import { addToHistory } from '../../shared/store/history.ts';
import { counted, type Desk, existingOrganization, parseId } from './desk.ts';
import { brokenExport, type ExportFormat, newExport, type OpenExport } from './export-file.ts';

interface ExportOptions {
  organization: number;
  format?: ExportFormat;
  out?: string;
  archived?: boolean;
  resume?: boolean;
}

/** `lead export`. */
export function leadExportCommand(lead: Command, desk: Desk): void {
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
    .option('--resume', 'continue a file that was broken off; a whole one gets the leads made since')
    .addHelpText(
      'after',
      `
Imported into an organization with the same settings, the file gives the same
leads, with new ids unless lead import --keep-ids; their timelines stay behind.
Each lead is written as it is when its turn comes. The file holds personal data:
only you may read it.

Examples:
  npm run admin -- lead export --organization 1 --archived --out leads.jsonl
  npm run admin -- lead export --organization 1 --archived --out leads.jsonl --resume
  npm run --silent admin -- lead export --organization 1 --format csv > leads.csv`,
    )
    .action((options: ExportOptions, command: Command) => exportLeads(desk, options, command));
}

async function exportLeads(desk: Desk, options: ExportOptions, command: Command): Promise<void> {
  const { out, archived = false, resume = false } = options;
  if (resume && out === undefined) command.error("error: option '--resume' needs --out <FILE>, the file to continue");
  const format = options.format ?? formatOf(out);
  if (!format)
    command.error(`error: option '--out ${out}' ends neither in .csv nor in .jsonl: say the form with --format csv or jsonl`);
  const table = desk.table();
  const organization = await existingOrganization(table, options.organization);
  const form = formOf(organization, format);
  const opened = out === undefined ? undefined : await (resume ? brokenExport(out, format, form.heading) : newExport(out));
  const write = opened ? await endOf(opened) : toStdout;
  let leads = 0;
  try {
    if (opened?.isNew ?? true) await write(form.heading);
    for await (const page of walkLeadsUp(table, organization.id, { after: opened?.lastLeadId ?? 0, withArchived: archived })) {
      await write(page.map(form.lineOf).join(''));
      leads += page.length;
      desk.progress(`Exporting: ${counted(leads, 'lead')}`);
    }
    await opened?.file.sync();
  } finally {
    await opened?.file.close();
  }
  await addToHistory(table, organization.id, { who: await desk.who(), what: `lead export, ${counted(leads, 'lead')}` });
  const also = opened && opened.lastLeadId > 0 ? { after: opened.lastLeadId } : {};
  if (out === undefined) desk.tell(`${counted(leads, 'lead')} exported.`);
  else {
    const behind = opened && opened.lastLeadId > 0 ? `, those after lead ${opened.lastLeadId}` : '';
    desk.answer({ leads, file: out, ...also }, () => `${counted(leads, 'lead')} exported to ${out}${behind}.`);
  }
}

/** By the file's ending, as lead import tells it; undefined for another one. */
function formatOf(out: string | undefined): ExportFormat | undefined {
  if (out === undefined || /\.(jsonl|ndjson)$/i.test(out)) return 'jsonl';
  return /\.csv$/i.test(out) ? 'csv' : undefined;
}

interface Form {
  /** The file's first line; empty for none. */
  readonly heading: string;
  readonly lineOf: (lead: Lead) => string;
}

function formOf(organization: Organization, format: ExportFormat): Form {
  if (format === 'jsonl') return { heading: '', lineOf: (lead) => `${JSON.stringify(exportObject(organization, lead))}\n` };
  return {
    heading: stringify([exportHeadings(organization)]),
    lineOf: (lead) => stringify([exportCells(organization, lead)]),
  };
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
