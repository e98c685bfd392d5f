import type { Lead } from './lead.ts';

/**
 * The time of a change of a lead, or of a new entry of its timeline: `now`, but at least one millisecond after the lead's last change. The
 * functions' clocks differ: a slow one must not set `updatedAt` back, nor order an entry before the one that it follows. Entries of the
 * same millisecond have no order.
 */
export const changeTimeOf = ({ updatedAt }: Pick<Lead, 'updatedAt'>, now: Date): Date =>
  new Date(Math.max(now.getTime(), Date.parse(updatedAt) + 1));
