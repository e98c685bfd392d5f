import type { TimelineEntry } from '../leads/timeline.ts';
import type { Table } from './client.ts';
import { checkLeadExists } from './leads.ts';
import { lookAgain, metAnother } from './look-again.ts';
import { putTimelineEntry } from './timeline.ts';
import { transact } from './transact.ts';

/** Adds an entry to the timeline of a lead, archived or not; false when there is no such lead. One transaction of 2 items. */
export async function addToTimeline(
  table: Table,
  organizationId: number,
  leadId: number,
  entry: TimelineEntry,
): Promise<boolean> {
  return lookAgain(async () => {
    const { outcome } = await transact(table, [
      checkLeadExists(table, organizationId, leadId),
      putTimelineEntry(table, { organizationId, id: leadId }, entry),
    ]);
    return outcome === 'conflict' ? metAnother : outcome === 'written';
  });
}
