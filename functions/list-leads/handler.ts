import * as v from 'valibot';
import { parseDateTime } from '../../shared/base/dates.ts';
import { parseJson } from '../../shared/base/json.ts';
import { listLeads as row } from '../../shared/contract/endpoints.ts';
import { limits } from '../../shared/contract/limits.ts';
import { refusalMessage } from '../../shared/contract/refusals.ts';
import { readFilters } from '../../shared/leads/filters.ts';
import { presentLead } from '../../shared/leads/lead.ts';
import { leadQuery, requireFilters } from '../../shared/leads/lead-query.ts';
import { endpoint } from '../../shared/middleware/endpoint.ts';
import { int32, integerText, object } from '../../shared/middleware/schemas.ts';
import { listLeads } from '../../shared/store/listing/lead-lists.ts';

// Query parameters arrive as text. Each message has a reason, and a sentence that follows the parameter's name.

const notOnce = refusalMessage('wrong_type', 'is given more than once.');
const once = v.string(notOnce);

const queryInteger = (min: number, max: number) => {
  const sentence = `must be an integer from ${min} to ${max}.`;
  return integerText(min, max, refusalMessage('invalid_number', sentence), notOnce);
};

/** A date-time with an offset, read as epoch milliseconds. */
const queryDateTime = v.pipe(
  once,
  v.transform(parseDateTime),
  v.number(
    refusalMessage(
      'invalid_date',
      'must be a date-time that exists, with an offset or Z, such as 2026-01-31T09:30:00Z (write + as %2B).',
    ),
  ),
  v.metadata({ type: 'string', format: 'date-time' }),
);

/** A JSON array of filters. `readFilters` checks them against the organization's fields. */
const queryFilters = v.pipe(
  once,
  v.check(
    (text) => [...text].length <= limits.filterMaxChars,
    refusalMessage('too_long', `must have at most ${limits.filterMaxChars} characters.`),
  ),
  v.transform(parseJson),
  v.array(
    v.unknown(),
    refusalMessage(
      'wrong_type',
      'must be a JSON array of filters, such as [{"field":"name","operator":"contains","value":"Rao"}].',
    ),
  ),
);

const id = v.optional(v.pipe(queryInteger(1, limits.idMax), v.metadata(int32)));

export const query = object(
  {
    limit: v.optional(queryInteger(1, limits.pageSizeMax)),
    cursor: id,
    updated_since: v.optional(queryDateTime),
    stage_id: id,
    pipeline_id: id,
    source_id: id,
    owner_id: id,
    filter: v.optional(queryFilters),
  },
  { one: 'parameter', many: 'parameters' },
);

/** GET /api/v1/leads (contract, section 4.1; design, section 5). */
export const handler = endpoint(row, {
  input: { query },
  // Prefetches the page with the cached settings. The page is used only if admission reports the same settings version.
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
