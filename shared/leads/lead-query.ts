import { ApiError } from '../contract/errors.ts';
import { limits } from '../contract/limits.ts';
import type { LeadListQuery } from '../contract/types.ts';
import type { Organization } from '../organization/organization.ts';
import { type LeadFilter, readFilters } from './filters.ts';
import { type Lead, presentLead } from './lead.ts';

/** The parameters of a list of leads, besides its field filters (contract, section 4.1). */
export type ListParameters = Omit<LeadListQuery, 'filter' | 'updated_since'> & {
  /** Epoch milliseconds. */
  readonly updated_since?: number | undefined;
};

/**
 * The query of one page of leads: which index lists it may read, and the rule that each lead must match. It counts the size of its page, so
 * each page needs a new query.
 */
export function leadQuery(
  organization: Organization,
  parameters: ListParameters,
  filter?: LeadFilter,
) {
  const isOfList = leadMatcher(parameters, filter);
  return {
    organizationId: organization.id,
    limit: parameters.limit ?? limits.pageSizeDefault,
    cursor: parameters.cursor,
    stageIds: stageIdsOf(organization, parameters),
    ownerId: parameters.owner_id,
    sourceId: parameters.source_id,
    updatedSince: parameters.updated_since,
    matches: (lead: Lead): boolean => lead.archivedAt === undefined && isOfList(lead),
    hasRoom: responseRoom(organization),
  };
}

/** The rule that a lead of a list must match, whether it is archived or not. */
export const leadMatcher =
  (
    { updated_since, stage_id, pipeline_id, source_id, owner_id }: ListParameters,
    filter: LeadFilter = () => true,
  ) =>
  (lead: Lead): boolean =>
    (updated_since === undefined || Date.parse(lead.updatedAt) >= updated_since) &&
    (stage_id === undefined || lead.stageId === stage_id) &&
    (pipeline_id === undefined || lead.pipelineId === pipeline_id) &&
    (source_id === undefined || lead.fields.source === source_id) &&
    (owner_id === undefined || lead.fields.assigned_to === owner_id) &&
    filter(lead.fields);

/** The stages whose index lists hold the leads. A pipeline's leads are in the lists of all its stages, inactive ones too. */
function stageIdsOf(
  organization: Organization,
  { stage_id, pipeline_id }: ListParameters,
): number[] | undefined {
  if (pipeline_id === undefined) return stage_id === undefined ? undefined : [stage_id];
  const ofPipeline = organization.stages.filter(({ pipelineId }) => pipelineId === pipeline_id);
  const ids = ofPipeline.map(({ id }) => id);
  return stage_id === undefined ? ids : ids.filter((id) => id === stage_id);
}

/**
 * Whether the response has room for one more lead. Counts bytes as Lambda does: its limit of 6 MB applies to JSON in which the body is a
 * string, so every quote in the body is escaped.
 */
function responseRoom(organization: Organization): (lead: Lead) => boolean {
  let bytesLeft: number = limits.responseMaxBytes;
  return (lead) => {
    bytesLeft -= Buffer.byteLength(JSON.stringify(JSON.stringify(presentLead(organization, lead))));
    return bytesLeft >= 0;
  };
}

/**
 * Reads field filters, all of which must be valid.
 * @throws ApiError INVALID_QUERY with the positions of the invalid filters
 */
export function requireFilters(organization: Organization, raw: readonly unknown[]): LeadFilter {
  const { filter, issues } = readFilters(organization, raw);
  if (issues.length === 0) return filter;
  const reported = issues.slice(0, limits.filtersMax + 1); // the first filter beyond the limit says that there are too many
  const sentences = reported.map(({ position, sentence }) => `filter[${position}] ${sentence}`);
  throw new ApiError(
    'INVALID_QUERY',
    { filters: issues.map(({ position }) => position), problems: sentences },
    sentences.slice(0, 3).join(' '),
  );
}
