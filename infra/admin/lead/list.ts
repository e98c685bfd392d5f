import type { Lead } from '../../../shared/leads/lead.ts';
import { leadMatcher, leadQuery } from '../../../shared/leads/lead-query.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { listLeads } from '../../../shared/store/listing/lead-lists.ts';
import { type FoundLeads, newestLeads } from '../../../shared/store/maintenance/read-leads.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import type { CliCommand } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import { type CommandContext, existingOrganization } from '../context.ts';
import { namedId } from '../named-id.ts';
import { leadLimitOption, organizationCommand, parseTime, readRateOption } from '../options.ts';
import { printLeads } from './summary.ts';

interface ListOptions {
  organization: number;
  archived?: boolean;
  stage?: string;
  owner?: string;
  source?: string;
  /** Epoch milliseconds. */
  updatedSince?: number;
  limit: number;
  rate?: number;
}

export function leadListCommand(lead: CliCommand, context: CommandContext): void {
  organizationCommand(
    lead,
    'list',
    'list the newest leads, or those of a stage, an owner or a source',
  )
    .option('--archived', 'list archived leads instead of live ones')
    .option('--stage <STAGE>', 'only leads in this stage, named by ID or name')
    .option('--owner <USER>', 'only leads of this user, named by ID or name')
    .option('--source <SOURCE>', 'only leads from this source, named by ID or name')
    .option(
      '--updated-since <TIME>',
      'only leads that changed then or later; a date (UTC) or a date-time with an offset',
      parseTime,
    )
    .addOption(leadLimitOption())
    .addOption(readRateOption())
    .notes(`
Examples:
  npm run admin -- lead list --organization 1 --archived --limit 100
  npm run admin -- lead list --organization 1 --stage New --owner 'Asha Rao'
  npm run admin -- lead list --organization 1 --updated-since 2026-11-01`)
    .action((options: ListOptions) => list(context, options));
}

async function list(context: CommandContext, options: ListOptions): Promise<void> {
  const table = context.pacedTable(options.rate);
  const organization = await existingOrganization(context.table(), options.organization);
  const { archived = false } = options;
  const filters = {
    stage_id: namedId(organization, 'stage', options.stage),
    owner_id: namedId(organization, 'user', options.owner),
    source_id: namedId(organization, 'source', options.source),
    updated_since: options.updatedSince,
  };
  const isOfList = leadMatcher(filters, () => true);
  const found = archived
    ? await newestLeads(table, organization.id, {
        limit: options.limit,
        matches: (lead) => lead.archivedAt !== undefined && isOfList(lead),
        onProgress: (leads) => context.progress(`Searching: ${countOf(leads, 'lead')} read`),
      })
    : await liveLeads(table, organization, filters, options.limit);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const what = `${archived ? 'archived ' : ''}leads${isFiltered ? ' with these properties' : ''}`;
  printLeads(context, organization, found, `Organization ${organization.id} has no ${what}.`);
}

/** The newest live leads that match, page by page as the API lists them: an index finds them, however rare they are. */
async function liveLeads(
  table: Table,
  organization: Organization,
  filters: Parameters<typeof leadQuery>[1],
  limit: number,
): Promise<FoundLeads> {
  const leads: Lead[] = [];
  let cursor: number | null | undefined;
  while (cursor !== null && leads.length <= limit) {
    const page = { ...filters, limit: limit + 1 - leads.length, ...(cursor && { cursor }) };
    const read = await listLeads(
      table,
      leadQuery(organization, page, () => true),
    );
    leads.push(...read.leads);
    cursor = read.nextCursor;
  }
  return { leads: leads.slice(0, limit), more: leads.length > limit };
}
