import { InvalidArgumentError } from 'commander';
import { asciiDigits, foldText } from '../../../shared/base/text.ts';
import { comparableEmail, lacksCountryCode, storedPhone } from '../../../shared/leads/identity.ts';
import { type Lead, presentLead, valueOf } from '../../../shared/leads/lead.ts';
import { type ListParameters, leadMatcher, leadQuery } from '../../../shared/leads/lead-query.ts';
import { partFinder } from '../../../shared/leads/text-search.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { findLeadByIdentity } from '../../../shared/store/leads/create-lead.ts';
import { readLead } from '../../../shared/store/leads/leads.ts';
import { type FoundLeads, newestLeads } from '../../../shared/store/leads/read-leads.ts';
import { listLeads } from '../../../shared/store/listing/lead-lists.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf, dateOf, formatTable } from '../../cli/format.ts';
import { integerOption } from '../../cli/options.ts';
import type { AdminCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { namedId } from '../named.ts';
import {
  type CountryCode,
  countryOption,
  parseText,
  parseTime,
  phoneOfCountry,
} from '../options.ts';

const leadsMax = 10_000;
const leadsDefault = 25;

interface SearchOptions {
  readonly limit: number;
}

const withSearchOptions = (command: AdminCommand): AdminCommand =>
  command
    .option(
      '--limit <N>',
      `maximum number of leads, 1 to ${leadsMax}`,
      integerOption(1, leadsMax),
      leadsDefault,
    )
    .withReadRate();

interface ListOptions extends SearchOptions {
  readonly archived?: boolean;
  readonly stage?: string;
  readonly owner?: string;
  readonly source?: string;
  /** Epoch milliseconds. */
  readonly updatedSince?: number;
}

/** `lead find` and `lead list`. */
export function leadListCommands(lead: AdminCommand): void {
  const findCommand = lead
    .ofOrganization('find', 'find leads by phone, email or name, archived or not')
    .option('--phone <PHONE>', 'phone number in any format, or at least 4 digits of one')
    .addOption(countryOption())
    .option('--email <EMAIL>', 'email address, in upper or lower case', parseEmail)
    .option('--name <TEXT>', 'part of the name; case and accents are ignored', parseText)
    .notes(`
A whole phone or an email is found at once. A search by name or by part of a phone,
or by a phone without a country code that no lead has, reads leads, newest first,
until it has found --limit of them: one read unit per 4 KB of leads.`)
    .examples("--organization 1 --phone '+91 98200 12345'", '--organization 1 --name kulkarni')
    .refuse(usageIssue)
    .json('as lead list; by whole phone or email only the item')
    .run(find);
  const listCommand = lead
    .ofOrganization('list', 'list the newest leads, or those of a stage, an owner or a source')
    .option('--archived', 'list archived leads instead of live ones')
    .option('--stage <STAGE>', 'only leads in this stage, named by ID or name')
    .option('--owner <USER>', 'only leads of this user, named by ID or name')
    .option('--source <SOURCE>', 'only leads from this source, named by ID or name')
    .option(
      '--updated-since <TIME>',
      'only leads that changed then or later; a date (UTC) or a date-time with an offset',
      parseTime,
    )
    .examples(
      "--organization 1 --stage 'New enquiry' --owner 'Asha Rao'",
      '--organization 1 --updated-since 2026-11-01',
    )
    .json(
      '{"items":[{"leadId","name","phone","email","archived","createdAt","updatedAt"}],"more":false}',
    )
    .run(list);
  for (const command of [findCommand, listCommand]) withSearchOptions(command);
}

async function list(context: CommandContext, options: ListOptions): Promise<void> {
  const { archived = false } = options;
  const organization = await context.organization();
  const filters = {
    stage_id: namedId(organization, 'stage', options.stage),
    owner_id: namedId(organization, 'user', options.owner),
    source_id: namedId(organization, 'source', options.source),
    updated_since: options.updatedSince,
  };
  const isOfList = leadMatcher(filters);
  const found = archived
    ? await search(context, options, (lead) => lead.archivedAt !== undefined && isOfList(lead))
    : await liveLeads(context.pacedTable(), organization, filters, options.limit);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const what = `${archived ? 'archived ' : ''}leads${isFiltered ? ' with these properties' : ''}`;
  printLeads(context, organization, found, `has no ${what}`);
}

/** The newest live leads that match, page by page as the API lists them: an index finds them, however rare they are. */
async function liveLeads(
  table: Table,
  organization: Organization,
  filters: ListParameters,
  limit: number,
): Promise<FoundLeads> {
  const leads: Lead[] = [];
  let cursor: number | null | undefined;
  while (cursor !== null && leads.length <= limit) {
    const page = { ...filters, limit: limit + 1 - leads.length, ...(cursor && { cursor }) };
    const query = leadQuery(organization, page);
    const read = await listLeads(table, query);
    leads.push(...read.leads);
    cursor = read.nextCursor;
  }
  return { leads: leads.slice(0, limit), more: leads.length > limit };
}

/** The newest leads that match, archived or not. Reads every lead until it has found enough. */
const search = (
  context: CommandContext,
  { limit }: SearchOptions,
  matches: (lead: Lead) => boolean,
): Promise<FoundLeads> =>
  newestLeads(context.pacedTable(), context.organizationId, {
    limit,
    matches,
    onProgress: (leads) => context.progress(`Searching: ${countOf(leads, 'lead')} read`),
  });

interface FindOptions extends SearchOptions {
  readonly phone?: string;
  readonly country?: CountryCode;
  readonly email?: string;
  readonly name?: string;
}

function parseEmail(text: string): string {
  const email = text.includes('@') ? comparableEmail(text.trim()) : undefined;
  if (email !== undefined) return email;
  throw new InvalidArgumentError('It must be an email address, such as asha@example.com.');
}

/** Fewer would be part of too many numbers. */
export const digitsMin = 4;

/** The digits of a phone as it was typed, without the zeros in front. */
export const digitsOf = (typed: string): string =>
  asciiDigits(typed)
    .replace(/\D/g, '')
    .replace(/^00?(?=[1-9]\d{3})/, '');

function usageIssue({ phone, email, name, country }: FindOptions): string | false {
  if ([phone, email, name].filter((value) => value !== undefined).length !== 1)
    return 'give exactly one of --phone, --email and --name';
  return (
    phone !== undefined &&
    phoneOfCountry(phone, country).phone === undefined &&
    digitsOf(phone).length < digitsMin &&
    `option '--phone' must be a phone number, such as +91 98200 12345, or at least ${digitsMin} digits of one`
  );
}

async function find(context: CommandContext, options: FindOptions): Promise<void> {
  const { phone: typed = '', country, email, name } = options;
  const organization = await context.organization();
  const { phone: read } = phoneOfCountry(typed, country);
  for (const phone of new Set([storedPhone(typed), read])) {
    const person = { organizationId: organization.id, phone, email };
    const holder = await findLeadByIdentity(context.table(), person);
    const lead = holder && (await readLead(context.table(), organization.id, holder.leadId));
    if (lead) return context.print(summaryOf(lead), formatLeads(organization, [lead]));
  }
  if (email !== undefined || (read !== undefined && !lacksCountryCode(typed, read))) {
    const identity = read === undefined ? `email ${email}` : `phone ${read}`;
    throw new CommandError(`Organization ${organization.id} has no lead with the ${identity}.`);
  }
  const isInName = partFinder(foldAccents(name ?? ''));
  const digits = digitsOf(typed);
  const found = await search(context, options, (lead) =>
    name === undefined
      ? lead.fields.phone.includes(digits)
      : isInName(foldAccents(lead.fields.name)),
  );
  const what = name === undefined ? 'phone' : 'name';
  const none = `has no lead whose ${what} contains ${JSON.stringify(name ?? typed)}`;
  printLeads(context, organization, found, none);
}

/** `Müller` as `muller`, `Weiß` as `weiss`. Other scripts keep their marks, which are letters there. */
export const foldAccents = (text: string): string =>
  foldText(text.normalize('NFD').replace(/[\u0300-\u036f]/g, ''));

/** What distinguishes a lead from others, and the ID that the other commands need. */
const summaryOf = (lead: Lead) => ({
  leadId: lead.id,
  name: valueOf(lead.fields, 'name'),
  phone: lead.fields.phone,
  email: lead.fields.email ?? null,
  archived: lead.archivedAt !== undefined,
  createdAt: lead.createdAt,
  updatedAt: lead.updatedAt,
});

/** Leads as a table for people, with the names of their stages and owners. */
const formatLeads = (organization: Organization, leads: readonly Lead[], none = ''): string =>
  formatTable(
    leads.map((lead) => {
      const { name, phone, email, stage, owner } = presentLead(organization, lead);
      return {
        LEAD: String(lead.id),
        NAME: name,
        PHONE: phone,
        EMAIL: email ?? '',
        STAGE: stage?.name ?? String(lead.stageId),
        OWNER: owner?.name ?? '',
        CREATED: dateOf(lead.createdAt),
        STATE: lead.archivedAt === undefined ? 'live' : 'archived',
      };
    }),
    none,
  );

/** @param ifNone the end of the sentence for an empty list */
function printLeads(
  context: CommandContext,
  organization: Organization,
  { leads, more }: FoundLeads,
  ifNone: string,
): void {
  context.print(
    { items: leads.map(summaryOf), more },
    formatLeads(organization, leads, `Organization ${organization.id} ${ifNone}.`),
    more ? ['', 'There are more leads: use a higher --limit.'] : [],
  );
}
