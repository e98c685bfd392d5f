import { fingerprintOf } from './idempotency.ts';
import type { Lead } from './lead.ts';
import type { TimelineEntry } from './timeline.ts';

/** Short, because the digest detects accidents, not forgery. */
const digestChars = 8;

/** A digest of what requests can change in a lead: its fields, stage and pipeline. */
export const valuesDigestOf = ({ fields, stageId, pipelineId }: Lead): string =>
  fingerprintOf({ fields, stageId, pipelineId }).slice(0, digestChars);

const explainedParts = [
  /** The number of entries. */
  'version',
  'createdAt',
  'updatedAt',
  /** Empty if the lead is not archived. */
  'archivedAt',
  'valuesDigest',
] as const;
/** A part is undefined if the timeline says nothing about it. */
export type Explained = Readonly<Record<(typeof explainedParts)[number], string | undefined>>;

/** What an intact timeline of this lead would explain. */
export const explainedBy = (lead: Lead): Explained => ({
  version: String(lead.version),
  createdAt: String(lead.createdAt),
  updatedAt: String(lead.updatedAt),
  archivedAt: String(lead.archivedAt ?? ''),
  valuesDigest: valuesDigestOf(lead),
});

/** The parts of a lead that differ from what its timeline says. @param keep the form in which the lead's parts were kept */
export const unexplainedParts = <Kept>(
  lead: Readonly<Record<keyof Explained, Kept>>,
  timeline: Explained,
  keep: (value: string | undefined) => Kept,
) =>
  explainedParts.filter(
    (part) => timeline[part] !== undefined && keep(timeline[part]) !== lead[part],
  );

/** Whether this entry records the creation of a lead, its first version. */
export const isOpening = ({ type }: TimelineEntry): boolean =>
  type === 'lead_created' || type === 'captured_new';

/** Whether this entry records a change to a lead. */
export const isChange = (entry: TimelineEntry): boolean =>
  ['lead_updated', 'archived', 'restored'].includes(entry.type) ||
  (entry.type === 'captured' && Array.isArray(entry.filled) && entry.filled.length > 0);

/** Derives a lead's state from its timeline's entries, oldest first. In a damaged entry, any attribute can have any type. */
export class TimelineReplay<Entry extends TimelineEntry = TimelineEntry> {
  readonly openings: Entry[] = [];
  #entries = 0;
  #isImported = false;
  #createdAt: string | undefined;
  #updatedAt: string | undefined;
  #archivedAt: string | undefined;
  #valuesDigest: string | undefined;

  add(entry: Entry): void {
    const { type, at, valuesDigest } = entry;
    this.#entries += 1;
    if (isOpening(entry)) {
      this.openings.push(entry);
      this.#createdAt = String(at);
      this.#isImported = type === 'lead_created' && entry.via === 'import';
    } else if (isChange(entry)) {
      this.#updatedAt = String(at);
    } else return;
    if (type === 'archived') this.#archivedAt = String(at);
    else if (type === 'restored') this.#archivedAt = '';
    else this.#valuesDigest = valuesDigest === undefined ? undefined : String(valuesDigest);
  }

  /** An imported lead may have been changed or archived before the import. Its timeline has only the changes after it. */
  get explained(): Explained {
    return {
      version: String(this.#entries),
      createdAt: this.#createdAt,
      updatedAt: this.#updatedAt ?? (this.#isImported ? undefined : this.#createdAt),
      archivedAt: this.#archivedAt ?? (this.#isImported ? undefined : ''),
      valuesDigest: this.#valuesDigest,
    };
  }
}
