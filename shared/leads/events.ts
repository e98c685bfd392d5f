import type { TimelineEntry } from './timeline.ts';

/** `source` of every event. */
export const eventSource = 'lead-service';

/** `detail-type` of the events that a deployment with `events: true` publishes. */
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

/** Never a value of a person: a consumer that needs one reads the lead. `infra/openapi/event-schemas.ts` says what each member is. */
export interface EventDetail extends EntryPlace {
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
  /** When it was stored, as ISO 8601. An imported entry has the time of its origin as `at`. */
  readonly time: string;
  readonly detail: EventDetail;
}

/** Which entry an event is of. */
export interface EntryPlace {
  readonly organizationId: number;
  readonly leadId: number;
  /** The entry's sort key. */
  readonly id: string;
}

/**
 * The event of a timeline entry. A capture that makes a lead is one event.
 * @returns undefined for an entry of a type that a later release added
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

/** A request of at most 100,000 bytes names the fields, so their keys fit into the 256 KB that EventBridge accepts an entry. */
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
