import type { Lead } from './api-types.ts';
import type { Clock } from './clock.ts';

/** A page of leads that changed, and where to continue. */
export interface ChangedLeads {
  readonly leads: readonly Lead[];
  /**
   * Store it once the leads are stored: the next call of `changedLeads` continues there, in a later run or after a crash. It is a
   * date-time at the end of a run, and longer in the middle of one.
   */
  readonly position: string;
}

/** One page of the list, with the service's time when the request was sent. */
export interface DatedPage {
  readonly items: readonly Lead[];
  readonly nextCursor: number | null;
  readonly readAt: number;
}

type ReadPage = (query: {
  readonly updated_since?: string;
  readonly cursor?: number;
}) => Promise<DatedPage>;

/**
 * A change is dated just before it is committed, and an index lags the table (README, "Use it"): each run starts a minute before the
 * start of the one before. The minute also covers clocks that differ.
 */
const overlapMs = 60_000;

interface Position {
  /** Everything that changed earlier has been read. Undefined: nothing has. */
  readonly since: string | undefined;
  /** The run under way: its start, and the cursor of its next page. */
  readonly run: { readonly startedAt: string; readonly cursor: number } | undefined;
}

/** Reads every page of leads that changed since the position. @throws TypeError for a position that is neither a date-time nor its own */
export async function* changedLeads(
  readPage: ReadPage,
  position: string | undefined,
): AsyncGenerator<ChangedLeads, void, undefined> {
  const { since, run } = parsePosition(position);
  let { startedAt, cursor } = run ?? {};
  for (;;) {
    const { items, nextCursor, readAt } = await readPage({
      ...(since !== undefined && { updated_since: isoTime(Date.parse(since) - overlapMs) }),
      ...(cursor !== undefined && { cursor }),
    });
    startedAt ??= isoTime(readAt);
    // What changes during this run belongs to the next one.
    if (nextCursor === null) return yield { leads: items, position: startedAt };
    cursor = nextCursor;
    yield { leads: items, position: `${since ?? ''}/${startedAt}/${cursor}` };
  }
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

function parsePosition(position: string | undefined): Position {
  if (position === undefined) return { since: undefined, run: undefined };
  const [since = '', startedAt, cursor] = position.split('/');
  const isRun = startedAt !== undefined && /^\d{1,10}$/.test(cursor ?? '');
  const times = isRun ? [since, startedAt].filter((time) => time !== '') : [position];
  if (times.length === 0 || times.some((time) => Number.isNaN(Date.parse(time))))
    throw new TypeError(
      `'${position}' is not a position: use one that changedLeads returned, or a date-time such as 2026-01-31T09:30:00Z.`,
    );
  return {
    since: since === '' ? undefined : since,
    run: isRun ? { startedAt, cursor: Number(cursor) } : undefined,
  };
}

/**
 * The service's time when it began to answer: its `Date` header, less the whole request's duration. Without the header, the time of
 * this machine.
 */
export function serviceTime(headers: Headers, sentAt: number, clock: Clock): number {
  const now = clock.now();
  const date = Date.parse(headers.get('Date') ?? '');
  return (Number.isNaN(date) ? now : date) - (now - sentAt);
}
