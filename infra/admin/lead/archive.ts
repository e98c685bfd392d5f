import { type Archived, setArchived } from '../../../shared/store/leads/archive.ts';
import type { CliCommand, CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import { parseIds } from '../../cli/options.ts';
import { type CommandContext, existingOrganization } from '../context.ts';
import { organizationCommand } from '../options.ts';
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

export function leadArchiveCommands(lead: CliCommand, context: CommandContext): void {
  for (const name of ['archive', 'restore'] as const) {
    organizationCommand(lead, name, commands[name])
      .requiredOption('--lead <ID>', 'lead ID; separate several with commas', parseIds)
      .notes(`
If a lead does not exist, the command names it, ${name}s the others, and ends with
status 1. If it is interrupted, run it again.

Examples:
  npm run admin -- lead ${name} --organization 1 --lead 5
  npm run admin -- lead ${name} --organization 1 --lead 5,8,13`)
      .action((options: ArchiveOptions) => archiveLeads(context, options, name));
  }
}

/** Archives or restores leads in the order given, each with its entry in the audit log. Those that do not exist are named at the end. */
async function archiveLeads(
  context: CommandContext,
  { organization, lead: leadIds }: ArchiveOptions,
  command: ArchiveCommand,
): Promise<void> {
  const table = context.table();
  await existingOrganization(table, organization);
  const archived = command === 'archive';
  const who = await context.callerIdentity();
  const lines: string[] = [];
  const items: { readonly leadId: number; readonly archived: boolean }[] = [];
  const absent: CommandError[] = [];
  for (const leadId of leadIds) {
    context.progress(`${items.length} of ${countOf(leadIds.length, 'lead')}`);
    const set = await setArchived(table, organization, leadId, { archived, who });
    if (set) {
      items.push({ leadId, archived });
      lines.push(outcomeOf(set, archived));
    } else absent.push(unknownLeadError({ organization, lead: leadId }));
  }
  const isOne = leadIds.length === 1;
  if (isOne && absent[0]) throw absent[0];
  if (lines.length === 0) lines.push(`No lead was ${command}d.`);
  context.print(isOne ? items[0] : { items }, () => lines.join('\n'));
  if (absent.length > 0) context.exitWithFailure();
  for (const { message } of absent) context.note(message);
}

function outcomeOf({ lead, isChanged }: Archived, archived: boolean): string {
  if (isChanged && archived) return `Archived lead ${lead.id}.`;
  if (isChanged) return `Restored lead ${lead.id}: the API returns it again.`;
  return archived
    ? `Lead ${lead.id} was already archived on ${lead.archivedAt}: nothing to do.`
    : `Lead ${lead.id} is not archived: nothing to do.`;
}
