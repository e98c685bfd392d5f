import type { Command } from 'commander';
import { presentEntry, type TimelineItem } from '../../shared/leads/timeline.ts';
import { setArchived } from '../../shared/store/archive.ts';
import { readLead } from '../../shared/store/leads.ts';
import { readTimeline } from '../../shared/store/timeline.ts';
import { CommandRefused, type Desk, existingOrganization, parseId } from './desk.ts';

interface LeadOptions {
  organization: number;
  lead: number;
}

/** `lead archive|restore|timeline`. */
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
  addCommand('archive', 'take a lead out of lists and answers; its phone and email stay taken', (own, options) =>
    archive(own, options, true),
  );
  addCommand('restore', 'bring an archived lead back', (own, options) => archive(own, options, false));
  addCommand('timeline', "print a lead's timeline, oldest first", timeline);
}

const noLead = ({ organization, lead }: LeadOptions) => new CommandRefused(`Organization ${organization} has no lead ${lead}.`);

async function archive(desk: Desk, options: LeadOptions, archived: boolean): Promise<void> {
  const organization = await existingOrganization(desk.table(), options.organization);
  const lead = await setArchived(desk.table(), organization.id, options.lead, archived);
  if (!lead) throw noLead(options);
  desk.answer(
    { leadId: lead.id, archived },
    () => `Lead ${lead.id} of organization ${organization.id} is ${archived ? 'archived' : 'not archived'}.`,
  );
}

async function timeline(desk: Desk, options: LeadOptions): Promise<void> {
  const organization = await existingOrganization(desk.table(), options.organization);
  if (!(await readLead(desk.table(), organization.id, options.lead))) throw noLead(options);
  const entries = await readTimeline(desk.table(), organization.id, options.lead);
  const items = entries.flatMap((entry) =>
    presentEntry(entry, (userId) => organization.userById.get(userId)?.name ?? `user ${userId}`),
  );
  desk.answer({ items }, () => items.map(itemLines).join('\n'));
}

/** One item for people: what happened, when and by whom on a line, then what it carries. */
function itemLines({ type, at, actor, ...carried }: TimelineItem): string {
  const details = Object.entries(carried).map(
    ([name, value]) => `    ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [`${at}  ${type}  by ${actor.name}`, ...details].join('\n');
}
