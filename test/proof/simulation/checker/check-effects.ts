import { isSame } from '../../../support/reference/plain.ts';
import { createdLead, updatedLead } from '../../../support/reference/reference.ts';
import { type Commit, effectsOf, isAcknowledged, isCount, kindOf, nameOf } from './effects.ts';
import { explainCapture } from './explain-capture.ts';
import { bodyOf, bySome, type Explain, entryIssues, newLeadIssues, one } from './explanation.ts';
import type { History, ObservedRequest } from './history.ts';
import { recordKeys } from './replays.ts';
import { leadStates } from './states.ts';

/**
 * Checks what each request did to the table: exactly what it asked for, by the settings in force. An acknowledged request has its effect
 * once, an unknown one at most once, a refused one never.
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
  const turns = request.writes.filter((write) => kindOf(write) === 'TURN').length;
  // An answer that was lost may have been that of a turn.
  if (turns > 1 && !request.faults.some((fault) => fault.includes('UpdateItem')))
    return [`took ${turns} turns`];
  const mustAct =
    isAcknowledged(request) &&
    !isReplay &&
    ['create-lead', 'capture-lead', 'add-note'].includes(request.what);
  return mustAct && main.length === 0 ? [`was acknowledged with ${status} and took no effect`] : [];
}

/** Besides taking effect, a capture may record a known result under another key that it was sent with. */
function otherIssues(request: ObservedRequest, { writes }: Commit): string[] {
  const keys = request.what === 'capture-lead' ? recordKeys(request) : [];
  return writes.every(({ pk }) => keys.includes(pk))
    ? []
    : [
        `wrote ${writes.map(({ pk, sk }) => `${pk} ${sk}`).join(', ')} without an entry on a timeline`,
      ];
}

const explain: Readonly<Partial<Record<string, Explain>>> = {
  'create-lead': explainCreate,
  'capture-lead': explainCapture,
  'update-lead': explainUpdate,
  'add-note': explainNote,
};

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
    ...(isSame([before.fields, before.stageId], [after.fields, after.stageId])
      ? ['wrote a lead that it did not change']
      : []),
  ];
}

function explainNote(history: History, request: ObservedRequest, { writes }: Commit): string[] {
  const entry = one(writes, 'TIMELINE');
  const leadId = Number(entry?.pk.split('#')[2]);
  const issues = entryIssues(request, entry?.after, 'note_added');
  if (writes.some((write) => write !== entry && !isCount(write)))
    issues.push('wrote more than a note');
  if (leadId !== request.request.leadId) issues.push(`is on the timeline of lead ${leadId}`);
  if (entry?.after?.text !== bodyOf(request).text)
    issues.push('has another text on the timeline than it sent');
  if (leadStates(history, request, leadId).every((state) => state === undefined))
    issues.push('noted something on a lead that is not there');
  return issues;
}
