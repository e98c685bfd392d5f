import type { FieldValue } from './lead.ts';
import type { KeptField } from './capture.ts';

/** Who did it: the person who created the API key, or the administrator at the terminal (null). */
export type ActorId = number | null;

interface Happening {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actorId: ActorId;
}

/** The page and campaign a capture came from (contract, section 2, CaptureAttribution). */
export type Attribution = Readonly<Partial<Record<string, string>>>;

/** The enquiry of a capture as the timeline keeps it. */
export interface Enquiry {
  readonly keyId: string;
  readonly keyLabel: string;
  /** The recorded source's name. */
  readonly source: string;
  readonly notes?: string;
  readonly attribution?: Attribution;
  readonly filled: readonly string[];
  readonly kept: readonly KeptField[];
  readonly archived?: true;
}

export interface FieldChange {
  /** A field key, `stage` or `pipeline`. */
  readonly field: string;
  readonly from: FieldValue | null;
  readonly to: FieldValue | null;
}

/**
 * One stored entry of a lead's history (local-service, timeline items). `captured_new` is what one capture of a new lead does,
 * stored as one item and shown as `lead_created` and `captured`.
 */
export type TimelineEntry = Happening &
  (
    | { readonly type: 'lead_created'; readonly via: 'api'; readonly keyId: string }
    | ({ readonly type: 'captured' | 'captured_new' } & Enquiry)
    | { readonly type: 'lead_updated'; readonly via: 'api'; readonly keyId: string; readonly changes: readonly FieldChange[] }
    | { readonly type: 'note_added'; readonly via: 'api'; readonly keyId: string; readonly text: string }
    | { readonly type: 'archived' | 'restored' }
  );

/** A timeline item as people read it. */
export type TimelineItem = { readonly type: string; readonly at: string; readonly actor: { userId: number | null; name: string } } & Readonly<
  Record<string, unknown>
>;

const administrator = { userId: null, name: 'administrator' };

/**
 * Shows an entry as the items it stands for, the actor's name as it is now.
 * @param nameOf a person's name by id
 */
export function presentEntry(entry: TimelineEntry, nameOf: (userId: number) => string): TimelineItem[] {
  const { type, at, actorId, ...rest } = entry;
  const actor = actorId === null ? administrator : { userId: actorId, name: nameOf(actorId) };
  if (entry.type !== 'captured_new') return [{ type, at, actor, ...rest }];
  return [
    { type: 'lead_created', at, actor, via: 'api', keyId: entry.keyId },
    { type: 'captured', at, actor, ...rest },
  ];
}
