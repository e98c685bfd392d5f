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
import { integerOption } from '../cli/integer-option.ts';
import { type CommandContext, CommandError, existingOrganization, parseId } from './context.ts';
import { dateOf, formatColumns } from './format.ts';
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

const limitMax = 10_000;
const limitDefault = 25;

export function leadCommands(program: Command, context: CommandContext): void {
  const lead = program
    .command('lead')
    .description(
      'archive, restore, find, list, import, export and erase leads, and print their timelines',
    )
    .addHelpText('after', '\nExample:\n  npm run admin -- lead list --organization 1 --limit 5');
  oneLeadCommand(
    lead,
    'archive',
    'hide a lead from the API; its phone and email stay taken',
  ).action((options: LeadOptions) => archive(context, options, true));
  oneLeadCommand(lead, 'restore', 'make an archived lead visible to the API again').action(
    (options: LeadOptions) => archive(context, options, false),
  );
  oneLeadCommand(lead, 'timeline', 'print the timeline of a lead, oldest item first').action(
    (options: LeadOptions) => timeline(context, options),
  );
  findCommand(lead, context);
  listCommand(lead, context);
  leadImportCommand(lead, context);
  leadExportCommand(lead, context);
  leadEraseCommand(lead, context);
}

/** A command that works on one lead. */
const oneLeadCommand = (lead: Command, name: string, description: string): Command =>
  lead
    .command(name)
    .description(description)
    .requiredOption('--organization <ID>', 'organization ID', parseId)
    .requiredOption('--lead <ID>', 'lead ID', parseId)
    .addHelpText('after', `\nExample:\n  npm run admin -- lead ${name} --organization 1 --lead 5`);

function findCommand(lead: Command, context: CommandContext): void {
  lead
    .command('find')
    .description('find the lead that has a phone or an email, archived or not')
    .requiredOption('--organization <ID>', 'organization ID', parseId)
    .option(
      '--phone <PHONE>',
      'phone number in any format; without a country code it is an Indian number',
      parsePhoneOption,
    )
    .option('--email <EMAIL>', 'email address, in upper or lower case', parseEmailOption)
    .addHelpText(
      'after',
      `
Examples:
  npm run admin -- lead find --organization 1 --phone '+91 98200 12345'
  npm run admin -- lead find --organization 1 --email asha@example.com`,
    )
    .action((options: FindOptions, command: Command) => find(context, options, command));
}

function listCommand(lead: Command, context: CommandContext): void {
  lead
    .command('list')
    .description('list the newest leads')
    .requiredOption('--organization <ID>', 'organization ID', parseId)
    .option('--archived', 'list archived leads instead of live ones')
    .option(
      '--limit <N>',
      `maximum number of leads, 1 to ${limitMax}`,
      integerOption(1, limitMax),
      limitDefault,
    )
    .addHelpText(
      'after',
      '\nExample:\n  npm run admin -- lead list --organization 1 --archived --limit 100',
    )
    .action((options: ListOptions) => list(context, options));
}

const unknownLeadError = ({ organization, lead }: LeadOptions) =>
  new CommandError(`Organization ${organization} has no lead ${lead}.`);

async function archive(
  context: CommandContext,
  options: LeadOptions,
  archived: boolean,
): Promise<void> {
  const organization = await existingOrganization(context.table(), options.organization);
  const set = await setArchived(context.table(), organization.id, options.lead, archived);
  if (!set) throw unknownLeadError(options);
  const { lead, isChanged } = set;
  // Logged even if nothing changed: a command that was killed before it could write its entry is run again.
  const what = `lead ${archived ? 'archive' : 'restore'} ${lead.id}`;
  await addAuditEntry(context.table(), organization.id, {
    who: await context.callerIdentity(),
    what,
  });
  context.print({ leadId: lead.id, archived }, () => {
    if (isChanged && archived) return `Archived lead ${lead.id}.`;
    if (isChanged) return `Restored lead ${lead.id}: the API returns it again.`;
    return archived
      ? `Lead ${lead.id} was already archived on ${lead.archivedAt}: nothing to do.`
      : `Lead ${lead.id} is not archived: nothing to do.`;
  });
}

async function find(
  context: CommandContext,
  { organization: organizationId, phone, email }: FindOptions,
  command: Command,
): Promise<void> {
  if ((phone === undefined) === (email === undefined))
    command.error('error: give either --phone or --email');
  await existingOrganization(context.table(), organizationId);
  const leadId = await findLeadByIdentity(context.table(), organizationId, phone, email);
  const lead =
    leadId === undefined ? undefined : await readLead(context.table(), organizationId, leadId);
  if (!lead) {
    const identity = phone === undefined ? `email ${email}` : `phone ${phone}`;
    throw new CommandError(`Organization ${organizationId} has no lead with the ${identity}.`);
  }
  context.print(summaryOf(lead), () => formatLeads([lead]));
}

async function list(
  context: CommandContext,
  { organization: organizationId, archived = false, limit }: ListOptions,
): Promise<void> {
  await existingOrganization(context.table(), organizationId);
  const { leads, more } = await newestLeads(context.table(), organizationId, { archived, limit });
  context.print({ items: leads.map(summaryOf), more }, () => {
    if (leads.length === 0)
      return `Organization ${organizationId} has no ${archived ? 'archived ' : ''}leads.`;
    return `${formatLeads(leads)}${more ? '\n\nThere are more leads: use a higher --limit.' : ''}`;
  });
}

/** What tells a lead from others, and the ID that the other commands need. */
const summaryOf = (lead: Lead) => ({
  leadId: lead.id,
  name: valueOf(lead.fields, 'name'),
  phone: phoneOf(lead),
  email: emailOf(lead),
  archived: lead.archivedAt !== undefined,
  createdAt: lead.createdAt,
  updatedAt: lead.updatedAt,
});

function formatLeads(leads: readonly Lead[]): string {
  const rows = leads.map((lead): string[] => {
    const { leadId, name, phone, email, createdAt, archived } = summaryOf(lead);
    return [
      String(leadId),
      String(name),
      phone,
      email ?? '',
      dateOf(createdAt),
      archived ? 'archived' : 'live',
    ];
  });
  return formatColumns(['LEAD', 'NAME', 'PHONE', 'EMAIL', 'CREATED', 'STATE'], rows);
}

function parsePhoneOption(text: string): string {
  const phone = parsePhone(text);
  if (phone === undefined)
    throw new InvalidArgumentError('It must be a phone number, such as +91 98200 12345.');
  return phone;
}

function parseEmailOption(text: string): string {
  if (!text.includes('@'))
    throw new InvalidArgumentError('It must be an email address, such as asha@example.com.');
  return comparableEmail(text.trim());
}

async function timeline(context: CommandContext, options: LeadOptions): Promise<void> {
  const organization = await existingOrganization(context.table(), options.organization);
  if (!(await readLead(context.table(), organization.id, options.lead)))
    throw unknownLeadError(options);
  const entries = await readTimeline(context.table(), organization.id, options.lead);
  const items = entries.flatMap((entry) =>
    presentEntry(entry, (userId) => organization.userById.get(userId)?.name ?? `user ${userId}`),
  );
  context.print({ items }, () => items.map((item) => timelineLines(organization, item)).join('\n'));
}
