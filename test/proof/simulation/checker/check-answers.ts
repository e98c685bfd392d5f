import { isSame, type Plain } from '../../../support/reference/plain.ts';
import {
  accepted,
  type ReferenceSettings,
  updatedLead,
  type Values,
} from '../../../support/reference/reference.ts';
import { shownIssues } from './check-reads.ts';
import { kindOf, nameOf } from './effects.ts';
import type { History, ObservedAction, ObservedRequest } from './history.ts';
import { conflictIssues, errorOf, failureIssues, invalidIssues, queryIssues } from './refusals.ts';
import { replayIssues } from './replays.ts';
import { endOf, leadStates, type State, statesBetween } from './states.ts';

/** Every answer by itself: what the contract lets a service say to this request, in the state in which it was meanwhile. */
export function checkAnswers(history: History): string[] {
  return [
    ...history.actions.flatMap(defectIssues),
    ...history.requests.flatMap((request) => answerIssues(history, request)),
  ];
}

/** A command may be refused, or fail as DynamoDB does; it never ends in a defect of its own. */
export const defectIssues = (action: ObservedAction): string[] =>
  action.outcome === 'failed' && /^(Type|Reference|Syntax)Error/.test(String(action.result))
    ? [`${nameOf(action)} ended in ${String(action.result)}.`]
    : [];

function answerIssues(history: History, request: ObservedRequest): string[] {
  if (request.result?.outcome === 'threw')
    return [`${nameOf(request)} threw ${String(request.result.error)}.`];
  const { answer } = request;
  if (request.result?.outcome === 'timed out')
    return [`${nameOf(request)} was not answered before its function was ended.`];
  if (!answer) return [];
  const issues = [
    ...formIssues(request),
    ...foreignIssues(history, request),
    ...keyIssues(history, request),
  ];
  if (request.result?.outcome === 'answered')
    issues.push(
      ...(statusIssues[answer.status]?.(history, request) ?? [
        `was answered with ${answer.status}`,
      ]),
    );
  return issues.map((issue) => `${nameOf(request)} ${issue}.`);
}

const deadlineMs = 10_000;
const codes: Readonly<Record<number, readonly string[]>> = {
  400: ['INVALID_QUERY'],
  401: ['UNAUTHORIZED'],
  403: ['FORBIDDEN'],
  404: ['NOT_FOUND'],
  409: ['DUPLICATE_LEAD', 'IDEMPOTENCY_IN_PROGRESS'],
  422: ['VALIDATION_FAILED'],
  429: ['RATE_LIMITED'],
  500: ['INTERNAL'],
  503: ['NOT_READY'],
};

export function formIssues(request: ObservedRequest): string[] {
  const { answer, id, startedAt, handledUntil } = request;
  if (!answer) return [];
  const issues: string[] = [];
  if (answer.headers['x-request-id'] !== id) issues.push('has no request id');
  if (answer.status >= 400 && !codes[answer.status]?.includes(errorOf(request)?.code ?? ''))
    issues.push(`was answered ${answer.status} with ${answer.body}`);
  if (Number.isFinite(handledUntil) && handledUntil - startedAt > deadlineMs)
    issues.push(`took ${Math.round(handledUntil - startedAt)} ms`);
  const isAdmitted = ![400, 401, 500, 504].includes(answer.status);
  if (isAdmitted && !/^\d+$/.test(answer.headers['ratelimit-remaining'] ?? ''))
    issues.push('was not told its limits');
  if ((answer.status === 429) !== (answer.headers['retry-after'] !== undefined))
    issues.push('was told wrongly when to ask again');
  const isCaptured = request.what === 'capture-lead' && answer.status < 300;
  const captured = (request.answerBody as { lead?: Values } | undefined)?.lead;
  const location = isCaptured && !captured?.archived ? `../leads/${captured?.id}` : undefined;
  if (answer.headers.location !== location)
    issues.push(`was pointed at ${answer.headers.location}`);
  if (isCaptured && (answer.status === 201) !== captured?.created)
    issues.push(`was answered ${answer.status} for ${answer.body}`);
  return issues;
}

/** Nothing of another organization: the settings and the people of each carry its own mark. */
export function foreignIssues(
  { organizationIds }: History,
  { answer, organizationId }: ObservedRequest,
): string[] {
  return organizationIds
    .filter((id) => id !== organizationId && answer?.body.includes(markOf(id)))
    .map((id) => `shows what is organization ${id}'s`);
}
/** Stands in all that a client of the organization writes. */
export const markOf = (organizationId: number): string => `[org ${organizationId}]`;

/** How long after its revocation a key may still be refused for its limit. */
const exhaustedMs = 10_500;

/** A key that was revoked or had expired before is refused; one that is good is not. */
function keyIssues(history: History, request: ObservedRequest): string[] {
  const { apiKey, startedAt, organizationId, answer } = request;
  const status = answer?.status ?? 0;
  const statesFrom = (at: number) =>
    statesBetween(history, `ORG#${organizationId}`, `KEY#${apiKey.keyId}`, at, endOf(request));
  const isRevoked = (of: readonly State[]) =>
    of.every((state) => !state || state.revokedAt !== undefined);
  const states = statesFrom(startedAt);
  const { clockSkewMs } = history;
  const isDead = isRevoked(states) || apiKey.expiresAt <= startedAt - clockSkewMs;
  const isLive =
    states.every((state) => state && state.revokedAt === undefined) &&
    apiKey.expiresAt > endOf(request) + clockSkewMs;
  if (status === 429 && isRevoked(statesFrom(startedAt - exhaustedMs)))
    return ['was refused for a limit although its key was revoked'];
  if (isDead && ![401, 429, 500, 504].includes(status))
    return [`was answered ${status} although its key was revoked or had expired`];
  return isLive && status === 401 ? ['was refused its key, which is good'] : [];
}

type IssuesOf = (history: History, request: ObservedRequest) => string[];
const nothing: IssuesOf = () => [];

const needs: Readonly<Record<string, readonly string[]>> = {
  'capture-lead': ['leads.capture', 'leads.write'],
  'create-lead': ['leads.write'],
  'update-lead': ['leads.write'],
  'add-note': ['leads.write'],
  'list-lead-fields': ['leads.read', 'leads.capture'],
};
const mayAsk = ({ what, apiKey }: ObservedRequest): boolean =>
  (needs[what] ?? ['leads.read']).some((scope) => apiKey.scopes.includes(scope as never));

const statusIssues: Readonly<Record<number, IssuesOf>> = {
  200: doneIssues,
  201: doneIssues,
  400: queryIssues,
  401: nothing, // keyIssues
  403: (_history, request) =>
    mayAsk(request) ? ['was refused although its key has the scope'] : [],
  404: (history, request) => {
    const { leadId } = request.request;
    if (leadId === undefined) return ['was not found'];
    const isHidden = (state: Plain | undefined) =>
      state === undefined || (request.what === 'get-lead' && state.archivedAt !== undefined);
    return leadStates(history, request, leadId).some(isHidden)
      ? []
      : [`does not find lead ${leadId}, which is there`];
  },
  409: conflictIssues,
  422: invalidIssues,
  429: nothing, // check-limits.ts
  500: failureIssues,
  503: () => ['found the organization not ready'],
};

function doneIssues(history: History, request: ObservedRequest): string[] {
  if (!mayAsk(request)) return ['was answered although its key lacks the scope'];
  if (request.what === 'capture-lead') return replayIssues(history, request);
  if (request.what !== 'create-lead' && request.what !== 'update-lead') return [];
  const { lead } = request.answerBody as { lead: Plain };
  const written = request.writes.filter((write) => kindOf(write) === 'LEADS');
  return shownIssues(history, request, lead, (state, settings) =>
    written.length > 0
      ? written.some(({ after }) => after === state)
      : changesNothing(settings, request, state),
  );
}

/** An update that wrote nothing must have had nothing to change. */
function changesNothing(
  settings: ReferenceSettings,
  { request }: ObservedRequest,
  item: Plain,
): boolean {
  const { fields, stageId, pipelineId } = item;
  return accepted(() =>
    isSame(updatedLead(settings, request.body as Values, item), { fields, stageId, pipelineId }),
  );
}
