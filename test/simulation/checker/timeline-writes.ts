import { type Commit, kindOf } from './effects.ts';
import type { History, Write } from './history.ts';
import type { Plain } from './plain.ts';
import { leadKey, stateBefore } from './states.ts';

/** What is on a timeline stays as it is; an erasure alone removes it, or a person from it. */
export function timelineIssues(
  { pk, before, after, sk }: Write,
  { work, order, writes }: Commit,
  history: History,
): string[] {
  if (work.what === 'erase') {
    if (!before) return isEndOfTimeline(sk, after, writes) ? [] : ['added to a timeline'];
    return !after || isMasked(before, after)
      ? []
      : [`changed an entry of ${pk} by more than a name`];
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

const mask = '[erased]';

/** Whether a value is as before but for what was masked: parts of texts, or whole values of any kind. */
function isMasked(before: unknown, after: unknown): boolean {
  if (typeof after === 'string') return before === after || after.includes(mask);
  if (typeof before !== 'object' || typeof after !== 'object' || !before || !after)
    return before === after;
  const [one, other] = [Object.entries(before), Object.entries(after)];
  return (
    one.length === other.length &&
    one.every(([name, value]) => isMasked(value, (after as Plain)[name]))
  );
}
