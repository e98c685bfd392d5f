import { setTimeout as sleep } from 'node:timers/promises';
import type { LeadEvent } from '../leads/events.ts';
import type { EventBus } from './event-bus.ts';

/** An event, and the stream record that it came from. */
export interface PendingEvent {
  readonly sequenceNumber: string;
  readonly event: LeadEvent;
}

interface Publication {
  readonly published: number;
  /** The first event that is not on the bus; undefined if all are. */
  readonly firstUnpublished?: PendingEvent;
  /** The bus's error, if one ended publishing early. */
  readonly error?: unknown;
}

/** The limits of one `PutEvents`: entries, and bytes of all of them together (AWS: PutEvents), with room for the envelope. */
const entriesMax = 10;
const requestMaxBytes = 240_000;
/** How many partly refused requests are allowed before the rest is left to the next invocation. */
const refusalsMax = 3;

/**
 * Publishes events so that each lead's events reach the bus in order. The bus can accept some entries of a request and refuse others. So a
 * request has at most one event per lead, and a lead's next event waits until the bus has accepted the previous one.
 * @param events in the order of the stream
 */
export async function publishInOrder(
  bus: EventBus,
  events: readonly PendingEvent[],
  pauseMs = 100,
): Promise<Publication> {
  let pending = events;
  const result = (error?: unknown): Publication => ({
    published: events.length - pending.length,
    ...(pending[0] && { firstUnpublished: pending[0] }),
    ...(error !== undefined && { error }),
  });
  for (let refusals = 0; pending.length > 0 && refusals < refusalsMax; ) {
    const request = nextRequest(pending);
    try {
      const isPublished = await bus.put(request.map(({ event }) => event));
      const published = new Set(request.filter((_, index) => isPublished[index]));
      pending = pending.filter((event) => !published.has(event));
      if (published.size === request.length) continue;
    } catch (error) {
      return result(error);
    }
    refusals += 1;
    await sleep(pauseMs * 2 ** refusals);
  }
  return result();
}

/** The first pending event of each lead, as many as fit into a request. */
function nextRequest(pending: readonly PendingEvent[]): PendingEvent[] {
  const request: PendingEvent[] = [];
  const leads = new Set<string>();
  let bytes = 0;
  for (const next of pending) {
    const { organizationId, leadId } = next.event.detail;
    const lead = `${organizationId} ${leadId}`;
    if (leads.has(lead)) continue;
    leads.add(lead);
    bytes += Buffer.byteLength(JSON.stringify(next.event.detail));
    if (request.length > 0 && bytes > requestMaxBytes) break;
    request.push(next);
    if (request.length === entriesMax) break;
  }
  return request;
}
