import { InvalidArgumentError } from 'commander';
import { comparableEmail, parsePhone } from '../../../shared/leads/identity.ts';
import { valueOf } from '../../../shared/leads/lead.ts';
import { foldText, partFinder } from '../../../shared/leads/text-search.ts';
import { findLeadByIdentity } from '../../../shared/store/leads/create-lead.ts';
import { readLead } from '../../../shared/store/leads/leads.ts';
import { newestLeads } from '../../../shared/store/maintenance/read-leads.ts';
import { type CliCommand, CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import { type CommandContext, existingOrganization } from '../context.ts';
import { leadLimitOption, organizationCommand, readRateOption } from '../options.ts';
import { formatLeads, printLeads, summaryOf } from './summary.ts';

interface FindOptions {
  organization: number;
  phone?: string;
  email?: string;
  name?: string;
  limit: number;
  rate?: number;
}

export function leadFindCommand(lead: CliCommand, context: CommandContext): void {
  organizationCommand(lead, 'find', 'find leads by phone, email or name, archived or not')
    .option(
      '--phone <PHONE>',
      'phone number in any format; without a country code it is an Indian number',
      (text) => valid(parsePhone(text), 'a phone number, such as +91 98200 12345'),
    )
    .option('--email <EMAIL>', 'email address, in upper or lower case', (text) =>
      valid(
        text.includes('@') ? comparableEmail(text.trim()) : undefined,
        'an email address, such as asha@example.com',
      ),
    )
    .option('--name <TEXT>', 'part of the name, in upper or lower case', (text) =>
      valid(text.trim() || undefined, 'a part of a name'),
    )
    .addOption(leadLimitOption())
    .addOption(readRateOption())
    .notes(`
A phone or an email belongs to one lead, which is found at once. A search by name
reads leads, newest first, until it has found --limit of them: one read unit per
4 KB of leads.

Examples:
  npm run admin -- lead find --organization 1 --phone '+91 98200 12345'
  npm run admin -- lead find --organization 1 --email asha@example.com
  npm run admin -- lead find --organization 1 --name kulkarni`)
    .action((options: FindOptions, command: CliCommand) => find(context, options, command));
}

async function find(
  context: CommandContext,
  options: FindOptions,
  command: CliCommand,
): Promise<void> {
  const { organization, phone, email, name } = options;
  if ([phone, email, name].filter((value) => value !== undefined).length !== 1)
    command.error('error: give exactly one of --phone, --email and --name');
  await existingOrganization(context.table(), organization);
  if (name !== undefined) return findByName(context, options, name);
  const holder = await findLeadByIdentity(context.table(), organization, phone, email);
  const lead = holder && (await readLead(context.table(), organization, holder.leadId));
  if (!lead) {
    const identity = phone === undefined ? `email ${email}` : `phone ${phone}`;
    throw new CommandError(`Organization ${organization} has no lead with the ${identity}.`);
  }
  context.print(summaryOf(lead), () => formatLeads([lead]));
}

async function findByName(
  context: CommandContext,
  { organization: organizationId, limit, rate }: FindOptions,
  name: string,
): Promise<void> {
  const isIn = partFinder(foldText(name));
  const found = await newestLeads(context.pacedTable(rate), organizationId, {
    limit,
    matches: ({ fields }) => isIn(foldText(String(valueOf(fields, 'name')))),
    onProgress: (leads) => context.progress(`Searching: ${countOf(leads, 'lead')} read`),
  });
  printLeads(
    context,
    found,
    `Organization ${organizationId} has no lead whose name contains ${JSON.stringify(name)}.`,
  );
}

function valid(value: string | undefined, what: string): string {
  if (value === undefined) throw new InvalidArgumentError(`It must be ${what}.`);
  return value;
}
