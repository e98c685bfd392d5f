import { type Lead, presentLead } from '../../../shared/leads/lead.ts';
import { presentEntry } from '../../../shared/leads/timeline.ts';
import { isBuiltIn } from '../../../shared/organization/field-kinds.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { readTimeline } from '../../../shared/store/leads/timeline.ts';
import { planErasures } from '../../../shared/store/maintenance/erase-lead.ts';
import { type AuditEntry, readAuditLog } from '../../../shared/store/organizations/audit-log.ts';
import type { CliCommand } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import { writeNewFile } from '../../cli/resumable-file.ts';
import type { CommandContext } from '../context.ts';
import { leadCommand, readRateOption } from '../options.ts';
import { existingLead, unknownLeadError } from './named-lead.ts';
import { userNamesOf } from './show.ts';

interface DossierOptions {
  readonly lead: number;
  readonly out?: string;
  readonly rate?: number;
}

export function leadDossierCommand(lead: CliCommand, context: CommandContext): void {
  leadCommand(lead, 'dossier', "write everything stored about a lead's person")
    .option('--out <FILE>', 'file to write (default: stdout)')
    .addOption(readRateOption())
    .notes(`
It also lists what lead erase would find on other leads: read that before you
answer the person, because it may be about somebody else. It reads the whole table
once, but no backups, exported files or logs. Only you may read the file.`)
    .examples('--organization 1 --lead 5 --out lead-5.json')
    .action((_id, options: DossierOptions) => dossier(context, options));
}

/** Reads the whole table once. */
async function dossier(context: CommandContext, options: DossierOptions): Promise<void> {
  const { lead: leadId, out: file, rate } = options;
  const { organization, lead } = await existingLead(context, leadId);
  const own = { table: context.pacedTable(rate), organizationId: organization.id };
  const plans = await planErasures(own, [leadId], {
    onProgress: (items) => context.progress(`Reading: ${countOf(items, 'item')}`),
  });
  const found = plans.get(leadId);
  if (!found) throw unknownLeadError(context, leadId); // erased meanwhile
  const entries = await readTimeline(own.table, organization.id, leadId);
  const log = await readAuditLog(own.table, organization.id, Number.POSITIVE_INFINITY);
  const { idempotencyRecords, importedRows, mentions, changes } = found;
  const document = {
    lead: wholeLead(organization, lead),
    timeline: entries.flatMap((entry) => presentEntry(entry, userNamesOf(organization))),
    auditLog: log.filter((entry) => isAbout(entry, leadId)).reverse(),
    idempotencyRecords,
    importedRows,
    mentions,
    otherItems: changes,
  };
  const text = JSON.stringify(document, null, 2);
  if (file !== undefined) await writeNewFile(file, async () => `${text}\n`);
  const written = `Wrote everything stored about lead ${leadId} to ${file}.`;
  context.print(document, file === undefined ? text : written);
}

/** As the API returns it, and what the API leaves out: values of inactive fields, and when the lead was archived. */
function wholeLead(organization: Organization, lead: Lead): object {
  const others = Object.entries(lead.fields).filter(([fieldKey]) => !isBuiltIn(fieldKey));
  const { archivedAt = null } = lead;
  return { ...presentLead(organization, lead), fields: Object.fromEntries(others), archivedAt };
}

/** Whether an entry names the lead, as in `lead archive 5` and `lead edit 5,8`. */
const isAbout = ({ what }: AuditEntry, leadId: number): boolean =>
  (/\blead \w+ ([\d,]+)/.exec(what)?.[1] ?? '').split(',').includes(String(leadId));
