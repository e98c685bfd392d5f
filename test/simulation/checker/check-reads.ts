import { nameOf } from './effects.ts';
import type { History, ObservedRequest } from './history.ts';
import { isSame, type Plain } from './plain.ts';
import { presented, type ReferenceSettings, type Values, valueIn } from './reference.ts';
import { endOf, lastWriteOf, leadIdsOf, leadKey, leadStates, settingsDuring } from './states.ts';

/**
 * Reads are of a state that held between question and answer: one that began after a write was acknowledged shows it. Lists by an index may
 * miss, for ten seconds, what was written; what they show is right even then.
 */
export function checkReads(history: History): string[] {
  return history.requests.flatMap((request) => {
    if (request.answer?.status !== 200) return [];
    const issues = judges[request.what]?.(history, request) ?? [];
    return issues.map((issue) => `${nameOf(request)} ${issue}.`);
  });
}

type Judge = (history: History, request: ObservedRequest) => string[];

const judges: Readonly<Partial<Record<string, Judge>>> = {
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
        return { ...others, options: options.map(({ value, label }) => ({ value, label })) };
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

function referenceIssues(itemsOf: (settings: ReferenceSettings) => unknown): Judge {
  return (history, request) => {
    const { items } = request.answerBody as { items: unknown };
    return settingsDuring(history, request).some((settings) => isSame(items, itemsOf(settings)))
      ? []
      : [`shows ${JSON.stringify(items)}`];
  };
}

function shownIssues(history: History, request: ObservedRequest, lead: Plain): string[] {
  const settings = settingsDuring(history, request);
  const states = leadStates(history, request, Number(lead.id)).filter(
    (state) => state && state.archivedAt === undefined,
  );
  const isRight = states.some((state) =>
    settings.some((one) => isSame(presented(one, state as Plain), lead)),
  );
  return isRight
    ? []
    : [`shows ${JSON.stringify(lead)}, while the lead is ${JSON.stringify(states)}`];
}

const indexed = ['stage_id', 'pipeline_id', 'source_id', 'owner_id', 'updated_since'];
/** For so long an index may not show what was written. */
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
  const filters = JSON.parse(String(query.filter ?? '[]')) as readonly Filter[];
  const isKnown = ({ fields }: ReferenceSettings) =>
    filters.every((one) => fields.some(({ key, active }) => active && key === one.field));
  if (!settingsDuring(history, request).some(isKnown))
    issues.push('answered a filter of a field that is not active');
  const lacking = requiredOf(history, request).filter(
    (id) => id < cursor && id >= (nextCursor ?? 0) && !ids.includes(id),
  );
  if (lacking.length > 0)
    issues.push(`lacks leads ${lacking.join(', ')} of query ${JSON.stringify(query)}`);
  return issues;
}

/** Leads that the query matched all the while, and for long enough that an index shows them. */
function requiredOf(history: History, request: ObservedRequest): number[] {
  const query = request.request.query ?? {};
  const isIndexed = indexed.some((name) => query[name] !== undefined);
  const settings = settingsDuring(history, request);
  return leadIdsOf(history, request.organizationId).filter((id) => {
    const lag = isIndexed ? indexLagMs : 0;
    const changedAt = lastWriteOf(history, ...leadKey(request.organizationId, id), endOf(request));
    if (lag > 0 && changedAt > request.startedAt - lag) return false;
    const states = leadStates(history, request, id);
    return states.every(
      (state) =>
        state &&
        state.archivedAt === undefined &&
        settings.every((one) => matches(query, presented(one, state))),
    );
  });
}

/** What the query's parameters mean, for a lead as it is shown. */
function matches(query: Values, lead: Plain): boolean {
  const { updated_since, stage_id, pipeline_id, source_id, owner_id, filter } = query;
  return (
    (updated_since === undefined ||
      Date.parse(String(lead.updatedAt)) >= Date.parse(String(updated_since))) &&
    (stage_id === undefined || lead.stageId === stage_id) &&
    (pipeline_id === undefined || lead.pipelineId === pipeline_id) &&
    (source_id === undefined || lead.sourceId === source_id) &&
    (owner_id === undefined || lead.assignedTo === owner_id) &&
    (filter === undefined ||
      (JSON.parse(String(filter)) as readonly Filter[]).every((one) => holds(one, lead)))
  );
}

interface Filter {
  readonly field: string;
  readonly operator: string;
  readonly value?: unknown;
  readonly values?: readonly unknown[];
}

const propertyOf: Readonly<Record<string, string>> = {
  source: 'sourceId',
  assigned_to: 'assignedTo',
  lead_type: 'leadType',
};

/** Of the operators, those that clients here use. */
function holds({ field, operator, value, values = [] }: Filter, lead: Plain): boolean {
  const name = propertyOf[field] ?? field;
  const found = name in lead ? lead[name] : valueIn(lead.fields as Values, field);
  const current = found === null ? undefined : found;
  const lower = (one: unknown): string => String(one).toLowerCase();
  const operators: Readonly<Record<string, () => boolean>> = {
    is_empty: () => current === undefined,
    is_not_empty: () => current !== undefined,
    contains: () => current !== undefined && lower(current).includes(lower(value)),
    equals: () => current !== undefined && lower(current) === lower(value),
    gt: () => current !== undefined && (current as number) > (value as number),
    lt: () => current !== undefined && (current as number) < (value as number),
    is_any_of: () => values.includes(current),
    is_true: () => current === true,
  };
  const judge = operators[operator];
  if (!judge) throw new Error(`The checker knows no operator ${operator}.`);
  return judge();
}
