import { isSame, type Plain } from '../../../support/reference/plain.ts';
import {
  capturedLead,
  filledLead,
  type ReferenceSettings,
  sourceShown,
  type Values,
} from '../../../support/reference/reference.ts';
import { type Commit, isAcknowledged, isCount, kindOf } from './effects.ts';
import { bodyOf, bySome, entryIssues, newLeadIssues, one } from './explanation.ts';
import type { History, ObservedRequest, Write } from './history.ts';
import { recordKeys } from './replays.ts';
import {
  emailKey,
  holdersDuring,
  identityKeys,
  leadKey,
  settingsDuring,
  stateBefore,
} from './states.ts';

/** What a capture did. */
export function explainCapture(
  history: History,
  request: ObservedRequest,
  effect: Commit,
): string[] {
  const { writes, order } = effect;
  const entry = one(writes, 'TIMELINE');
  const written = one(writes, 'LEADS');
  const leadId = Number(entry?.pk.split('#')[2]);
  const records = writes.filter((write) => kindOf(write) === 'IDEMPOTENCY');
  const issues: string[] = [];
  if (!isSame(records.map(({ pk }) => pk).sort(), recordKeys(request).sort()))
    issues.push('is not remembered under its keys');
  const isNew = written !== undefined && written.before === undefined;
  const before = isNew
    ? undefined
    : stateBefore(history, ...leadKey(request.organizationId, leadId), order);
  issues.push(
    ...entryIssues(request, entry?.after, isNew ? 'captured_new' : 'captured'),
    ...matchIssues(history, request, isNew ? undefined : leadId, before),
  );
  issues.push(...enquiryIssues(history, request, entry?.after, before));
  const { notes } = bodyOf(request);
  if ((entry?.after?.notes ?? undefined) !== (notes || undefined))
    issues.push('has other notes on the timeline than it sent');
  if (isNew) {
    const lead = written.after as Plain;
    issues.push(
      ...bySome(history, request, (settings) =>
        newLeadIssues(request, settings, lead, capturedLead(settings, bodyOf(request))),
      ),
    );
  } else if (before)
    issues.push(
      ...bySome(history, request, (settings) =>
        fillingIssues(history, request, settings, { before, written, entry: entry?.after }),
      ),
    );
  else issues.push('was added to a lead that is not there');
  const result = {
    id: leadId,
    created: isNew,
    updated: written !== undefined && !isNew && !isCount(written),
    ...(before?.archivedAt !== undefined && { archived: true }),
  };
  if (isAcknowledged(request) && !isSame((request.answerBody as Values).lead, result))
    issues.push(
      `answered ${JSON.stringify(request.answerBody)} instead of ${JSON.stringify(result)}`,
    );
  if (records.some(({ after }) => !isSame(after?.result, result)))
    issues.push('is remembered with another result');
  return issues;
}

/** What the timeline says of an enquiry besides the lead: with which key and from which source it came, and that its lead is archived. */
function enquiryIssues(
  history: History,
  request: ObservedRequest,
  entry: Plain | undefined,
  before: Plain | undefined,
): string[] {
  const key = stateOfKey(history, request);
  const sources = settingsDuring(history, request).map((settings) =>
    sourceShown(settings, bodyOf(request).source),
  );
  return [
    ...(entry?.keyLabel === key?.label ? [] : [`is on the timeline under ${entry?.keyLabel}`]),
    ...(sources.some((shown) => isSame(shown, [entry?.source, entry?.submittedSource]))
      ? []
      : [`is on the timeline as of the source ${entry?.source}, sent ${entry?.submittedSource}`]),
    ...((entry?.archived === true) === (before?.archivedAt !== undefined)
      ? []
      : ['is on the timeline as of a lead that is archived, or is not']),
  ];
}

const stateOfKey = (history: History, { organizationId, apiKey }: ObservedRequest) =>
  history.writesOf.get(`ORG#${organizationId} KEY#${apiKey.keyId}`)?.[0]?.after;

/** At some moment of the request its person was the lead's, by phone before email; undefined: nobody's. */
function matchIssues(
  history: History,
  request: ObservedRequest,
  leadId: number | undefined,
  lead: Plain | undefined,
): string[] {
  const keys = identityKeys(request.organizationId, bodyOf(request));
  const [byPhone = [], byEmail = [undefined]] = keys.map((pk) =>
    holdersDuring(history, request, pk),
  );
  if (leadId === undefined)
    return byPhone.includes(undefined) && byEmail.includes(undefined)
      ? []
      : ['made a second lead of a person'];
  const matches =
    byPhone.includes(leadId) || (byPhone.includes(undefined) && byEmail.includes(leadId));
  if (!matches) return [`went to lead ${leadId}, which never had its phone or email meanwhile`];
  const theirs = identityKeys(request.organizationId, (lead?.fields ?? {}) as Values);
  return theirs.some((pk) => keys.includes(pk))
    ? []
    : [`was written to lead ${leadId} when that had another phone and email`];
}

interface Filling {
  readonly before: Plain;
  readonly written: Write | undefined;
  readonly entry: Plain | undefined;
}

function fillingIssues(
  history: History,
  request: ObservedRequest,
  settings: ReferenceSettings,
  { before, written, entry }: Filling,
): string[] {
  const { email } = bodyOf(request);
  const leadId = Number(before.sk);
  const holders = email
    ? holdersDuring(history, request, emailKey(request.organizationId, String(email)))
    : [];
  let issues: string[] = [];
  for (const emailIsTaken of new Set(
    holders.length === 0
      ? [false]
      : holders.map((holder) => holder !== undefined && holder !== leadId),
  )) {
    const { fields, filled, kept } = filledLead(settings, bodyOf(request), before, emailIsTaken);
    const after = written?.after ?? before;
    issues = [];
    if (!isSame(after.fields, fields))
      issues.push(
        `filled a lead to ${JSON.stringify(after.fields)} instead of ${JSON.stringify(fields)}`,
      );
    if (
      after.stageId !== before.stageId ||
      after.pipelineId !== before.pipelineId ||
      after.archivedAt !== before.archivedAt
    ) {
      issues.push('moved a lead that it matched');
    }
    const listed = byField(entry?.kept as typeof kept | undefined);
    if (!isSame(entry?.filled, filled) || !isSame(listed, byField(kept))) {
      issues.push(
        `lists ${JSON.stringify([entry?.filled, listed])} instead of ${JSON.stringify([filled, kept])}`,
      );
    }
    if (issues.length === 0) return [];
  }
  return issues;
}

const byField = (kept: readonly { readonly field: string }[] = []) =>
  [...kept].sort((one, other) => (one.field < other.field ? -1 : 1));
