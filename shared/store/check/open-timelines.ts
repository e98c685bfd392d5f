import { TimelineReplay } from '../../leads/timeline-replay.ts';
import type { TimelineEntryItem } from '../table/items.ts';

/** A timeline that has been read to its end. */
export interface ReadTimeline {
  readonly organizationId: number;
  readonly leadId: number;
  readonly replay: TimelineReplay;
}

/** The timeline that each segment of a scan is reading: a scan reads a partition's items one after another, in their order. */
export class OpenTimelines {
  readonly #bySegment = new Map<number, ReadTimeline>();

  /** Adds an entry. @returns the segment's timeline before, if this entry is the first of the next one */
  add(
    segment: number,
    { organizationId, leadId }: Omit<ReadTimeline, 'replay'>,
    entry: TimelineEntryItem,
  ): ReadTimeline | undefined {
    const open = this.#bySegment.get(segment);
    const isSame = open?.organizationId === organizationId && open.leadId === leadId;
    const timeline = isSame ? open : { organizationId, leadId, replay: new TimelineReplay() };
    timeline.replay.add(entry);
    this.#bySegment.set(segment, timeline);
    return isSame ? undefined : open;
  }

  /** The last timeline of each segment, once the scan has ended. */
  get last(): ReadTimeline[] {
    return [...this.#bySegment.values()];
  }
}
