import type { Filter } from '../../../support/reference/filters.ts';
import {
  accepted,
  capturedLead,
  createdLead,
  type ReferenceSettings,
  updatedLead,
  type Values,
} from '../../../support/reference/reference.ts';
import type { History, ObservedRequest } from './history.ts';
import { isSameEnquiry, liveRecords } from './replays.ts';
import { holdersDuring, identityKeys, leadStates, settingsDuring } from './states.ts';

export const errorOf = ({ answerBody }: ObservedRequest) =>
  (answerBody as { error?: { code?: string; message?: string; details?: Values } } | undefined)
    ?.error;

/** One fault is masked: a call is tried again. Requests that meet others come through too, unless a fault keeps them for long. */
export function failureIssues(
  { isSlow }: History,
  { faults, earlierFaults, conflicts, startedAt, handledUntil }: ObservedRequest,
): string[] {
  const isLate = conflicts > 0 && handledUntil - startedAt > conflictRetryMs;
  const isExcused =
    isSlow || faults.length > 1 || (faults.length === 1 && (earlierFaults > retryBudget || isLate));
  return isExcused ? [] : [`failed after ${faults[0] ?? 'nothing'} went wrong`];
}
/** For so long, at the least, a request that meets others is tried again: that is the other version's time. */
const conflictRetryMs = 1500;
/** So many faults leave the SDK repeats to make. */
const retryBudget = 20;

export function conflictIssues(history: History, request: ObservedRequest): string[] {
  const error = errorOf(request);
  if (error?.code === 'IDEMPOTENCY_IN_PROGRESS') {
    return hasMetAnother(history, request) ? [] : ['met another request where there was none'];
  }
  const fields = ((request.request.body as Values).fields ?? {}) as Values;
  const own = request.request.leadId;
  const holders = identityKeys(request.organizationId, fields)
    .flatMap((pk) => holdersDuring(history, request, pk))
    .filter((id) => id !== undefined && id !== own);
  if (holders.length === 0) return ['was refused as a duplicate of nobody'];
  const { leadId } = error?.details ?? {};
  return holders.includes(leadId as number) ? [] : [`was refused as a duplicate of lead ${leadId}`];
}

/** A capture that only reads meets a request that gives the person's phone or email to another lead, or takes it from one. */
function hasMetAnother(history: History, request: ObservedRequest): boolean {
  const hasMoved = (pk: string): boolean => new Set(holdersDuring(history, request, pk)).size > 1;
  return (
    request.conflicts > 0 ||
    request.faults.some((what) => /^conflict/.test(what)) ||
    identityKeys(request.organizationId, request.request.body as Values).some(hasMoved)
  );
}

export const filtersOf = ({ filter }: Values): readonly Filter[] =>
  JSON.parse(String(filter ?? '[]'));

/** Whether the fields of a query's filters are active, under each of the settings in force during the request. */
export const filtersKnown = (history: History, request: ObservedRequest): boolean[] =>
  settingsDuring(history, request).map(({ fields }) =>
    filtersOf(request.request.query ?? {}).every(({ field }) =>
      fields.some(({ key, active }) => key === field && active),
    ),
  );

export const queryIssues = (history: History, request: ObservedRequest): string[] =>
  filtersKnown(history, request).includes(false) ? [] : ['was refused as malformed'];

/** Refused by some settings that held meanwhile, or since its idempotency key is another body's. */
export function invalidIssues(history: History, request: ObservedRequest): string[] {
  const body = request.request.body as Values;
  const states =
    request.request.leadId === undefined
      ? []
      : leadStates(history, request, request.request.leadId);
  const rules: Readonly<Record<string, (settings: ReferenceSettings) => unknown>> = {
    'create-lead': (settings) => createdLead(settings, body),
    'capture-lead': (settings) => capturedLead(settings, body),
    'update-lead': (settings) => states.map((state) => state && updatedLead(settings, body, state)),
  };
  const rule = rules[request.what];
  if (
    rule &&
    settingsDuring(history, request).some(
      (settings) => !accepted(() => rule(settings) !== undefined),
    )
  )
    return [];
  if (
    request.what === 'capture-lead' &&
    liveRecords(history, request).some(({ first }) => !first || !isSameEnquiry(first, request))
  )
    return [];
  return [`was refused with ${JSON.stringify(errorOf(request))}`];
}
