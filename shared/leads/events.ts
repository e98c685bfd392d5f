import type { TimelineEntry } from './timeline.ts';

/** The `source` of every event. */
export const eventSource = 'lead-service';

/** The `detail-type` of each event that a deployment with `events: true` publishes. */
export const eventTypes = [
  'LeadCreated',
  'LeadCaptured',
  'LeadUpdated',
  'NoteAdded',
  'LeadArchived',
  'LeadRestored',
  'LeadImported',
  'LeadErased',
] as const;
export type EventType = (typeof eventTypes)[number];

/** Never holds a person's data: a consumer that needs some reads the lead. `infra/openapi/event-schemas.ts` describes each member. */
interface EventDetail extends EntryPlace {
  readonly at: string;
  readonly keyId: string | null;
  readonly userId: number | null;
  readonly created?: boolean;
  readonly filled?: readonly string[];
  readonly kept?: readonly string[];
  readonly changed?: readonly string[];
}

export interface LeadEvent {
  readonly type: EventType;
  /** When the entry was stored, in ISO 8601. For an imported entry, `at` is the time in the system that it came from. */
  readonly time: string;
  readonly detail: EventDetail;
}

/** The entry that an event is about. */
export interface EntryPlace {
  readonly organizationId: number;
  readonly leadId: number;
  /** The entry's sort key. */
  readonly id: string;
}

/**
 * The event for a timeline entry. A capture that creates a lead is one event, not two.
 * @returns undefined if a later release added the type of the entry
 */
export function eventOf(place: EntryPlace, entry: TimelineEntry): LeadEvent | undefined {
  const isImport = entry.type === 'lead_created' && entry.via === 'import';
  const type: EventType | undefined = isImport ? 'LeadImported' : eventTypeByEntryType[entry.type];
  if (!type) return undefined;
  const { at, actorId: userId } = entry;
  const keyId = 'keyId' in entry ? entry.keyId : null;
  return {
    type,
    time: 'importedAt' in entry ? entry.importedAt : at,
    detail: { ...place, at, keyId, userId, ...ownDetail(entry) },
  };
}

const eventTypeByEntryType: Readonly<Record<TimelineEntry['type'], EventType>> = {
  lead_created: 'LeadCreated',
  captured: 'LeadCaptured',
  captured_new: 'LeadCaptured',
  lead_updated: 'LeadUpdated',
  note_added: 'NoteAdded',
  archived: 'LeadArchived',
  restored: 'LeadRestored',
  erased: 'LeadErased',
};

/** The field keys fit into the 256 KB that EventBridge accepts per entry, because a request of at most 100,000 bytes named them. */
function ownDetail(
  entry: TimelineEntry,
): Pick<EventDetail, 'created' | 'filled' | 'kept' | 'changed'> {
  if (entry.type === 'captured' || entry.type === 'captured_new')
    return {
      created: entry.type === 'captured_new',
      filled: entry.filled,
      kept: entry.kept.map(({ field }) => field),
    };
  if (entry.type === 'lead_updated') return { changed: entry.changes.map(({ field }) => field) };
  return {};
}
