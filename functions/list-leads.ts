import * as v from 'valibot';
import { parseDateTime } from '../shared/date-time.ts';
import { ApiError } from '../shared/errors.ts';
import { type LeadFilter, readFilters } from '../shared/leads/filters.ts';
import { type Lead, ownerIdOf, presentLead, sourceIdOf } from '../shared/leads/lead.ts';
import { limits } from '../shared/limits.ts';
import { endpoint } from '../shared/middleware/endpoint.ts';
import { object } from '../shared/middleware/schemas.ts';
import type { Organization } from '../shared/organization/organization.ts';
import { type LeadQuery, listLeads } from '../shared/store/listing/lead-lists.ts';

/** An integer within bounds, as a query parameter writes it. */
const integer = (min: number, max: number) => {
  const message = `takes an integer from ${min} to ${max}.`;
  const digits = v.regex(/^(0|[1-9]\d{0,9})$/, message);
  return v.pipe(
    v.string('is given more than once.'),
    digits,
    v.transform(Number),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
};
const id = v.optional(integer(1, limits.idMax));

const dateTime = v.pipe(
  v.string('is given more than once.'),
  v.transform(parseDateTime),
  v.number('takes a date-time that exists, with an offset or Z, such as 2026-01-31T09:30:00Z (write + as %2B).'),
);

const filters = v.pipe(
  v.string('is given more than once.'),
  v.check((text) => [...text].length <= limits.filterMaxChars, `takes at most ${limits.filterMaxChars} characters.`),
  v.transform(parsedJson),
  v.array(v.unknown(), 'takes a JSON array of filters, such as [{"field":"name","operator":"contains","value":"Rao"}].'),
);

export const query = object({
  limit: v.optional(integer(1, limits.pageSizeMax)),
  cursor: id,
  updated_since: v.optional(dateTime),
  stage_id: id,
  pipeline_id: id,
  source_id: id,
  owner_id: id,
  filter: v.optional(filters),
});
type Query = v.InferOutput<typeof query>;

/** GET /api/v1/leads (contract, section 4.1; design, section 5). */
export const handler = endpoint(
  'list-leads',
  { query },
  // The whole page is read beside admission, by the settings this function saw last; it counts if those are still the newest.
  async ({ table, cachedOrganization, input }) => {
    if (!cachedOrganization) return undefined;
    const { filter, issues } = readFilters(cachedOrganization, input.query.filter ?? []);
    if (issues.length > 0) return undefined; // the newest settings may know the field
    return {
      settingsVersion: cachedOrganization.version,
      page: await listLeads(table, queryOf(cachedOrganization, input.query, filter)),
    };
  },
  async ({ query, organization, table, prefetched: read }) => {
    const isCurrent = read?.settingsVersion === organization.version;
    const leadQuery = (): LeadQuery => queryOf(organization, query, fieldFilter(organization, query.filter ?? []));
    const { leads, nextCursor } = isCurrent ? read.page : await listLeads(table, leadQuery());
    return { status: 200, body: { items: leads.map((lead) => presentLead(organization, lead)), nextCursor } };
  },
);

/** @throws ApiError INVALID_QUERY with the positions of filters that cannot apply. */
function fieldFilter(organization: Organization, raw: readonly unknown[]): LeadFilter {
  const { filter, issues } = readFilters(organization, raw);
  if (issues.length === 0) return filter;
  const named = issues.slice(0, limits.filtersMax + 1); // of thousands beyond the limit, the first says it
  const sentences = named.map(({ position, sentence }) => `filter[${position}] ${sentence}`);
  throw new ApiError(
    'INVALID_QUERY',
    { filters: issues.map(({ position }) => position), problems: sentences },
    sentences.slice(0, 3).join(' '),
  );
}

function queryOf(organization: Organization, query: Query, filter: LeadFilter): LeadQuery {
  const { limit = limits.pageSizeDefault, cursor, updated_since, stage_id, pipeline_id, source_id, owner_id } = query;
  const matches = (lead: Lead): boolean =>
    lead.archivedAt === undefined &&
    (updated_since === undefined || Date.parse(lead.updatedAt) >= updated_since) &&
    (stage_id === undefined || lead.stageId === stage_id) &&
    (pipeline_id === undefined || lead.pipelineId === pipeline_id) &&
    (source_id === undefined || sourceIdOf(lead) === source_id) &&
    (owner_id === undefined || ownerIdOf(lead) === owner_id) &&
    filter(lead.fields);
  return {
    organizationId: organization.id,
    limit,
    cursor,
    stageIds: stageIdsOf(organization, stage_id, pipeline_id),
    ownerId: owner_id,
    sourceId: source_id,
    updatedSince: updated_since,
    matches,
    hasRoom: roomFor(organization),
  };
}

/** The stages whose lists are read: a pipeline's leads are its stages' lists merged, inactive stages too. */
function stageIdsOf(
  organization: Organization,
  stageId: number | undefined,
  pipelineId: number | undefined,
): number[] | undefined {
  if (pipelineId === undefined) return stageId === undefined ? undefined : [stageId];
  const ofPipeline = organization.stages.filter((stage) => stage.pipelineId === pipelineId).map(({ id }) => id);
  return stageId === undefined ? ofPipeline : ofPipeline.filter((one) => one === stageId);
}

/** Counts a page's leads as the answer carries them: the body travels escaped inside JSON, and a Lambda gives at most 6 MB. */
function roomFor(organization: Organization): (lead: Lead) => boolean {
  let bytesLeft: number = limits.responseMaxBytes;
  return (lead) => {
    bytesLeft -= Buffer.byteLength(JSON.stringify(JSON.stringify(presentLead(organization, lead))));
    return bytesLeft >= 0;
  };
}

/** Undefined for what is no JSON: no JSON text reads so. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
