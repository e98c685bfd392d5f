import { createHash } from 'node:crypto';
import { type Commit, effectsOf, isAcknowledged, kindOf, nameOf } from './effects.ts';
import type { History, ObservedRequest, Write } from './history.ts';
import { isSame, type Plain } from './plain.ts';
import {
  capturedLead,
  comparableEmail,
  comparablePhone,
  createdLead,
  filledLead,
  type Place,
  type ReferenceSettings,
  Refusal,
  rotationOf,
  updatedLead,
  type Values,
} from './reference.ts';
import {
  emailKey,
  holdersDuring,
  leadKey,
  leadStates,
  phoneKey,
  settingsDuring,
  stateBefore,
} from './states.ts';

/**
 * What each request did to the table: exactly what it asked for, by the settings that held meanwhile, once where it was acknowledged, at most
 * once where nobody knows, never where it was refused.
 */
export function checkEffects(history: History): string[] {
  return history.requests.flatMap((request) => {
    const effects = effectsOf(request);
    const main = effects.filter(({ writes }) =>
      writes.some((write) => kindOf(write) === 'TIMELINE'),
    );
    const others = effects.filter((effect) => !main.includes(effect));
    const issues = [
      ...countIssues(request, main),
      ...others.flatMap((effect) => otherIssues(request, effect)),
    ];
    for (const effect of main)
      issues.push(...(explain[request.what]?.(history, request, effect) ?? ['wrote something']));
    return issues.map((issue) => `${nameOf(request)} ${issue}.`);
  });
}

function countIssues(request: ObservedRequest, main: readonly Commit[]): string[] {
  if (main.length > 1) return [`took effect ${main.length} times`];
  const { status } = request.answer ?? {};
  const isRefused =
    status !== undefined && status >= 400 && status < 500 && request.result?.outcome === 'answered';
  if (isRefused && main.length > 0)
    return [`was refused with ${status} and took effect all the same`];
  const isReplay = request.answer?.headers['idempotent-replayed'] === 'true';
  if (isReplay && main.length > 0) return ['was answered as a replay and took effect'];
  const mustAct =
    isAcknowledged(request) &&
    !isReplay &&
    ['create-lead', 'capture-lead', 'add-note'].includes(request.what);
  return mustAct && main.length === 0 ? [`was acknowledged with ${status} and took no effect`] : [];
}

/** Besides its effect a capture may remember a known result under a further key. */
function otherIssues(request: ObservedRequest, { writes }: Commit): string[] {
  const isRecord =
    request.what === 'capture-lead' && writes.every((write) => kindOf(write) === 'IDEMPOTENCY');
  return isRecord
    ? []
    : [
        `wrote ${writes.map(({ pk, sk }) => `${pk} ${sk}`).join(', ')} without an entry on a timeline`,
      ];
}

type Explain = (history: History, request: ObservedRequest, effect: Commit) => string[];

const explain: Readonly<Partial<Record<string, Explain>>> = {
  'create-lead': explainCreate,
  'capture-lead': explainCapture,
  'update-lead': explainUpdate,
  'add-note': explainNote,
};

const bodyOf = ({ request }: ObservedRequest): Values => request.body as Values;
const one = (writes: readonly Write[], kind: string): Write | undefined =>
  writes.find((write) => kindOf(write) === kind);

/** The first settings by which there is nothing to say; else what is wrong by the last. */
function bySome(
  history: History,
  request: ObservedRequest,
  judge: (settings: ReferenceSettings) => string[],
): string[] {
  let issues: string[] = ['has no settings'];
  for (const settings of settingsDuring(history, request)) {
    try {
      issues = judge(settings);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      issues = [`had to be refused: ${error.message}`];
    }
    if (issues.length === 0) return [];
  }
  return issues;
}

function explainCreate(history: History, request: ObservedRequest, { writes }: Commit): string[] {
  const lead = one(writes, 'LEADS')?.after;
  if (!lead || one(writes, 'LEADS')?.before) return ['created no lead'];
  const entry = one(writes, 'TIMELINE')?.after;
  return [
    ...entryIssues(request, entry, 'lead_created'),
    ...bySome(history, request, (settings) =>
      newLeadIssues(request, settings, lead, createdLead(settings, bodyOf(request))),
    ),
  ];
}

type Expected = { readonly fields: Values } & Place;

function newLeadIssues(
  request: ObservedRequest,
  settings: ReferenceSettings,
  lead: Plain,
  expected: Expected,
): string[] {
  const { assigned_to: owner, ...fields } = lead.fields as Values;
  const { assigned_to: asked, ...others } = expected.fields;
  const issues: string[] = [];
  if (!isSame(fields, others))
    issues.push(`made a lead of ${JSON.stringify(fields)} instead of ${JSON.stringify(others)}`);
  if (lead.stageId !== expected.stageId || lead.pipelineId !== expected.pipelineId)
    issues.push('put a lead into another stage');
  if (lead.version !== 1 || lead.createdAt !== lead.updatedAt || lead.archivedAt !== undefined)
    issues.push('made a lead that is not new');
  if (asked !== undefined)
    return owner === asked ? issues : [...issues, `gave the lead to ${owner} instead of ${asked}`];
  const { users, rule } = rotationOf(settings, expected.fields, expected.pipelineId);
  const isCountedTwice = request.faults.some((fault) => fault.includes('UpdateItem'));
  if (turnsOf(request).length > 1 && !isCountedTwice) issues.push('took more than one turn');
  const turns = turnsOf(request);
  const owners = users.length === 1 ? users : turns.map((turn) => users[(turn - 1) % users.length]);
  if (!owners.includes(owner as number))
    issues.push(
      `gave the lead to ${owner}, not to the next of rule ${rule} (${owners.join(', ')})`,
    );
  return issues;
}

const turnsOf = ({ writes }: ObservedRequest): number[] =>
  writes.filter((write) => kindOf(write) === 'TURN').map(({ after }) => after?.turns as number);

function entryIssues(request: ObservedRequest, entry: Plain | undefined, type: string): string[] {
  if (!entry) return ['left nothing on the timeline'];
  const { keyId } = request.apiKey;
  if (entry.type !== type) return [`left ${entry.type} on the timeline instead of ${type}`];
  return entry.keyId === keyId && typeof entry.actorId === 'number'
    ? []
    : [`is on the timeline as made with ${entry.keyId}`];
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Where the records of a capture's keys lie. */
export function recordKeys({ apiKey, request }: ObservedRequest): string[] {
  const given = [request.headers?.['Idempotency-Key'], (request.body as Values).externalId];
  const keys = new Set(given.filter((key): key is string => typeof key === 'string'));
  return [...keys].map((key) => `IDEMPOTENCY#${apiKey.keyId}#${sha256(key)}`);
}

function explainCapture(history: History, request: ObservedRequest, effect: Commit): string[] {
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
    updated: !isNew && written !== undefined,
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

/** At some moment of the request its person was the lead's, by phone before email; undefined: nobody's. */
function matchIssues(
  history: History,
  request: ObservedRequest,
  leadId: number | undefined,
  lead: Plain | undefined,
): string[] {
  const { phone, email } = bodyOf(request);
  const { organizationId } = request;
  const byPhone = holdersDuring(
    history,
    request,
    phoneKey(organizationId, comparablePhone(String(phone))),
  );
  const byEmail = email
    ? holdersDuring(history, request, emailKey(organizationId, String(email)))
    : [undefined];
  if (leadId === undefined)
    return byPhone.includes(undefined) && byEmail.includes(undefined)
      ? []
      : ['made a second lead of a person'];
  const matches =
    byPhone.includes(leadId) || (byPhone.includes(undefined) && byEmail.includes(leadId));
  if (!matches) return [`went to lead ${leadId}, which never had its phone or email meanwhile`];
  const fields = (lead?.fields ?? {}) as Values;
  const isStill =
    fields.phone === comparablePhone(String(phone)) ||
    comparableEmail(String(fields.email)) === comparableEmail(String(email));
  return isStill ? [] : [`was written to lead ${leadId} when that had another phone and email`];
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
    const keptFields = ((entry?.kept ?? []) as readonly { field: string }[]).map(
      ({ field }) => field,
    );
    if (!isSame(entry?.filled, filled) || !isSame([...keptFields].sort(), [...kept].sort())) {
      issues.push(
        `lists ${JSON.stringify([entry?.filled, keptFields])} instead of ${JSON.stringify([filled, kept])}`,
      );
    }
    if (issues.length === 0) return [];
  }
  return issues;
}

function explainUpdate(history: History, request: ObservedRequest, { writes }: Commit): string[] {
  const { before, after, sk } = one(writes, 'LEADS') ?? {};
  if (!before || !after || Number(sk) !== request.request.leadId)
    return ['changed another lead than it named'];
  const entry = one(writes, 'TIMELINE')?.after;
  return [
    ...entryIssues(request, entry, 'lead_updated'),
    ...bySome(history, request, (settings) => {
      const expected = updatedLead(settings, bodyOf(request), before);
      const { fields, stageId, pipelineId } = after;
      return isSame({ fields, stageId, pipelineId }, expected)
        ? []
        : [`made ${JSON.stringify(after)} instead of ${JSON.stringify(expected)}`];
    }),
    ...(isSame(changesOf(before, after), sortedChanges(entry?.changes))
      ? []
      : ['has other changes on the timeline than it made']),
  ];
}

interface Change {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

function changesOf(before: Plain, after: Plain): Change[] {
  const [old, next] = [before.fields as Values, after.fields as Values];
  const all = [...new Set([...Object.keys(old), ...Object.keys(next)])].map((field) => ({
    field,
    from: old[field] ?? null,
    to: next[field] ?? null,
  }));
  const place = [
    { field: 'stage', from: before.stageId, to: after.stageId },
    { field: 'pipeline', from: before.pipelineId, to: after.pipelineId },
  ];
  return sortedChanges([...all, ...place].filter(({ from, to }) => !isSame(from, to)));
}

const sortedChanges = (changes: unknown): Change[] =>
  [...((changes ?? []) as readonly Change[])].sort((a, b) => (a.field < b.field ? -1 : 1));

function explainNote(history: History, request: ObservedRequest, { writes }: Commit): string[] {
  const entry = one(writes, 'TIMELINE');
  const leadId = Number(entry?.pk.split('#')[2]);
  const issues = entryIssues(request, entry?.after, 'note_added');
  if (writes.length > 1) issues.push('wrote more than a note');
  if (leadId !== request.request.leadId) issues.push(`is on the timeline of lead ${leadId}`);
  if (entry?.after?.text !== bodyOf(request).text)
    issues.push('has another text on the timeline than it sent');
  if (leadStates(history, request, leadId).every((state) => state === undefined))
    issues.push('noted something on a lead that is not there');
  return issues;
}
