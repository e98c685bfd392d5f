import { storedBytes } from '../base/item-size.ts';
import { canonicalJson } from './idempotency.ts';
import type { FieldValue } from './lead.ts';

interface EntryOrigin {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The user who created the API key, or null for the administrator at the terminal. */
  readonly actorId: number | null;
  /** Who the administrator is, as in the audit log: their AWS identity, or else the user name on their machine. */
  readonly by?: string;
  /**
   * `valuesDigestOf` the lead after this change. Only `check` reads it. Absent on entries that changed no value or that a restore wrote.
   */
  readonly valuesDigest?: string;
  /** When an erasure last removed the person of another lead from this entry. ISO 8601, UTC. */
  readonly cleanedAt?: string;
  /** The `X-Request-Id` of the request that wrote the entry; an administrator's entry has none. */
  readonly requestId?: string;
}

/** A field that a capture left unchanged: its value, and the value that was sent. */
export interface KeptField {
  readonly field: string;
  readonly current: FieldValue | null;
  readonly submitted: FieldValue;
}

/** The enquiry of a capture as the timeline keeps it. */
export interface Enquiry {
  readonly keyId: string;
  readonly keyLabel: string;
  /** The recorded source's name. */
  readonly source: string;
  /** The source as sent, if no active source has that name. */
  readonly submittedSource?: string;
  readonly notes?: string;
  /** The page and campaign that the enquiry came from (contract, section 2, CaptureAttribution). */
  readonly attribution?: Readonly<Record<string, string | undefined>>;
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

interface ByApi {
  readonly via: 'api';
  readonly keyId: string;
}

/** The origin of an entry that a request writes. */
export const byApi = (
  caller: { readonly createdBy: number; readonly keyId: string },
  requestId: string,
) => ({ actorId: caller.createdBy, via: 'api', keyId: caller.keyId, requestId }) as const;

interface ByCommand {
  readonly via: 'admin';
}

/** The origin of an entry that an import writes. `at` is when the lead was created in the system that it came from. */
interface ByImport {
  readonly via: 'import';
  readonly importedAt: string;
}

/**
 * One stored entry of a lead's timeline (commands.md, "Timeline items"). `captured_new` is a capture that created the lead: one item,
 * presented as `lead_created` and `captured`. `erased` is the lead's last event. It exists only during the erasure, which then removes it
 * with the timeline.
 */
export type TimelineEntry = EntryOrigin &
  (
    | ({ readonly type: 'lead_created' } & (ByApi | ByImport))
    | ({ readonly type: 'captured' | 'captured_new' } & Enquiry)
    | ({ readonly type: 'lead_updated'; readonly changes: readonly FieldChange[] } & (
        | ByApi
        | ByCommand
      ))
    | ({ readonly type: 'note_added'; readonly text: string } & (ByApi | ByImport | ByCommand))
    | { readonly type: 'archived' | 'restored' | 'erased' }
  );

/** A timeline item as people read it. */
export interface TimelineItem extends Partial<Enquiry> {
  readonly type: string;
  readonly at: string;
  readonly cleanedAt?: string;
  readonly actor: { readonly userId: number | null; readonly name: string };
  readonly by?: string;
  readonly via?: string;
  readonly requestId?: string;
  readonly importedAt?: string;
  readonly changes?: readonly FieldChange[];
  readonly text?: string;
}

const administrator = { userId: null, name: 'administrator' };

/**
 * Presents an entry as one or two items, with the actor's current name.
 * @param nameOf a user's name by ID
 */
export function presentEntry(
  entry: TimelineEntry,
  nameOf: (userId: number) => string,
): TimelineItem[] {
  const { type, at, cleanedAt, actorId, valuesDigest: _, ...members } = entry;
  // Two files of timelines can be compared as text only if the same item is always written the same way.
  const rest: typeof members = JSON.parse(canonicalJson(members));
  const actor = actorId === null ? administrator : { userId: actorId, name: nameOf(actorId) };
  const origin = { at, ...(cleanedAt !== undefined && { cleanedAt }), actor };
  if (entry.type !== 'captured_new') return [{ type, ...origin, ...rest }];
  const { keyId, requestId } = entry;
  return [
    { type: 'lead_created', at, actor, via: 'api', keyId, ...(requestId && { requestId }) },
    { type: 'captured', ...origin, ...rest },
  ];
}

/** An item of `lead timelines`. */
export interface IdentifiedItem extends TimelineItem {
  readonly leadId: number;
  readonly id: string;
}

/**
 * Presents an entry with the lead's ID and an ID that never changes. A capture that created its lead becomes two items, and `captured`
 * keeps the entry's own ID.
 * @param entryId the entry's sort key
 */
export function presentIdentified(
  leadId: number,
  entryId: string,
  items: readonly TimelineItem[],
): IdentifiedItem[] {
  const idOf = (item: TimelineItem): string =>
    item === items.at(-1) ? entryId : `${entryId}#${item.type}`;
  return items.map((item) => ({ leadId, id: idOf(item), ...item }));
}

/** The sort key of the entry from which an item was presented, by the item's ID. */
export const entryIdOf = (itemId: string): string => itemId.split('#', 2).join('#');

/** DynamoDB holds 400 KB an item; the rest is for its keys. */
const entryMaxBytes = 380_000;
/** The shortest length to which values are cut. At this length, an entry fits even with as many fields as settings of 350 KB can define. */
const minChars = 4;

/**
 * Makes an entry fit into an item. Each captured or changed field has two values, each as large as a lead can be. If an entry is too large,
 * its longest texts and lists are cut to the same length and end in `…`.
 * @returns the entry itself if it fits
 */
export function fitEntry(entry: TimelineEntry): TimelineEntry {
  let fitted = entry;
  for (let chars = 65_536; storedBytes(fitted) > entryMaxBytes && chars >= minChars; chars /= 2)
    fitted = cutValues(entry, chars);
  return fitted;
}

function cutValues(entry: TimelineEntry, chars: number): TimelineEntry {
  const cut = (value: FieldValue | null) => (value === null ? null : cutValue(value, chars));
  if ('kept' in entry) {
    const kept = entry.kept.map(({ field, current, submitted }) => {
      return { field, current: cut(current), submitted: cutValue(submitted, chars) };
    });
    return { ...entry, kept };
  }
  if (!('changes' in entry)) return entry;
  const changes = entry.changes.map(({ field, from, to }) => {
    return { field, from: cut(from), to: cut(to) };
  });
  return { ...entry, changes };
}

function cutValue(value: FieldValue, chars: number): FieldValue {
  if (typeof value === 'string')
    return value.length <= chars
      ? value
      : `${value.slice(0, chars).replace(/[\uD800-\uDBFF]$/, '')}…`;
  if (typeof value !== 'object') return value;
  let used = 0;
  for (const [index, item] of value.entries()) {
    used += item.length;
    if (used > chars) return [...value.slice(0, index), '…'];
  }
  return value;
}
