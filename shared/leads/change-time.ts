import type { Lead } from './lead.ts';

/**
 * When a change of a lead happens, or an entry is added to its timeline: `now`, but always after the lead's last change. Every function has a
 * clock of its own; one that is behind must not set `updatedAt` back, nor put an entry before what it follows. After, and not at the
 * same millisecond: there entries stand in any order.
 */
export const changeTimeOf = ({ updatedAt }: Pick<Lead, 'updatedAt'>, now: Date): Date =>
  new Date(Math.max(now.getTime(), Date.parse(updatedAt) + 1));
