import type { Command } from 'commander';
import { presentEntry, type TimelineItem } from '../../shared/leads/timeline.ts';
import { readLead } from '../../shared/store/leads.ts';
import { readTimeline } from '../../shared/store/timeline.ts';
import { CommandRefused, type Desk, existingOrganization, parseId } from './desk.ts';

interface LeadOptions {
  organization: number;
  lead: number;
}

/** `lead timeline`. */
export function leadCommands(program: Command, desk: Desk): void {
  const lead = program.command('lead').description("archive, restore and follow an organization's leads");
  const addCommand = (name: string, description: string, run: (desk: Desk, options: LeadOptions) => Promise<void>) =>
    lead
      .command(name)
      .description(description)
      .requiredOption('--organization <ID>', "organization's id", parseId)
      .requiredOption('--lead <ID>', "lead's id", parseId)
      .addHelpText('after', `\nExample:\n  npm run admin -- lead ${name} --organization 1 --lead 5`)
      .action((options: LeadOptions) => run(desk, options));
  addCommand('timeline', "print a lead's timeline, oldest first", timeline);
}

const noLead = ({ organization, lead }: LeadOptions) => new CommandRefused(`Organization ${organization} has no lead ${lead}.`);

async function timeline(desk: Desk, options: LeadOptions): Promise<void> {
  const organization = await existingOrganization(desk.table(), options.organization);
  if (!(await readLead(desk.table(), organization.id, options.lead))) throw noLead(options);
  const entries = await readTimeline(desk.table(), organization.id, options.lead);
  const items = entries.flatMap((entry) => presentEntry(entry, (userId) => organization.userById.get(userId)?.name ?? `user ${userId}`));
  desk.answer({ items }, () => items.map(itemLines).join('\n'));
}

/** One item for people: what happened, when and by whom on a line, then what it carries. */
function itemLines({ type, at, actor, ...carried }: TimelineItem): string {
  const details = Object.entries(carried).map(([name, value]) => `    ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return [`${at}  ${type}  by ${actor.name}`, ...details].join('\n');
}
