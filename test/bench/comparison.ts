import type { PageCost } from './listing/measured-pages.ts';
import type { Results } from './results.ts';
import type { RequestCost } from './side-by-side.ts';
import { shown } from './statistics.ts';
import { asText } from './tables.ts';

type Figures = Readonly<Record<string, number>>;

/** What a later run compares with, by what was measured. */
export interface ExactRun {
  /** Round trips, calls, units and bytes: the same on every machine. */
  readonly counts: Figures;
  /** Milliseconds and shares of them: only information. */
  readonly times: Figures;
}

/** The figures of a run that a later run compares with. */
export function exactRun({
  listing,
  coldStarts,
  warmCpu,
  sideBySide,
  load,
  admin,
}: Results): ExactRun {
  const pages = [...listing.pages, ...listing.heavy];
  return {
    counts: {
      ...merged(sideBySide, ({ request, service }) => requestCounts(request, service)),
      ...merged(pages, (page) => pageCounts('page', page)),
      ...merged(listing.walks, (walk) => pageCounts('walk', walk)),
      ...merged(coldStarts, ({ name, bytes, calls }) => ({
        [`bundle of ${name}: bytes`]: bytes,
        [`first request of ${name}: calls`]: calls,
      })),
    },
    times: {
      ...merged(sideBySide, ({ request, service }) => ({
        [`${request}: latency, ms`]: service.latencyMs,
        [`${request}: processor time, ms`]: service.cpuMs,
      })),
      ...merged(coldStarts, ({ name, totalMs, share }) => ({
        [`cold start of ${name}: ms`]: totalMs,
        [`cold start of ${name}: share of the naive client`]: share,
      })),
      ...merged(warmCpu.functions, ({ name, functionMs, share }) => ({
        [`warm ${name}: processor time, ms`]: functionMs,
        [`warm ${name}: share of the bare handler`]: share,
      })),
      ...merged(load.rounds, ({ connections, perSecond, p99Ms }) => ({
        [`load, ${connections} connections: requests a second`]: perSecond,
        [`load, ${connections} connections: p99, ms`]: p99Ms,
      })),
      'an admin command to its first line, least: ms': admin.firstLineMs.least,
      'an import: rows a second': admin.importedRows / admin.importSeconds,
    },
  };
}

const merged = <One>(all: readonly One[], figuresOf: (one: One) => Figures): Figures =>
  Object.assign({}, ...all.map(figuresOf));

const requestCounts = (request: string, cost: RequestCost): Figures => ({
  [`${request}: round trips`]: cost.roundTrips,
  [`${request}: calls`]: cost.calls,
  [`${request}: write units, table`]: cost.writeUnits,
  [`${request}: write units, indexes`]: cost.indexWriteUnits,
  [`${request}: read units`]: cost.readUnits,
});

function pageCounts(what: 'page' | 'walk', { question, leads, ...cost }: PageCost): Figures {
  const name = `${what} by ${question}, ${shown(leads)} leads`;
  return {
    [`${name}: ${what === 'page' ? 'round trips' : 'most round trips of a page'}`]: cost.chain,
    [`${name}: calls`]: cost.calls,
    [`${name}: read units`]: cost.readUnits,
    [`${name}: bytes`]: cost.bytesRead,
  };
}

/** A run set beside an earlier one. Only what both have measured is compared, and only counts decide. */
export function comparison(before: ExactRun, now: ExactRun): { text: string; hasMore: boolean } {
  const counts = inBoth(before.counts, now.counts);
  const different = counts.filter((figure) => figure.now !== figure.before);
  const hasMore = different.some((figure) => figure.now > figure.before);
  const row = ({ name, before, now }: Figure): string[] => [
    name,
    shown(before, 3),
    shown(now, 3),
    `× ${(now / before).toFixed(2)}`,
  ];
  const head = ['', 'before', 'now', 'ratio'];
  const countRows = different.map((figure) => [
    ...row(figure),
    figure.now > figure.before ? 'MORE' : 'fewer',
  ]);
  const tables = [
    {
      title: `Counts: ${counts.length} compared, ${different.length} different`,
      note: '',
      head: [...head, ''],
      rows: countRows,
    },
    {
      title: 'Times, which depend on the machine and decide nothing',
      note: '',
      head,
      rows: inBoth(before.times, now.times).map(row),
    },
  ];
  return { text: tables.map(asText).join('\n\n'), hasMore };
}

interface Figure {
  readonly name: string;
  readonly before: number;
  readonly now: number;
}

const inBoth = (before: Figures, now: Figures): Figure[] =>
  Object.entries(now).flatMap(([name, figure]) => {
    const earlier = before[name];
    return earlier === undefined ? [] : [{ name, before: earlier, now: figure }];
  });
