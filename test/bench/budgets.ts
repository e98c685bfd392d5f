import type { ColdStart } from './cold-start/cold-start.ts';
import type { WarmResult } from './cold-start/warm-cpu.ts';
import type { ListingResult } from './listing/listing.ts';
import type { ListCost } from './listing/measured-pages.ts';
import { growthOf, type LoadResult } from './load.ts';
import { type ResultTable, shown } from './tables.ts';

/** All results of one run. */
export interface Results {
  readonly coldStarts: readonly ColdStart[];
  readonly warm: WarmResult;
  readonly listing: ListingResult;
  readonly load: LoadResult;
}

/** A goal of the design (sections 5, 7 and 8), and the figure of this run. */
interface Budget {
  readonly what: string;
  readonly goal: number;
  readonly figure: number;
}

const most = <One>(all: readonly One[], figureOf: (one: One) => number): number =>
  Math.max(...all.map(figureOf));

/** A page that gives more leads may read more: the price of one given. */
const unitsPerLead = ({ readUnits, items }: ListCost): number => readUnits / Math.max(1, items);

function listingBudgets({ pages, heavy, walks, sizes }: ListingResult): Budget[] {
  const by = (question: string) => pages.filter((one) => one.question === question);
  const all = [...pages, ...heavy, ...walks];
  const [middle = 0, largest = 0] = sizes.slice(-2);
  const atSize = (leads: number) => pages.filter((one) => one.leads === leads);
  const growth = atSize(largest).map((page) => {
    const before = atSize(middle).find(({ question }) => question === page.question);
    return before ? unitsPerLead(page) / unitsPerLead(before) : 1;
  });
  const peakMb = (leads: number): number => most(atSize(leads), (page) => page.peakMb);
  const sizesText = `${shown(largest)} leads against ${shown(middle)}`;
  return [
    {
      what: 'list by stage, 25 leads: round trips',
      goal: 2,
      figure: most(by('stage'), ({ chain }) => chain),
    },
    {
      what: 'list by stage, 25 leads: read units',
      goal: 27,
      figure: most(by('stage'), ({ readUnits }) => readUnits),
    },
    {
      what: 'page with a rare filter: read units of a partition',
      goal: 750,
      figure: most(by('field filter, 1 in 10,000'), ({ readUnits }) => readUnits),
    },
    {
      what: 'walk of 5 % changed leads: read units per lead given',
      goal: 1.5,
      figure: most(
        walks.filter(({ question }) => question === '5 %'),
        unitsPerLead,
      ),
    },
    {
      what: 'any page, leads of 345 KB too: MB read',
      goal: 4,
      figure: most(all, ({ largestPageBytes }) => largestPageBytes) / 1e6,
    },
    {
      what: 'any page: seconds, each DynamoDB call slowed to 25 ms (1, and the calls under way then)',
      goal: 1.5,
      figure: most(all, ({ slowestMs }) => slowestMs) / 1000,
    },
    {
      what: `read units of a page per lead given, ${sizesText}`,
      goal: 1.05,
      figure: Math.max(...growth),
    },
    {
      what: `peak memory of a page, ${sizesText}`,
      goal: 1.1,
      figure: peakMb(largest) / peakMb(middle),
    },
  ];
}

const functionBudgets = (coldStarts: readonly ColdStart[], warm: WarmResult): Budget[] => [
  ...coldStarts
    .filter(({ sameCallsShare }) => sameCallsShare !== undefined)
    .map(({ name, share }) => ({
      what: `${name}: import and first call, share of the naive client`,
      goal: 0.8,
      figure: share,
    })),
  {
    what: 'any warm function: processor time, share of a bare handler making the same calls',
    goal: 1.3,
    figure: most(warm.functions, ({ share }) => share),
  },
  {
    what: `memory of a function over ${shown(warm.memory.requests)} captures, MB`,
    goal: 120,
    figure: warm.memory.peakMb,
  },
];

/** Every budget with its measured value. */
export function budgetTable({ listing, coldStarts, warm, load }: Results): ResultTable {
  const budgets: Budget[] = [
    ...listingBudgets(listing),
    ...functionBudgets(coldStarts, warm),
    {
      what: 'load: errors',
      goal: 0,
      figure: load.memory.errors + load.rounds.reduce((sum, { errors }) => sum + errors, 0),
    },
    {
      what: `memory of the service over ${shown(load.memory.requests)} requests, last fifth over second fifth`,
      goal: 1.05,
      figure: growthOf(load.memory.megabytes),
    },
  ];
  return {
    title: 'Budgets',
    note: 'Goals are those of the design.',
    rows: budgets.map(({ what, goal, figure }) => ({
      budget: what,
      goal: `≤ ${shown(goal)}`,
      'this run': shown(figure, 3),
      result: figure <= goal ? 'met' : '**missed**',
    })),
  };
}
