import type { Results } from './budgets.ts';
import type { ListCost } from './listing/measured-pages.ts';
import { asMarkdown, shown } from './tables.ts';

type Figures = Readonly<Record<string, number>>;

/** What a later run compares with, by what was measured. */
export interface ExactRun {
  /** Round trips, calls, units and bytes: the same on every machine. */
  readonly counts: Figures;
  /** Milliseconds and shares of them: only information. */
  readonly times: Figures;
}

/** The figures of a run that a later run compares with. */
export const exactRun = ({ listing, coldStarts, warm, load }: Results): ExactRun => ({
  counts: {
    ...merged([...listing.pages, ...listing.heavy], (page) => listCounts('page', page)),
    ...merged(listing.walks, (walk) => listCounts('walk', walk)),
    ...merged(coldStarts, ({ name, bytes, calls }) => ({
      [`bundle of ${name}: bytes`]: bytes,
      [`first request of ${name}: calls`]: calls,
    })),
  },
  times: {
    ...merged(coldStarts, ({ name, importMs, firstMs, share }) => ({
      [`cold start of ${name}: ms`]: importMs + firstMs,
      [`cold start of ${name}: share of the naive client`]: share,
    })),
    ...merged(warm.functions, ({ name, functionMs, share }) => ({
      [`warm ${name}: processor time, ms`]: functionMs,
      [`warm ${name}: share of the bare handler`]: share,
    })),
    ...merged(load.rounds, ({ connections, perSecond, p99Ms }) => ({
      [`load, ${connections} connections: requests a second`]: perSecond,
      [`load, ${connections} connections: p99, ms`]: p99Ms,
    })),
  },
});

const merged = <One>(all: readonly One[], figuresOf: (one: One) => Figures): Figures =>
  Object.assign({}, ...all.map(figuresOf));

function listCounts(what: 'page' | 'walk', { question, leads, ...cost }: ListCost): Figures {
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
  const row = ({ name, before, now }: Figure) => ({
    figure: name,
    before: shown(before, 3),
    now: shown(now, 3),
    ratio: `× ${(now / before).toFixed(2)}`,
  });
  const tables = [
    {
      title: `Counts: ${counts.length} compared, ${different.length} different`,
      note: '',
      rows: different.map((figure) => ({
        ...row(figure),
        result: figure.now > figure.before ? 'MORE' : 'fewer',
      })),
    },
    {
      title: 'Times, which depend on the machine and decide nothing',
      note: '',
      rows: inBoth(before.times, now.times).map(row),
    },
  ];
  return { text: tables.map(asMarkdown).join('\n\n'), hasMore };
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
