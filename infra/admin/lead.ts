import { type Command, InvalidArgumentError } from 'commander';
import { comparableEmail, parsePhone } from '../../shared/leads/identity.ts';
import { emailOf, type Lead, phoneOf, valueOf } from '../../shared/leads/lead.ts';
import { presentEntry } from '../../shared/leads/timeline.ts';
import { setArchived } from '../../shared/store/leads/archive.ts';
import { findLeadByIdentity } from '../../shared/store/leads/create-lead.ts';
import { readLead } from '../../shared/store/leads/leads.ts';
import { readTimeline } from '../../shared/store/leads/timeline.ts';
import { newestLeads } from '../../shared/store/maintenance/newest-leads.ts';
import { addAuditEntry } from '../../shared/store/organizations/audit-log.ts';
import { type CommandContext, CommandError, existingOrganization, formatColumns, parseId } from './context.ts';
import { leadImportCommand } from './import/command.ts';
import { leadEraseCommand } from './lead-erase.ts';
import { leadExportCommand } from './lead-export.ts';
import { timelineLines } from './timeline-lines.ts';

interface LeadOptions {
  organization: number;
  lead: number;
}

interface FindOptions {
  organization: number;
  phone?: string;
  email?: string;
}

interface ListOptions {
  organization: number;
  archived?: boolean;
  limit: number;
}

const listMax = 10_000;
const listDefault = 25;

/** `lead archive|restore|timeline|find|list|import|export|erase`. */
export function leadCommands(program: Command, context: CommandContext): void {
  const lead = program
    .command('lead')
    .description("import, export, find, list, archive, restore, follow and erase an organization's leads")
    .addHelpText('after', '\nExample:\n  npm run admin -- lead list --organization 1 --limit 5');
  const addCommand = (name: string, description: string, run: (context: CommandContext, options: LeadOptions) => Promise<void>) =>
    lead
      .command(name)
      .description(description)
      .requiredOption('--organization <ID>', "organization's id", parseId)
      .requiredOption('--lead <ID>', "lead's id", parseId)
      .addHelpText('after', `\nExample:\n  npm run admin -- lead ${name} --organization 1 --lead 5`)
      .action((options: LeadOptions) => run(context, options));
  addCommand('archive', 'take a lead out of lists and answers; its phone and email stay taken', (own, options) =>
    archive(own, options, true),
  );
  addCommand('restore', 'bring an archived lead back', (own, options) => archive(own, options, false));
  addCommand('timeline', "print a lead's timeline, oldest first", timeline);

  lead
    .command('find')
    .description('find the lead that has a phone or an e-mail, archived or not')
    .requiredOption('--organization <ID>', "organization's id", parseId)
    .option('--phone <PHONE>', 'phone, in any spelling; without a country code it is read as an Indian number', readPhone)
    .option('--email <EMAIL>', 'e-mail, case ignored', readEmail)
    .addHelpText(
      'after',
      "\nExamples:\n  npm run admin -- lead find --organization 1 --phone '+91 98200 12345'\n" +
        '  npm run admin -- lead find --organization 1 --email asha@example.com',
    )
    .action((options: FindOptions, command: Command) => find(context, options, command));

  lead
    .command('list')
    .description('list the newest leads')
    .requiredOption('--organization <ID>', "organization's id", parseId)
    .option('--archived', 'those that are archived, instead of those that are not')
    .option('--limit <N>', `how many at the most, 1 to ${listMax}`, readLimit, listDefault)
    .addHelpText('after', '\nExample:\n  npm run admin -- lead list --organization 1 --archived --limit 100')
    .action((options: ListOptions) => list(context, options));

  leadImportCommand(lead, context);
  leadExportCommand(lead, context);
  leadEraseCommand(lead, context);
}

const noLead = ({ organization, lead }: LeadOptions) => new CommandError(`Organization ${organization} has no lead ${lead}.`);

async function archive(context: CommandContext, options: LeadOptions, archived: boolean): Promise<void> {
  const organization = await existingOrganization(context.table(), options.organization);
  const set = await setArchived(context.table(), organization.id, options.lead, archived);
  if (!set) throw noLead(options);
  const { lead, isChanged } = set;
  // Noted where nothing changed too: a command that was killed before it could note it is given again.
  const what = `lead ${archived ? 'archive' : 'restore'} ${lead.id}`;
  await addAuditEntry(context.table(), organization.id, { who: await context.callerIdentity(), what });
  context.print({ leadId: lead.id, archived }, () => {
    if (isChanged && archived) return `Archived lead ${lead.id}.`;
    if (isChanged) return `Restored lead ${lead.id}: it is in lists and answers again.`;
    return archived
      ? `Lead ${lead.id} was archived already, on ${lead.archivedAt}: nothing to do.`
      : `Lead ${lead.id} is not archived: nothing to do.`;
  });
}

async function find(
  context: CommandContext,
  { organization: organizationId, phone, email }: FindOptions,
  command: Command,
): Promise<void> {
  if ((phone === undefined) === (email === undefined)) command.error('error: give either --phone or --email');
  await existingOrganization(context.table(), organizationId);
  const leadId = await findLeadByIdentity(context.table(), organizationId, phone, email);
  const lead = leadId === undefined ? undefined : await readLead(context.table(), organizationId, leadId);
  if (!lead) {
    const what = phone === undefined ? `e-mail ${email}` : `phone ${phone}`;
    throw new CommandError(`Organization ${organizationId} has no lead with the ${what}.`);
  }
  context.print(brief(lead), () => table([lead]));
}

async function list(
  context: CommandContext,
  { organization: organizationId, archived = false, limit }: ListOptions,
): Promise<void> {
  await existingOrganization(context.table(), organizationId);
  const { leads, more } = await newestLeads(context.table(), organizationId, { archived, limit });
  context.print({ items: leads.map(brief), more }, () => {
    if (leads.length === 0) return `Organization ${organizationId} has no ${archived ? 'archived ' : ''}leads.`;
    return `${table(leads)}${more ? '\n\nThere are more: a higher --limit shows them.' : ''}`;
  });
}

/** A lead as one finds it: what tells it from others, and the id that the other commands want. */
const brief = (lead: Lead) => ({
  leadId: lead.id,
  name: valueOf(lead.fields, 'name'),
  phone: phoneOf(lead),
  email: emailOf(lead),
  archived: lead.archivedAt !== undefined,
  createdAt: lead.createdAt,
  updatedAt: lead.updatedAt,
});

const table = (leads: readonly Lead[]): string =>
  formatColumns(
    ['LEAD', 'NAME', 'PHONE', 'EMAIL', 'CREATED', 'STATE'],
    leads
      .map(brief)
      .map(({ leadId, name, phone, email, createdAt, archived }) => [
        String(leadId),
        String(name),
        phone,
        email ?? '',
        createdAt.slice(0, 10),
        archived ? 'archived' : 'live',
      ]),
  );

function readPhone(text: string): string {
  const phone = parsePhone(text);
  if (phone === undefined) throw new InvalidArgumentError('It must be a phone number, such as +91 98200 12345.');
  return phone;
}

function readEmail(text: string): string {
  if (!text.includes('@')) throw new InvalidArgumentError('It must be an e-mail address, such as asha@example.com.');
  return comparableEmail(text.trim());
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d{1,6}$/.test(text) || limit < 1 || limit > listMax) {
    throw new InvalidArgumentError(`It must be an integer from 1 to ${listMax}.`);
  }
  return limit;
}

async function timeline(context: CommandContext, options: LeadOptions): Promise<void> {
  const organization = await existingOrganization(context.table(), options.organization);
  if (!(await readLead(context.table(), organization.id, options.lead))) throw noLead(options);
  const entries = await readTimeline(context.table(), organization.id, options.lead);
  const items = entries.flatMap((entry) =>
    presentEntry(entry, (userId) => organization.userById.get(userId)?.name ?? `user ${userId}`),
  );
  context.print({ items }, () => items.map((item) => timelineLines(organization, item)).join('\n'));
}
