import type { Command } from 'commander';
import { type Archived, setArchived, setArchivedBy } from '../../../shared/store/leads/archive.ts';
import {
  addAuditEntry,
  completeAuditEntry,
} from '../../../shared/store/organizations/audit-log.ts';
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

/** Archives or restores leads in the order given. Those that do not exist are named at the end. */
async function archiveLeads(
  context: CommandContext,
  { organization, lead: leadIds }: ArchiveOptions,
  command: ArchiveCommand,
): Promise<void> {
  const table = context.table();
  await existingOrganization(table, organization);
  const archived = command === 'archive';
  const who = await context.callerIdentity();
  // A single lead gets its entry in the audit log with the change itself.
  const isOne = leadIds.length === 1;
  const begun = `lead ${command} ${leadIds.join(', ')} begun`;
  const entry = isOne ? undefined : await addAuditEntry(table, organization, { who, what: begun });
  const lines = new Map<number, string>();
  for (const leadId of leadIds) {
    context.progress(`${lines.size} of ${countOf(leadIds.length, 'lead')}`);
    const set = isOne
      ? await setArchivedBy(who, { table, organizationId: organization }, leadId, archived)
      : await setArchived(table, organization, leadId, archived);
    if (set) lines.set(leadId, outcomeOf(set, archived));
  }
  const done = [...lines.keys()];
  if (entry)
    await completeAuditEntry(table, entry, `lead ${command} ${done.join(', ') || 'of no lead'}`);
  const [absent, ...others] = leadIds
    .filter((leadId) => !lines.has(leadId))
    .map((lead) => unknownLeadError({ organization, lead }));
  if (isOne && absent) throw absent;
  const items = done.map((leadId) => ({ leadId, archived }));
  context.print(isOne ? items[0] : { items }, () =>
    lines.size === 0 ? `No lead was ${command}d.` : [...lines.values()].join('\n'),
  );
  if (!absent) return;
  context.exitWithFailure();
  for (const { message } of [absent, ...others]) context.note(message);
}

function outcomeOf({ lead, isChanged }: Archived, archived: boolean): string {
  if (isChanged && archived) return `Archived lead ${lead.id}.`;
  if (isChanged) return `Restored lead ${lead.id}: the API returns it again.`;
  return archived
    ? `Lead ${lead.id} was already archived on ${lead.archivedAt}: nothing to do.`
    : `Lead ${lead.id} is not archived: nothing to do.`;
}
