import { type Lead, presentLead, valueOf } from '../../../shared/leads/lead.ts';
import { type ListParameters, leadMatcher, leadQuery } from '../../../shared/leads/lead-query.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { type FoundLeads, newestLeads } from '../../../shared/store/leads/read-leads.ts';
import { listLeads } from '../../../shared/store/listing/lead-lists.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { countOf, dateOf, formatTable } from '../../cli/format.ts';
import { integerOption } from '../../cli/options.ts';
import type { AdminCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { namedId } from '../named.ts';
import { parseTime } from '../options.ts';

const leadsMax = 10_000;
const leadsDefault = 25;

export interface SearchOptions {
  readonly limit: number;
}

export const withSearchOptions = (command: AdminCommand): AdminCommand =>
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

export function leadListCommand(lead: AdminCommand): void {
  const command = lead
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
  withSearchOptions(command);
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
export async function liveLeads(
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
export const search = (
  context: CommandContext,
  { limit }: SearchOptions,
  matches: (lead: Lead) => boolean | Promise<boolean>,
): Promise<FoundLeads> =>
  newestLeads(context.pacedTable(), context.organizationId, {
    limit,
    matches,
    onProgress: (leads) => context.progress(`Searching: ${countOf(leads, 'lead')} read`),
  });

/** The values that distinguish a lead from others, and the ID that other commands need. */
export const summaryOf = (lead: Lead) => ({
  leadId: lead.id,
  name: valueOf(lead.fields, 'name'),
  phone: lead.fields.phone,
  email: lead.fields.email ?? null,
  archived: lead.archivedAt !== undefined,
  createdAt: lead.createdAt,
  updatedAt: lead.updatedAt,
});

interface LeadTableOptions {
  readonly width: number | undefined;
  /** The text if there are no leads. */
  readonly none?: string;
}

/** Leads as a table for people, with the names of their stages and owners. */
export function formatLeads(
  organization: Organization,
  leads: readonly Lead[],
  options: LeadTableOptions,
): string {
  const isSomeArchived = leads.some(({ archivedAt }) => archivedAt !== undefined);
  const rows = leads.map((lead) => {
    const { name, phone, email, stage, owner } = presentLead(organization, lead);
    return {
      LEAD: String(lead.id),
      ...(isSomeArchived && { STATE: lead.archivedAt === undefined ? 'live' : 'archived' }),
      NAME: name,
      PHONE: phone,
      EMAIL: email ?? '',
      STAGE: stage?.name ?? String(lead.stageId),
      OWNER: owner?.name ?? '',
      CREATED: dateOf(lead.createdAt),
    };
  });
  return formatTable(rows, options);
}

/** @param ifNone the end of the sentence about an empty list */
export function printLeads(
  context: CommandContext,
  organization: Organization,
  { leads, more }: FoundLeads,
  ifNone: string,
): void {
  const none = `Organization ${organization.id} ${ifNone}.`;
  const count = leads.length === 0 ? [] : ['', `${countOf(leads.length, 'lead')}.`];
  context.print(
    { items: leads.map(summaryOf), more },
    formatLeads(organization, leads, { width: context.width, none }),
    more ? ['', 'There are more leads: use a higher --limit.'] : count,
  );
}
