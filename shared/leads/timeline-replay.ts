import { fingerprintOf } from './idempotency.ts';
import type { Lead } from './lead.ts';
import type { TimelineEntry } from './timeline.ts';

/** Short, for it finds accidents and no forgery. */
const digestChars = 8;

/** A digest of everything of a lead that requests change: its fields, stage and pipeline. */
export const valuesDigestOf = ({ fields, stageId, pipelineId }: Lead): string =>
  fingerprintOf({ fields, stageId, pipelineId }).slice(0, digestChars);

export const explainedParts = [
  /** The number of entries. */
  'version',
  'createdAt',
  'updatedAt',
  /** Empty if the lead is not archived. */
  'archivedAt',
  'valuesDigest',
] as const;
/** Undefined where the timeline does not say. */
export type Explained = Readonly<Record<(typeof explainedParts)[number], string | undefined>>;

/** What a sound timeline of this lead explains. */
export const explainedBy = (lead: Lead): Explained => ({
  version: String(lead.version),
  createdAt: String(lead.createdAt),
  updatedAt: String(lead.updatedAt),
  archivedAt: String(lead.archivedAt ?? ''),
  valuesDigest: valuesDigestOf(lead),
});

/** The parts of a lead that differ from what its timeline says. */
export const unexplainedParts = (lead: Explained, timeline: Explained) =>
  explainedParts.filter((part) => timeline[part] !== undefined && timeline[part] !== lead[part]);

/** Whether a lead was created with this entry, as its first version. */
export const isOpening = ({ type }: TimelineEntry): boolean =>
  type === 'lead_created' || type === 'captured_new';

/** Whether a lead was changed with this entry. */
export const isChange = (entry: TimelineEntry): boolean =>
  ['lead_updated', 'archived', 'restored'].includes(entry.type) ||
  (entry.type === 'captured' && Array.isArray(entry.filled) && entry.filled.length > 0);

/** Reads a timeline's entries, oldest first, for what they explain of the lead. A damaged entry can have any type in any attribute. */
export class TimelineReplay {
  openings = 0;
  #entries = 0;
  #isImported = false;
  #createdAt: string | undefined;
  #updatedAt: string | undefined;
  #archivedAt: string | undefined;
  #valuesDigest: string | undefined;

  add(entry: TimelineEntry): void {
    const { type, at, valuesDigest } = entry;
    this.#entries += 1;
    if (isOpening(entry)) {
      this.openings += 1;
      this.#createdAt = String(at);
      this.#isImported = type === 'lead_created' && entry.via === 'import';
    } else if (isChange(entry)) {
      this.#updatedAt = String(at);
    } else return;
    if (type === 'archived') this.#archivedAt = String(at);
    else if (type === 'restored') this.#archivedAt = '';
    else this.#valuesDigest = valuesDigest === undefined ? undefined : String(valuesDigest);
  }

  /** An imported lead may be changed and archived already: only its later changes are on the timeline. */
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
