import { storedBytes } from '../item-size.ts';
import type { FieldValue } from './lead.ts';

/** Who did it: the person who created the API key, or the administrator at the terminal (null). */
export type ActorId = number | null;

interface Happening {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actorId: ActorId;
}

/** The page and campaign a capture came from (contract, section 2, CaptureAttribution). */
export type Attribution = Readonly<Partial<Record<string, string>>>;

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
 * One stored entry of a lead's history (LOCAL.md, "Timeline items"). `captured_new` is what one capture of a new lead does,
 * stored as one item and shown as `lead_created` and `captured`.
 */
export type TimelineEntry = Happening &
  (
    | { readonly type: 'lead_created'; readonly via: 'api'; readonly keyId: string }
    /** By an import; `at` is when the lead was created where it came from. */
    | { readonly type: 'lead_created'; readonly via: 'import'; readonly importedAt: string }
    | ({ readonly type: 'captured' | 'captured_new' } & Enquiry)
    | { readonly type: 'lead_updated'; readonly via: 'api'; readonly keyId: string; readonly changes: readonly FieldChange[] }
    | { readonly type: 'note_added'; readonly via: 'api'; readonly keyId: string; readonly text: string }
    | { readonly type: 'archived' | 'restored' }
  );

/** A timeline item as people read it. */
export type TimelineItem = {
  readonly type: string;
  readonly at: string;
  readonly actor: { userId: number | null; name: string };
} & Readonly<Record<string, unknown>>;

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

/** DynamoDB holds 400 KB an item; the rest is room for its keys. */
const entryMaxBytes = 380_000;
/** The shortest that a value is cut to; with it the most fields that settings of 350 KB hold fit too. */
const leastChars = 4;

/**
 * An entry that fits into an item. A captured or changed field may say two values of up to what a lead holds: where they are together
 * too large, the longest texts and lists are cut, all to the same length, and end in `…`. Everything else comes back as it is.
 */
export function fitEntry(entry: TimelineEntry): TimelineEntry {
  if (!mayOutgrow(entry)) return entry;
  for (let chars = 65_536; chars >= leastChars; chars /= 2) {
    const fitted = cutValues(entry, chars);
    if (storedBytes(fitted) <= entryMaxBytes) return fitted;
  }
  return cutValues(entry, leastChars);
}

const mayOutgrow = (entry: TimelineEntry): boolean =>
  ('kept' in entry || 'changes' in entry) && storedBytes(entry) > entryMaxBytes;

function cutValues(entry: TimelineEntry, chars: number): TimelineEntry {
  const cut = (value: FieldValue | null) => cutValue(value, chars);
  if ('kept' in entry) {
    return {
      ...entry,
      kept: entry.kept.map(({ field, current, submitted }) => ({
        field,
        current: cut(current),
        submitted: cut(submitted) as FieldValue,
      })),
    };
  }
  if ('changes' in entry)
    return { ...entry, changes: entry.changes.map(({ field, from, to }) => ({ field, from: cut(from), to: cut(to) })) };
  return entry;
}

function cutValue(value: FieldValue | null, chars: number): FieldValue | null {
  if (typeof value === 'string')
    return value.length <= chars ? value : `${value.slice(0, chars).replace(/[\uD800-\uDBFF]$/, '')}…`;
  if (typeof value !== 'object' || value === null) return value;
  let used = 0;
  for (const [index, item] of value.entries()) {
    used += item.length;
    if (used > chars) return [...value.slice(0, index), '…'];
  }
  return value;
}
