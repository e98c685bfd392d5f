import type { Command } from 'commander';
import { presentEntry } from '../../../shared/leads/timeline.ts';
import { readLead } from '../../../shared/store/leads/leads.ts';
import { readTimeline } from '../../../shared/store/leads/timeline.ts';
import { parseId } from '../../cli/options.ts';
import { type CommandContext, existingOrganization } from '../context.ts';
import { type NamedLead, unknownLeadError } from './summary.ts';
import { timelineLines } from './timeline-lines.ts';

export function leadTimelineCommand(lead: Command, context: CommandContext): void {
  lead
    .command('timeline')
    .description('print the timeline of a lead, oldest item first')
    .requiredOption('--organization <ID>', 'organization ID', parseId)
    .requiredOption('--lead <ID>', 'lead ID', parseId)
    .addHelpText('after', '\nExample:\n  npm run admin -- lead timeline --organization 1 --lead 5')
    .action((options: NamedLead) => timeline(context, options));
}

async function timeline(context: CommandContext, options: NamedLead): Promise<void> {
  const organization = await existingOrganization(context.table(), options.organization);
  if (!(await readLead(context.table(), organization.id, options.lead)))
    throw unknownLeadError(options);
  const entries = await readTimeline(context.table(), organization.id, options.lead);
  const items = entries.flatMap((entry) =>
    presentEntry(entry, (userId) => organization.userById.get(userId)?.name ?? `user ${userId}`),
  );
  context.print({ items }, () => items.map((item) => timelineLines(organization, item)).join('\n'));
}
