import * as v from 'valibot';
import { queryDateTime, queryFilters, queryInteger } from '../shared/input/query.ts';
import { object } from '../shared/input/schemas.ts';
import { readFilters } from '../shared/leads/filters.ts';
import { presentLead } from '../shared/leads/lead.ts';
import { leadQuery, requireFilters } from '../shared/leads/lead-query.ts';
import { limits } from '../shared/limits.ts';
import { endpoint } from '../shared/middleware/endpoint.ts';
import { listLeads } from '../shared/store/listing/lead-lists.ts';

const id = v.optional(queryInteger(1, limits.idMax));

export const query = object({
  limit: v.optional(queryInteger(1, limits.pageSizeMax)),
  cursor: id,
  updated_since: v.optional(queryDateTime),
  stage_id: id,
  pipeline_id: id,
  source_id: id,
  owner_id: id,
  filter: v.optional(queryFilters),
});

/** GET /api/v1/leads (contract, section 4.1; design, section 5). */
export const handler = endpoint('list-leads', {
  input: { query },
  // The page is prefetched with the cached settings. It is used only if admission reports the same settings version.
  prefetch: async ({ table, cachedOrganization, input: { query } }) => {
    if (!cachedOrganization) return undefined;
    const { filter, issues } = readFilters(cachedOrganization, query.filter ?? []);
    if (issues.length > 0) return undefined; // the newest settings may know the field
    const page = await listLeads(table, leadQuery(cachedOrganization, query, filter));
    return { settingsVersion: cachedOrganization.version, page };
  },
  respond: async ({ table, organization, input: { query }, prefetched }) => {
    const readPage = () =>
      listLeads(
        table,
        leadQuery(organization, query, requireFilters(organization, query.filter ?? [])),
      );
    const isCurrent = prefetched?.settingsVersion === organization.version;
    const { leads, nextCursor } = isCurrent ? prefetched.page : await readPage();
    return {
      status: 200,
      body: { items: leads.map((lead) => presentLead(organization, lead)), nextCursor },
    };
  },
});
