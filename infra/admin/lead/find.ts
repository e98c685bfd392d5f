import { InvalidArgumentError } from 'commander';
import { asciiDigits, comparableEmail, lacksCountryCode } from '../../../shared/leads/identity.ts';
import { type Lead, phoneOf } from '../../../shared/leads/lead.ts';
import { foldText, partFinder } from '../../../shared/leads/text-search.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { findLeadByIdentity } from '../../../shared/store/leads/create-lead.ts';
import { readLead } from '../../../shared/store/leads/leads.ts';
import { newestLeads } from '../../../shared/store/maintenance/read-leads.ts';
import { type CliCommand, CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import { type CommandContext, existingOrganization } from '../context.ts';
import { type CountryCode, countryOption, phoneOfCountry } from '../country.ts';
import { leadLimitOption, organizationCommand, readRateOption } from '../options.ts';
import { formatLeads, printLeads, summaryOf } from './summary.ts';

interface FindOptions {
  organization: number;
  phone?: string;
  country?: CountryCode;
  email?: string;
  name?: string;
  limit: number;
  rate?: number;
}

export function leadFindCommand(lead: CliCommand, context: CommandContext): void {
  organizationCommand(lead, 'find', 'find leads by phone, email or name, archived or not')
    .option('--phone <PHONE>', 'phone number in any format, or at least 4 digits of one')
    .addOption(countryOption())
    .option('--email <EMAIL>', 'email address, in upper or lower case', (text) =>
      valid(
        text.includes('@') ? comparableEmail(text.trim()) : undefined,
        'an email address, such as asha@example.com',
      ),
    )
    .option('--name <TEXT>', 'part of the name; case and accents are ignored', (text) =>
      valid(text.trim() || undefined, 'a part of a name'),
    )
    .addOption(leadLimitOption())
    .addOption(readRateOption())
    .notes(`
A whole phone or an email is found at once. A search by name or by part of a phone,
or by a phone without a country code that no lead has, reads leads, newest first,
until it has found --limit of them: one read unit per 4 KB of leads.

Examples:
  npm run admin -- lead find --organization 1 --phone '+91 98200 12345'
  npm run admin -- lead find --organization 1 --phone 12345
  npm run admin -- lead find --organization 1 --email asha@example.com
  npm run admin -- lead find --organization 1 --name kulkarni`)
    .action((options: FindOptions, command: CliCommand) => find(context, options, command));
}

async function find(
  context: CommandContext,
  options: FindOptions,
  command: CliCommand,
): Promise<void> {
  const { phone: typed, email, name, country } = options;
  if ([typed, email, name].filter((value) => value !== undefined).length !== 1)
    command.error('error: give exactly one of --phone, --email and --name');
  const phone = typed === undefined ? undefined : phoneOfCountry(typed, country);
  const digits = asciiDigits(typed ?? '')
    .replace(/\D/g, '')
    .replace(/^00?(?=[1-9]\d{3})/, '');
  if (typed !== undefined && phone === undefined && digits.length < digitsMin)
    command.error(
      `error: option '--phone' must be a phone number, such as +91 98200 12345, or at least ${digitsMin} digits of one`,
    );
  const organization = await existingOrganization(context.table(), options.organization);
  if (name !== undefined) {
    const isIn = partFinder(foldAccents(name));
    return findByPart(context, organization, options, ({ fields }) =>
      isIn(foldAccents(fields.name)),
    );
  }
  const hasDigits = (lead: Lead): boolean => phoneOf(lead).includes(digits);
  if (typed !== undefined && phone === undefined)
    return findByPart(context, organization, options, hasDigits);
  const holder = await findLeadByIdentity(context.table(), organization.id, phone, email);
  const lead = holder && (await readLead(context.table(), organization.id, holder.leadId));
  if (lead) return context.print(summaryOf(lead), () => formatLeads(organization, [lead]));
  if (typed !== undefined && phone !== undefined && lacksCountryCode(typed, phone))
    return findByPart(context, organization, options, hasDigits);
  const identity = phone === undefined ? `email ${email}` : `phone ${phone}`;
  throw new CommandError(`Organization ${organization.id} has no lead with the ${identity}.`);
}

/** Fewer would be part of too many numbers. */
const digitsMin = 4;

/** `Müller` as `muller`, `Weiß` as `weiss`. Other scripts keep their marks, which are letters there. */
const foldAccents = (text: string): string =>
  foldText(text.normalize('NFD').replace(/[\u0300-\u036f]/g, '')).replaceAll('ß', 'ss');

async function findByPart(
  context: CommandContext,
  organization: Organization,
  { phone, name, limit, rate }: FindOptions,
  matches: (lead: Lead) => boolean,
): Promise<void> {
  const found = await newestLeads(context.pacedTable(rate), organization.id, {
    limit,
    matches,
    onProgress: (leads) => context.progress(`Searching: ${countOf(leads, 'lead')} read`),
  });
  const part = `${name === undefined ? 'phone' : 'name'} contains ${JSON.stringify(name ?? phone)}`;
  printLeads(
    context,
    organization,
    found,
    `Organization ${organization.id} has no lead whose ${part}.`,
  );
}

function valid(value: string | undefined, what: string): string {
  if (value === undefined) throw new InvalidArgumentError(`It must be ${what}.`);
  return value;
}
