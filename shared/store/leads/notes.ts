import { changeTimeOf } from '../../leads/change-time.ts';
import type { TimelineEntry } from '../../leads/timeline.ts';
import type { Table } from '../table/client.ts';
import { leadPrimaryKey } from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { transact } from '../table/transact.ts';
import { checkChangedBefore } from './leads.ts';
import { putTimelineEntry } from './timeline.ts';

/**
 * Adds an entry to the timeline of a lead, archived or not, dated now but after the lead's last change. One transaction of 2 items and no
 * read; a second transaction if this function's clock is behind the lead's last change.
 * @returns the entry's time; undefined if there is no such lead
 * @throws ContentionError
 */
export async function addToTimeline(
  table: Table,
  organizationId: number,
  leadId: number,
  entryAt: (at: string) => TimelineEntry,
): Promise<string | undefined> {
  let at = new Date().toISOString();
  return retryOnConflict<string | undefined>(async () => {
    const written = await transact(table, [
      checkChangedBefore(table, organizationId, leadId, at),
      putTimelineEntry(table, { organizationId, id: leadId }, entryAt(at)),
    ]);
    if (written.outcome === 'written') return at;
    if (written.outcome === 'refused') {
      const lead = written.existing.get(leadPrimaryKey(organizationId, leadId));
      if (!lead) return undefined;
      at = changeTimeOf(lead, new Date()).toISOString();
    }
    return conflict;
  });
}
