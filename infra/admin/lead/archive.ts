import { type Archived, setArchived } from '../../../shared/store/leads/archive.ts';
import { CommandError } from '../../cli/command.ts';
import type { AdminCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { eachLead, unknownLeadError } from './named-lead.ts';

const commands = {
  archive: 'hide leads from the API; their phones and emails stay taken',
  restore: 'make archived leads visible to the API again',
} as const;
type ArchiveCommand = keyof typeof commands;

export function leadArchiveCommands(lead: AdminCommand): void {
  for (const name of ['archive', 'restore'] as const) {
    lead
      .ofLeads(name, commands[name])
      .notes(`
If a lead does not exist, the command names it, ${name}s the others, and ends with
status 1. If it is interrupted, run it again.`)
      .examples('--organization 1 --lead 5,8,13')
      .json(`{"leadId":5,"archived":${name === 'archive'}}; several leads: {"items":[…]}`)
      .run((context, options: { readonly lead: readonly number[] }) =>
        archiveLeads(context, options.lead, name),
      );
  }
}

/** Archives or restores leads, each with its entry in the audit log. */
async function archiveLeads(
  context: CommandContext,
  leadIds: readonly number[],
  command: ArchiveCommand,
): Promise<void> {
  const { id: organizationId } = await context.organization();
  const archived = command === 'archive';
  const who = await context.callerIdentity();
  const { items, refusals } = await eachLead(context, leadIds, async (leadId) => {
    const set = await setArchived(context.table(), organizationId, leadId, { archived, who });
    if (!set) throw unknownLeadError(context, leadId);
    return set;
  });
  const isOne = leadIds.length === 1;
  if (isOne && refusals[0]) throw new CommandError(refusals[0]);
  const results = items.map(({ lead }) => ({ leadId: lead.id, archived }));
  const lines = items.map((set) => outcomeOf(set, archived));
  if (lines.length === 0) lines.push(`No lead was ${command}d.`);
  context.print(isOne ? results[0] : { items: results }, lines);
  context.refuse(refusals);
}

function outcomeOf({ lead, isChanged }: Archived, archived: boolean): string {
  if (isChanged && archived) return `Archived lead ${lead.id}.`;
  if (isChanged) return `Restored lead ${lead.id}: the API returns it again.`;
  return archived
    ? `Lead ${lead.id} was already archived on ${lead.archivedAt}: nothing to do.`
    : `Lead ${lead.id} is not archived: nothing to do.`;
}
