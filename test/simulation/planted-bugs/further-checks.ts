import { effectsOf, isAcknowledged, kindOf, nameOf } from '../checker/effects.ts';
import type { History, ObservedRequest } from '../checker/history.ts';
import type { Plain } from '../checker/plain.ts';
import { comparableEmail, comparablePhone, type Values } from '../checker/reference.ts';
import { leadKey, stateBefore } from '../checker/states.ts';

/** What holds of short histories, where so much is known of each request that more can be said than of any history. */
export function furtherViolations(history: History): string[] {
  return history.requests.flatMap((request) => {
    const issues = [
      ...matchIssues(history, request),
      ...turnIssues(request),
      ...recordIssues(request),
    ];
    return issues.map((issue) => `${nameOf(request)} ${issue}.`);
  });
}

/** When an enquiry is added to a lead, the lead has its phone or its email. */
function matchIssues(history: History, request: ObservedRequest): string[] {
  if (request.what !== 'capture-lead') return [];
  const { phone, email } = request.request.body as Values;
  return effectsOf(request).flatMap(({ writes, order }) => {
    const entry = writes.find((write) => kindOf(write) === 'TIMELINE');
    const leadId = Number(entry?.pk.split('#')[2]);
    if (entry?.after?.type !== 'captured') return [];
    const lead = stateBefore(history, ...leadKey(request.organizationId, leadId), order);
    const fields = (lead?.fields ?? {}) as Values;
    const hasPhone = fields.phone === comparablePhone(String(phone));
    const hasEmail =
      email !== undefined &&
      comparableEmail(String(fields.email)) === comparableEmail(String(email));
    return hasPhone || hasEmail
      ? []
      : [`went to lead ${leadId}, which had neither its phone nor its email then`];
  });
}

/** A request whose calls were all answered moves the rotation by one at most. */
function turnIssues(request: ObservedRequest): string[] {
  const turns = request.writes.filter((write) => kindOf(write) === 'TURN').length;
  return turns > 1 && request.faults.length === 0 ? [`took ${turns} turns`] : [];
}

const dayMs = 24 * 3_600_000;

/** A capture is remembered for no less than 24 hours from when it was asked for. */
function recordIssues(request: ObservedRequest): string[] {
  if (!isAcknowledged(request) || request.answer?.headers['idempotent-replayed'] === 'true')
    return [];
  const records = request.writes.filter((write) => kindOf(write) === 'IDEMPOTENCY');
  const isShort = records.some(
    ({ after }) => ((after as Plain).expiresAt as number) < request.startedAt + dayMs - slowClockMs,
  );
  return isShort ? ['is remembered for less than 24 hours'] : [];
}
const slowClockMs = 500;
