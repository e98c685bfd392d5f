import type { History, ObservedAction, ObservedRequest, Write } from '../checker/history.ts';
import type { PublishedEvent } from './simulated-bus.ts';

/**
 * Holds the events of a history against what the history acknowledged and committed.
 * @returns a sentence for each violation
 */
export function eventViolations(history: History, events: readonly PublishedEvent[]): string[] {
  return [
    ...missingEvents(history, events),
    ...uncommittedEvents(history, events),
    ...orderViolations(history, events),
    ...personalData(events),
  ];
}

const isEntry = ({ pk, before, after }: Write): boolean =>
  pk.startsWith('TIMELINE#') && !before && after !== undefined;

/** What a caller or an administrator was told is published, by what they were told of it. */
function missingEvents(history: History, events: readonly PublishedEvent[]): string[] {
  const has = (type: string, expected: Readonly<Record<string, unknown>>): boolean =>
    events.some(
      (event) =>
        event.type === type &&
        Object.entries(expected).every(([name, value]) => event.detail[name] === value),
    );
  const missing = (id: string, [type, expected]: Expectation): string[] =>
    has(type, expected)
      ? []
      : [`${id} was acknowledged, and has no event ${type} ${JSON.stringify(expected)}.`];
  return [
    ...history.requests.flatMap((request) =>
      expectedOf(request).flatMap((expectation) => missing(request.id, expectation)),
    ),
    ...history.actions.flatMap((action) =>
      expectedOfAction(action).flatMap((expectation) => missing(action.id, expectation)),
    ),
  ];
}

type Expectation = readonly [type: string, detail: Readonly<Record<string, unknown>>];

function expectedOf({ what, answer, answerBody, apiKey }: ObservedRequest): Expectation[] {
  if (!answer || answer.status >= 300) return [];
  const { organizationId, keyId } = apiKey;
  const own = { organizationId, keyId };
  const { lead, note } = answerBody as {
    lead?: { id: number; created?: boolean };
    note?: { leadId: number; createdAt: string };
  };
  if (what === 'add-note' && note)
    return [['NoteAdded', { ...own, leadId: note.leadId, at: note.createdAt }]];
  if (what === 'create-lead' && lead) return [['LeadCreated', { ...own, leadId: lead.id }]];
  const isReplay = answer.headers['Idempotent-Replayed'] !== undefined;
  if (what === 'capture-lead' && lead && !isReplay)
    return [['LeadCaptured', { ...own, leadId: lead.id, created: lead.created }]];
  return [];
}

function expectedOfAction({
  what,
  outcome,
  result,
  organizationId,
  options,
}: ObservedAction): Expectation[] {
  if (outcome !== 'done' || result === undefined) return [];
  const own = { organizationId, leadId: options.leadId };
  const isChanged = (result as { isChanged?: boolean }).isChanged === true;
  if (what === 'import undo')
    return (result as { removed: readonly number[] }).removed.map((leadId) => [
      'LeadErased',
      { organizationId, leadId },
    ]);
  if (what === 'erase') return [['LeadErased', own]];
  if (what === 'archive' && isChanged) return [['LeadArchived', own]];
  if (what === 'restore' && isChanged) return [['LeadRestored', own]];
  return [];
}

function uncommittedEvents({ writes }: History, events: readonly PublishedEvent[]): string[] {
  const entries = new Set(writes.filter(isEntry).map(({ pk, sk }) => `${pk} ${sk}`));
  return events
    .map(
      ({ detail: { organizationId, leadId, id } }) => `TIMELINE#${organizationId}#${leadId} ${id}`,
    )
    .filter((entry) => !entries.has(entry))
    .map((entry) => `${entry} was published, and never committed.`);
}

/** Each entry is published, and for the first time after the lead's earlier ones. */
function orderViolations({ writes }: History, events: readonly PublishedEvent[]): string[] {
  const idsByLead = (pairs: readonly (readonly [lead: string, id: string])[]) => {
    const ids = new Map<string, Set<string>>();
    for (const [lead, id] of pairs) ids.set(lead, (ids.get(lead) ?? new Set()).add(id));
    return ids;
  };
  const committed = idsByLead(
    writes
      .filter(({ work, ...write }) => work !== undefined && isEntry({ work, ...write }))
      .map(({ pk, sk }) => [pk, sk]),
  );
  const published = idsByLead(
    events.map(({ detail }) => [`TIMELINE#${detail.organizationId}#${detail.leadId}`, detail.id]),
  );
  return [...committed].flatMap(([lead, ids]) => {
    const [expected, actual] = [[...ids].join(' '), [...(published.get(lead) ?? [])].join(' ')];
    return expected === actual
      ? []
      : [`${lead} has ${expected}, and was published as ${actual || 'nothing'}.`];
  });
}

const personalData = (events: readonly PublishedEvent[]): string[] =>
  events
    .map((event) => JSON.stringify(event))
    .filter((text) => /@|\+\d{6}|Asha|Zoë|李|Pune/i.test(text))
    .map((text) => `An event has a person's data: ${text}`);
