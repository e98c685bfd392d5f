import { recordedRequest } from './counts.ts';
import type { ListingResult } from './listing/listing.ts';
import { growthOf } from './load.ts';
import type { Results } from './results.ts';
import type { RequestCost } from './side-by-side.ts';
import { shown } from './statistics.ts';
import type { ResultTable } from './tables.ts';

/** A goal of the design (sections 5, 7 and 8), and what this run found. */
interface Budget {
  readonly what: string;
  readonly goal: string;
  readonly figure: string;
  readonly isMet: boolean;
  /** Why it is missed, for when it is. */
  readonly why: string;
}

/** A page reads no more than this (design, section 5). */
export const pageMaxBytes = 4_000_000;
export const pageMaxUnits = pageMaxBytes / 4096;

const atMost = (what: string, goal: number, figure: number, why: string): Budget => ({
  what,
  goal: `≤ ${shown(goal)}`,
  figure: shown(figure, 3),
  isMet: figure <= goal,
  why,
});

function requestBudgets(
  request: string,
  { roundTrips, writeUnits, indexWriteUnits, readUnits }: RequestCost,
): Budget[] {
  const { roundTrips: trips, writes, indexEntries, reads } = recordedRequest(request);
  const why = 'see the side by side table';
  return [
    atMost(`${request}: round trips`, trips, roundTrips, why),
    atMost(`${request}: write units, table`, writes, writeUnits, why),
    atMost(`${request}: write units, indexes`, indexEntries, indexWriteUnits, why),
    atMost(`${request}: read units`, reads, readUnits, why),
  ];
}

function listingBudgets({ pages, heavy, walks, sizes }: ListingResult): Budget[] {
  const page = (question: string) => pages.filter((one) => one.question === question);
  const byStage = page('stage');
  const largestMb =
    Math.max(
      ...[...pages, ...heavy].map(({ bytesRead }) => bytesRead),
      ...walks.map(({ largestPageBytes }) => largestPageBytes),
    ) / 1e6;
  const slowest = [...pages, ...heavy, ...walks].reduce((a, b) =>
    b.slowestMs > a.slowestMs ? b : a,
  );
  const [middle = 0, largest = 0] = sizes.slice(-2);
  const questionsAsked = [...new Set(pages.map(({ question }) => question))];
  const growth = questionsAsked.map((question) => {
    // A page that gives more leads may read more: the price of one given.
    const unitsAt = (leads: number): number => {
      const { readUnits = Number.NaN, items = 1 } =
        page(question).find((one) => one.leads === leads) ?? {};
      return readUnits / Math.max(1, items);
    };
    return { question, factor: unitsAt(largest) / unitsAt(middle) };
  });
  const most = growth.reduce((a, b) => (b.factor > a.factor ? b : a));
  const memory = (leads: number): number =>
    Math.max(...pages.filter((one) => one.leads === leads).map(({ peakMb }) => peakMb));
  return [
    atMost(
      'list by stage, 25 leads: round trips',
      2,
      Math.max(...byStage.map(({ chain }) => chain)),
      '',
    ),
    atMost(
      'list by stage, 25 leads: read units',
      27,
      Math.max(...byStage.map(({ readUnits }) => readUnits)),
      '',
    ),
    atMost(
      'any page, leads of 345 KB too: MB read',
      pageMaxBytes / 1e6,
      largestMb,
      'a page overran its budget of bytes',
    ),
    {
      what: 'any page: seconds, each DynamoDB call slowed to 25 ms',
      goal: '≤ 1, and the call under way then',
      figure: `${shown(slowest.slowestMs / 1000, 2)} (${slowest.question}, ${shown(slowest.leads)} leads)`,
      isMet: slowest.slowestMs <= 1500,
      why: 'the budget is looked at between two calls, and the calls under way then took longer than their share on this machine',
    },
    {
      what: `read units of a page for each lead it gives, ${shown(largest)} leads against ${shown(middle)}`,
      goal: 'flat',
      figure: `at most × ${shown(most.factor, 2)} (${most.question})`,
      isMet: most.factor <= 1.05,
      why: `the same share of leads lies further apart among more ids, so that a page by "${most.question}" looks further; the budget of a page bounds it`,
    },
    {
      what: `peak memory of a page, ${shown(largest)} leads against ${shown(middle)}`,
      goal: 'flat',
      figure: `${shown(memory(largest), 0)} MB against ${shown(memory(middle), 0)} MB`,
      isMet: memory(largest) <= 1.1 * memory(middle),
      why: 'a page of the larger organization reads more, up to the budget of a page, and all that it reads is held once',
    },
  ];
}

/** Every budget with its measured value. */
export function budgetTable({ listing, coldStarts, sideBySide, load }: Results): ResultTable {
  const floor = coldStarts.find(({ name }) => name.includes('as the functions are built'));
  const budgets: Budget[] = [
    ...sideBySide.flatMap(({ request, service }) => requestBudgets(request, service)),
    ...listingBudgets(listing),
    ...coldStarts
      .filter(({ goal }) => goal !== undefined)
      .map(({ name, share, goal = 0 }) =>
        atMost(
          `${name}: import and first call, share of the naive client`,
          goal,
          share,
          `the client alone, built the same way, is at ${floor?.share.toFixed(2)}; the rest is the function's own modules and a first call that writes`,
        ),
      ),
    atMost(
      'load: errors',
      0,
      load.rounds.reduce((sum, { errors }) => sum + errors, load.memory.errors),
      'see the load table',
    ),
    {
      what: `memory over ${shown(load.memory.requests)} requests, last fifth over second fifth`,
      goal: 'flat (≤ 1.05)',
      figure: growthOf(load.memory.megabytes).toFixed(3),
      isMet: growthOf(load.memory.megabytes) <= 1.05,
      why: 'the worker threads of the local run fill their heaps until V8 collects them; a Lambda is one such heap',
    },
  ];
  return {
    title: 'Budgets',
    note: 'Goals are those of the design; units and round trips of requests are those of `counts.json`, which `test/budgets.integration.test.ts` asserts.',
    head: ['budget', 'goal', 'this run', '', 'why it is missed'],
    rows: budgets.map(({ what, goal, figure, isMet, why }) => [
      what,
      goal,
      figure,
      isMet ? 'met' : '**missed**',
      isMet ? '' : why,
    ]),
  };
}
