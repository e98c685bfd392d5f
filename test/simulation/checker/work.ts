/** A request or a command that begins now, before anything was observed of it. */
export const newWork = (id: string, what: string, organizationId: number, now: number) => ({
  id,
  what,
  organizationId,
  startedAt: now,
  endedAt: Number.POSITIVE_INFINITY,
  handledUntil: Number.POSITIVE_INFINITY,
  writes: [],
  faults: [],
  earlierFaults: 0,
  conflicts: 0,
  calls: 0,
  lateCalls: [],
});
