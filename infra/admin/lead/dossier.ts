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
import { existingLead, type NamedLead, unknownLeadError } from './summary.ts';
import { userNamesOf } from './timeline.ts';

interface DossierOptions extends NamedLead {
  readonly out?: string;
  readonly rate?: number;
}

export function leadDossierCommand(lead: CliCommand, context: CommandContext): void {
  leadCommand(lead, 'dossier', "write everything stored about a lead's person")
    .option('--out <FILE>', 'file to write (default: stdout)')
    .addOption(readRateOption())
    .notes(`
Use it when a person asks what you store about them. It also lists what lead erase
would find on other leads: read that before you answer, because it may be about
somebody else. It reads the whole table once, but no backups, exported files or
logs. The file contains personal data: only you may read it.

Examples:
  npm run admin -- lead dossier --organization 1 --lead 5 --out lead-5.json
  npm run --silent admin -- lead dossier --organization 1 --lead 5`)
    .action((options: DossierOptions) => dossier(context, options));
}

async function dossier(context: CommandContext, options: DossierOptions): Promise<void> {
  const { lead, out: file } = options;
  const document = await readDossier(context, options);
  const text = JSON.stringify(document, null, 2);
  if (file !== undefined) await writeNewFile(file, async () => `${text}\n`);
  context.print(document, () =>
    file === undefined ? text : `Wrote everything stored about lead ${lead} to ${file}.`,
  );
}

/** Everything that the table has of a lead's person. Reads the whole table once. */
async function readDossier(context: CommandContext, { rate, ...named }: DossierOptions) {
  const { organization, lead } = await existingLead(context, named);
  const own = { table: context.pacedTable(rate), organizationId: organization.id };
  const plans = await planErasures(own, [lead.id], {
    onProgress: (items) => context.progress(`Reading: ${countOf(items, 'item')}`),
  });
  const found = plans.get(lead.id);
  if (!found) throw unknownLeadError(named); // erased meanwhile
  const entries = await readTimeline(own.table, organization.id, lead.id);
  const log = await readAuditLog(own.table, organization.id, Number.POSITIVE_INFINITY);
  const { idempotencyRecords, importedRows, mentions, changes } = found;
  return {
    lead: wholeLead(organization, lead),
    timeline: entries.flatMap((entry) => presentEntry(entry, userNamesOf(organization))),
    auditLog: log.filter((entry) => isAbout(entry, lead.id)).reverse(),
    idempotencyRecords,
    importedRows,
    mentions,
    otherItems: changes,
  };
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
