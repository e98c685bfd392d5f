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

/** A goal of the design (sections 5, 7 and 8), the most that it allows, and the figure of this run. */
type Budget = readonly [what: string, goal: number, figure: number];

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
    ['list by stage, 25 leads: round trips', 2, most(by('stage'), ({ chain }) => chain)],
    ['list by stage, 25 leads: read units', 27, most(by('stage'), ({ readUnits }) => readUnits)],
    [
      'page with a rare filter: read units of a partition',
      750,
      most(by('field filter, 1 in 10,000'), ({ readUnits }) => readUnits),
    ],
    [
      'walk of 5 % changed leads: read units per lead given',
      1.5,
      most(
        walks.filter(({ question }) => question === '5 %'),
        unitsPerLead,
      ),
    ],
    [
      'any page, leads of 345 KB too: MB read',
      4,
      most(all, ({ largestPageBytes }) => largestPageBytes) / 1e6,
    ],
    [
      'any page: seconds, each DynamoDB call slowed to 25 ms (1, and the calls under way then)',
      1.5,
      most(all, ({ slowestMs }) => slowestMs) / 1000,
    ],
    [`read units of a page per lead given, ${sizesText}`, 1.05, Math.max(...growth)],
    [`peak memory of a page, ${sizesText}`, 1.1, peakMb(largest) / peakMb(middle)],
  ];
}

const functionBudgets = (coldStarts: readonly ColdStart[], warm: WarmResult): Budget[] => [
  ...coldStarts
    .filter(({ sameCallsShare }) => sameCallsShare !== undefined)
    .map(
      ({ name, share }): Budget => [
        `${name}: import and first call, share of the naive client`,
        0.8,
        share,
      ],
    ),
  [
    'any warm function: processor time, share of a bare handler making the same calls',
    1.3,
    most(warm.functions, ({ share }) => share),
  ],
  [
    `memory of a function over ${shown(warm.memory.requests)} captures, MB`,
    120,
    warm.memory.peakMb,
  ],
];

/** Every budget with its measured value. */
export function budgetTable({ listing, coldStarts, warm, load }: Results): ResultTable {
  const budgets: Budget[] = [
    ...listingBudgets(listing),
    ...functionBudgets(coldStarts, warm),
    [
      'load: errors',
      0,
      load.memory.errors + load.rounds.reduce((sum, { errors }) => sum + errors, 0),
    ],
    [
      `memory of the service over ${shown(load.memory.requests)} requests, last fifth over second fifth`,
      1.05,
      growthOf(load.memory.megabytes),
    ],
  ];
  return {
    title: 'Budgets',
    note: 'Goals are those of the design.',
    rows: budgets.map(([what, goal, figure]) => ({
      budget: what,
      goal: `≤ ${shown(goal)}`,
      'this run': shown(figure, 3),
      result: figure <= goal ? 'met' : '**missed**',
    })),
  };
}
