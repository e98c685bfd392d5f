import type { Command } from 'commander';
import type { Lead } from '../../../shared/leads/lead.ts';
import { setArchived, setArchivedBy } from '../../../shared/store/leads/archive.ts';
import {
  addAuditEntry,
  completeAuditEntry,
} from '../../../shared/store/organizations/audit-log.ts';
import type { OrganizationTable } from '../../../shared/store/table/client.ts';
import { countOf } from '../../cli/format.ts';
import { parseId, parseIds } from '../../cli/options.ts';
import { type CommandContext, existingOrganization } from '../context.ts';
import { unknownLeadError } from './summary.ts';

interface ArchiveOptions {
  organization: number;
  lead: number[];
}

const commands = {
  archive: 'hide leads from the API; their phones and emails stay taken',
  restore: 'make archived leads visible to the API again',
} as const;
type ArchiveCommand = keyof typeof commands;

export function leadArchiveCommands(lead: Command, context: CommandContext): void {
  for (const name of ['archive', 'restore'] as const) {
    lead
      .command(name)
      .description(commands[name])
      .requiredOption('--organization <ID>', 'organization ID', parseId)
      .requiredOption('--lead <ID>', 'lead ID; separate several by commas', parseIds)
      .addHelpText(
        'after',
        `
A lead that does not exist is named, and the others are ${name}d; the status is 1.
If the command is interrupted, run it again.

Examples:
  npm run admin -- lead ${name} --organization 1 --lead 5
  npm run admin -- lead ${name} --organization 1 --lead 5,8,13`,
      )
      .action((options: ArchiveOptions) => archiveLeads(context, options, name));
  }
}

async function archiveLeads(
  context: CommandContext,
  options: ArchiveOptions,
  command: ArchiveCommand,
): Promise<void> {
  const { id: organizationId } = await existingOrganization(context.table(), options.organization);
  const own = { table: context.table(), organizationId };
  const [leadId] = options.lead;
  if (options.lead.length === 1 && leadId !== undefined)
    await archiveOne(context, own, leadId, command);
  else await archiveMany(context, own, options.lead, command);
}

async function archiveOne(
  context: CommandContext,
  own: OrganizationTable,
  leadId: number,
  command: ArchiveCommand,
): Promise<void> {
  const archived = command === 'archive';
  const set = await setArchivedBy(await context.callerIdentity(), own, leadId, archived);
  if (!set) throw unknownLeadError({ organization: own.organizationId, lead: leadId });
  context.print({ leadId, archived }, () => outcomeOf(set, archived));
}

/** Archives or restores leads in the order given. Those that do not exist are named at the end. */
async function archiveMany(
  context: CommandContext,
  { table, organizationId }: OrganizationTable,
  leadIds: readonly number[],
  command: ArchiveCommand,
): Promise<void> {
  const archived = command === 'archive';
  const who = await context.callerIdentity();
  const what = `lead ${command} ${leadIds.join(', ')}`;
  const entry = await addAuditEntry(table, organizationId, { who, what: `${what} begun` });
  const done: number[] = [];
  const lines: string[] = [];
  for (const leadId of leadIds) {
    context.progress(`${done.length} of ${countOf(leadIds.length, 'lead')}`);
    const set = await setArchived(table, organizationId, leadId, archived);
    if (!set) continue;
    done.push(leadId);
    lines.push(outcomeOf(set, archived));
  }
  const absent = leadIds.filter((leadId) => !done.includes(leadId));
  await completeAuditEntry(table, entry, `lead ${command} ${done.join(', ') || 'of no lead'}`);
  if (absent.length > 0) context.exitWithFailure();
  context.print({ items: done.map((leadId) => ({ leadId, archived })) }, () =>
    lines.length === 0 ? `No lead was ${command}d.` : lines.join('\n'),
  );
  for (const lead of absent)
    context.note(unknownLeadError({ organization: organizationId, lead }).message);
}

interface Outcome {
  readonly lead: Lead;
  readonly isChanged: boolean;
}

function outcomeOf({ lead, isChanged }: Outcome, archived: boolean): string {
  if (isChanged && archived) return `Archived lead ${lead.id}.`;
  if (isChanged) return `Restored lead ${lead.id}: the API returns it again.`;
  return archived
    ? `Lead ${lead.id} was already archived on ${lead.archivedAt}: nothing to do.`
    : `Lead ${lead.id} is not archived: nothing to do.`;
}
