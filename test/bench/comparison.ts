import type { Results } from './budgets.ts';
import type { ListCost } from './listing/measured-pages.ts';
import { asMarkdown, shown } from './tables.ts';

type Figures = Readonly<Record<string, number>>;

/** What a later run compares with: round trips, calls, units and bytes, which are the same on every machine. */
export interface ExactRun {
  readonly counts: Figures;
}

export const exactRun = ({ listing, coldStarts }: Results): ExactRun => ({
  counts: {
    ...merged([...listing.pages, ...listing.heavy], (page) => listCounts('page', page)),
    ...merged(listing.walks, (walk) => listCounts('walk', walk)),
    ...merged(coldStarts, ({ name, bytes, calls }) => ({
      [`bundle of ${name}: bytes`]: bytes,
      [`first request of ${name}: calls`]: calls,
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

/** A run set beside an earlier one. Only what both have measured is compared. */
export function comparison(before: ExactRun, now: ExactRun): { text: string; hasMore: boolean } {
  const both = Object.keys(now.counts).filter((name) => before.counts[name] !== undefined);
  const figures = both.map((name) => ({
    name,
    before: before.counts[name] ?? 0,
    now: now.counts[name] ?? 0,
  }));
  const different = figures.filter((one) => one.now !== one.before);
  const table = {
    title: `Counts: ${figures.length} compared, ${different.length} different`,
    note: '',
    rows: different.map((one) => ({
      figure: one.name,
      before: shown(one.before, 3),
      now: shown(one.now, 3),
      ratio: `× ${(one.now / one.before).toFixed(2)}`,
      result: one.now > one.before ? 'MORE' : 'fewer',
    })),
  };
  return { text: asMarkdown(table), hasMore: different.some((one) => one.now > one.before) };
}
