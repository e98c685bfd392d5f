import { holds } from '../../../support/reference/filters.ts';
import { isSame, type Plain } from '../../../support/reference/plain.ts';
import {
  presented,
  type ReferenceSettings,
  type Values,
} from '../../../support/reference/reference.ts';
import { nameOf } from './effects.ts';
import type { History, ObservedRequest } from './history.ts';
import { filtersKnown, filtersOf } from './refusals.ts';
import { endOf, leadIdsOf, leadKey, leadStates, settingsDuring, statesBetween } from './states.ts';

/**
 * Reads are of a state that held between question and answer: one that began after a write was acknowledged shows it. For ten seconds,
 * lists by a late index may lack leads that were created or moved. Whatever they show is correct even then.
 */
export function checkReads(history: History): string[] {
  return history.requests.flatMap((request) => {
    if (request.answer?.status !== 200) return [];
    const issues = issuesByEndpoint[request.what]?.(history, request) ?? [];
    return issues.map((issue) => `${nameOf(request)} ${issue}.`);
  });
}

type IssuesOf = (history: History, request: ObservedRequest) => string[];

const issuesByEndpoint: Readonly<Partial<Record<string, IssuesOf>>> = {
  'get-lead': (history, request) => {
    const { lead } = request.answerBody as { lead: Plain };
    if (lead.id !== request.request.leadId) return [`shows lead ${lead.id}`];
    return shownIssues(history, request, lead);
  },
  'list-leads': listIssues,
  'list-lead-fields': referenceIssues(({ fields }) =>
    fields
      .filter(({ active }) => active)
      .map((field) => {
        const { active: _, options, ...others } = field;
        const live = options.filter(({ retired }) => !retired);
        return { ...others, options: live.map(({ value, label }) => ({ value, label })) };
      }),
  ),
  'list-lead-stages': referenceIssues(({ pipelines }) =>
    pipelines.flatMap(({ id, stages }) =>
      stages
        .filter(({ active }) => active)
        .map(({ active: _, ...stage }) => ({ ...stage, pipelineId: id })),
    ),
  ),
  'list-pipelines': referenceIssues(({ pipelines }) =>
    pipelines.map(({ id, name, order, isDefault }) => ({ id, name, order, isDefault })),
  ),
  'list-lead-sources': referenceIssues(({ sources }) => namedRefs(sources)),
  'list-users': referenceIssues(({ users }) => namedRefs(users)),
};

const namedRefs = (items: ReferenceSettings['users']) =>
  items
    .filter(({ active }) => active)
    .map(({ id, name }) => ({ id, name }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

function referenceIssues(itemsOf: (settings: ReferenceSettings) => unknown): IssuesOf {
  return (history, request) => {
    const { items } = request.answerBody as { items: unknown };
    return settingsDuring(history, request).some((settings) => isSame(items, itemsOf(settings)))
      ? []
      : [`shows ${JSON.stringify(items)}`];
  };
}

/** @param may whether a lead in this state may be shown, under these settings */
export function shownIssues(
  history: History,
  request: ObservedRequest,
  lead: Plain,
  may: (state: Plain, settings: ReferenceSettings) => boolean = ({ archivedAt }) =>
    archivedAt === undefined,
): string[] {
  const settings = settingsDuring(history, request);
  const states = leadStates(history, request, Number(lead.id));
  const isRight = states.some(
    (state) =>
      state && settings.some((one) => may(state, one) && isSame(presented(one, state), lead)),
  );
  return isRight
    ? []
    : [`shows ${JSON.stringify(lead)}, while the lead is ${JSON.stringify(states)}`];
}

const indexed = ['stage_id', 'pipeline_id', 'source_id', 'owner_id', 'updated_since'];
/** How long an index may not show what was written. */
const indexLagMs = 10_000;

function listIssues(history: History, request: ObservedRequest): string[] {
  const { items, nextCursor } = request.answerBody as {
    items: readonly Plain[];
    nextCursor: number | null;
  };
  const query = request.request.query ?? {};
  const { limit = 25, cursor = Number.POSITIVE_INFINITY } = query as {
    limit?: number;
    cursor?: number;
  };
  const ids = items.map(({ id }) => id as number);
  const issues: string[] = [];
  if (items.length > limit) issues.push(`shows ${items.length} leads`);
  if (ids.some((id, at) => id >= (at === 0 ? cursor : (ids[at - 1] ?? 0))))
    issues.push(`shows leads out of order: ${ids.join(', ')} after ${cursor}`);
  if (nextCursor !== null && (nextCursor >= cursor || ids.some((id) => id < nextCursor)))
    issues.push(`goes on after ${nextCursor}`);
  for (const lead of items) {
    issues.push(...shownIssues(history, request, lead));
    if (!matches(query, lead)) issues.push(`shows lead ${lead.id}, which the query does not match`);
  }
  if (!filtersKnown(history, request).includes(true))
    issues.push('answered a filter of a field that is not active');
  const lacking = requiredOf(history, request).filter(
    (id) => id < cursor && id >= (nextCursor ?? 0) && !ids.includes(id),
  );
  if (lacking.length > 0)
    issues.push(`lacks leads ${lacking.join(', ')} of query ${JSON.stringify(query)}`);
  return issues;
}

/** Leads that the query matched all the while, and that stayed for long enough where an index has them. */
function requiredOf(history: History, request: ObservedRequest): number[] {
  const query = request.request.query ?? {};
  const isIndexed = indexed.some((name) => query[name] !== undefined);
  const settings = settingsDuring(history, request);
  return leadIdsOf(history, request.organizationId).filter((id) => {
    if (isIndexed && !isShown(history, request, id)) return false;
    const states = leadStates(history, request, id);
    return states.every(
      (state) =>
        state &&
        state.archivedAt === undefined &&
        settings.every((one) => matches(query, presented(one, state))),
    );
  });
}

/**
 * Whether the indexes have a lead in a single place while a list is read: its indexed values have not changed for as long as indexes may
 * lag.
 */
function isShown(history: History, request: ObservedRequest, leadId: number): boolean {
  const key = leadKey(request.organizationId, leadId);
  const from = request.startedAt - (history.isIndexLate ? indexLagMs : 0);
  const states = statesBetween(history, ...key, from, endOf(request));
  if (request.request.query?.updated_since !== undefined) return states.length === 1;
  const entries = states.map((state) => state && [state.stageKey, state.ownerKey, state.sourceKey]);
  return entries.every((entry) => entry && isSame(entry, entries[0]));
}

/** What the query's parameters mean, for a lead as it is shown. */
function matches(query: Values, lead: Plain): boolean {
  const { updated_since, stage_id, pipeline_id, source_id, owner_id } = query;
  return (
    (updated_since === undefined ||
      Date.parse(String(lead.updatedAt)) >= Date.parse(String(updated_since))) &&
    (stage_id === undefined || lead.stageId === stage_id) &&
    (pipeline_id === undefined || lead.pipelineId === pipeline_id) &&
    (source_id === undefined || lead.sourceId === source_id) &&
    (owner_id === undefined || lead.assignedTo === owner_id) &&
    filtersOf(query).every((one) => holds(one, lead))
  );
}
