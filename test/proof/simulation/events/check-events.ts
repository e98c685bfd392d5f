import type { History } from '../checker/history.ts';
import type { PublishedEvent } from './publish-history.ts';

/**
 * Compares the events of a history with the timeline entries that it committed. `checkHistory` checks that each acknowledged effect has an entry.
 * @returns a sentence for each violation
 */
export const eventViolations = (history: History, events: readonly PublishedEvent[]): string[] => [
  ...orderViolations(history, events),
  ...personalData(events),
];

/** Every entry of a lead is published, and nothing else. No entry is published before an earlier one has been. */
function orderViolations({ writes }: History, events: readonly PublishedEvent[]): string[] {
  const committed = idsByTimeline(
    writes.flatMap(({ pk, sk, before, after, work }) =>
      pk.startsWith('TIMELINE#') && !before && after && work ? [[pk, sk]] : [],
    ),
  );
  const published = idsByTimeline(
    events.map(({ detail: { organizationId, leadId, id } }) => [
      `TIMELINE#${organizationId}#${leadId}`,
      id,
    ]),
  );
  return [...new Set([...committed.keys(), ...published.keys()])].flatMap((timeline) => {
    const [expected, actual] = [committed, published].map((ids) =>
      [...(ids.get(timeline) ?? [])].join(' '),
    );
    return expected === actual
      ? []
      : [`${timeline} has ${expected || 'no entry'}, and was published as ${actual || 'nothing'}.`];
  });
}

function idsByTimeline(pairs: readonly (readonly [timeline: string, id: string])[]) {
  const ids = new Map<string, Set<string>>();
  for (const [timeline, id] of pairs)
    ids.set(timeline, (ids.get(timeline) ?? new Set<string>()).add(id));
  return ids;
}

const personalData = (events: readonly PublishedEvent[]): string[] =>
  events
    .map((event) => JSON.stringify(event))
    .filter((text) => /@|\+\d{6}|Asha|Zoë|李|Pune/i.test(text))
    .map((text) => `An event has a person's data: ${text}`);
