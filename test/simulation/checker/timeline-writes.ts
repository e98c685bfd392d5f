import { type Commit, kindOf } from './effects.ts';
import { erasedTextIssues } from './erased-texts.ts';
import type { History, ObservedAction, Write } from './history.ts';
import type { Plain } from './plain.ts';
import { leadKey, stateBefore } from './states.ts';

/** What is on a timeline stays as it is; only an erasure removes it, or its person from it. */
export function timelineIssues(
  write: Write,
  { work, order, writes }: Commit,
  history: History,
): string[] {
  const { pk, before, after, sk } = write;
  if (work.what === 'erase') {
    if (!before) return isEndOfTimeline(sk, after, writes) ? [] : ['added to a timeline'];
    if (after) return erasedTextIssues(write, work as ObservedAction, history);
    return pk === `TIMELINE#${work.organizationId}#${(work as ObservedAction).options.leadId}`
      ? []
      : [`removed an entry of ${pk}`];
  }
  if (before || !after) return [`changed what is on the timeline ${pk}`];
  const [, organizationId, leadId] = pk.split('#');
  const lead = stateBefore(history, ...leadKey(Number(organizationId), Number(leadId)), order);
  const isLater = !lead || String(after.at) > String(lead.updatedAt) || work.what === 'import';
  return [
    ...(sk.startsWith(`${after.at}#`) ? [] : [`put an entry of ${after.at} at ${sk}`]),
    ...(isLater
      ? []
      : [`put an entry of ${after.at} on the timeline before the change of ${lead?.updatedAt}`]),
  ];
}

/**
 * The entry that an erasure ends a timeline with, later than all others, in the transaction that removes the lead: the audit log's has the
 * same id.
 */
const isEndOfTimeline = (sk: string, after: Plain | undefined, writes: readonly Write[]): boolean =>
  after?.type === 'erased' &&
  writes.some(
    (write) =>
      kindOf(write) === 'LEADS' &&
      !write.after &&
      String(after.at) > String(write.before?.updatedAt),
  ) &&
  writes.some((write) => kindOf(write) === 'HISTORY entry' && write.sk === sk);
