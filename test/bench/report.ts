import { budgetTable, type Results } from './budgets.ts';
import type { ColdStart } from './cold-start/cold-start.ts';
import type { WarmResult } from './cold-start/warm-cpu.ts';
import type { ListingResult } from './listing/listing.ts';
import type { ListCost } from './listing/measured-pages.ts';
import { growthOf, type LoadResult } from './load.ts';
import { asMarkdown, type ResultTable, shown } from './tables.ts';

/** The results as the blocks of a Markdown page. */
export const blocksOf = (results: Results): string[] => [
  'Calls, units and bytes are exact and the same on every machine. Times are not: read them as ratios within this run. Units are those that the engine, dynoxide, reports. `npm test` asserts the calls and units of each endpoint ([`counts.json`](counts.json)).',
  asMarkdown(budgetTable(results)),
  '## Lists at any size',
  `Leads of 0.8 KB, written as a DynamoDB export and imported into the engine (${results.listing.importSeconds.toFixed(0)} s). Their IDs and times of change are spread so that every share is the same at every size. "1 in 10,000" is the share of all leads. "Owner and source" is the worst join: two lists of half the leads each that interleave and share one lead in 10,000.`,
  ...listingTables(results.listing).map(asMarkdown),
  '## Cold start and processor time',
  'Profiles, and what was tried: [`PROFILE.md`](PROFILE.md).',
  asMarkdown(coldStartTable(results.coldStarts)),
  asMarkdown(warmTable(results.warm)),
  '## Load',
  asMarkdown(loadTable(results.load)),
];

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(2);

function listingTables({ pages, heavy, walks }: ListingResult): ResultTable[] {
  const pageRow = ({ question, leads, items, calls, ...cost }: ListCost) => ({
    'list by': question,
    leads,
    given: items,
    calls,
    chain: cost.chain,
    'read units': cost.readUnits,
    'MB read': megabytes(cost.bytesRead),
    'peak MB': shown(cost.peakMb, 0),
  });
  return [
    {
      title: 'A page, by the size of the organization',
      note: 'Calls and units are those of the page; admission adds two writes beside the first. The chain counts both. MB read is what the units stand for, an upper bound. Peak MB is the most memory that the whole process ever held.',
      rows: pages.map(pageRow),
    },
    {
      title: 'A page of leads of 345 KB',
      note: 'An organization of 60 of the largest leads: a page gives what its budget holds, and goes on with the next.',
      rows: heavy.map(pageRow),
    },
    {
      title: 'Whole walks of a sync job',
      note: '`updated_since` with 100 leads a page, by one warm function. A walk marked "first pages" was measured only that far; its totals are of those pages.',
      rows: walks.map(({ question, leads, pages: count, items, calls, ...cost }) => ({
        changed: cost.isWhole ? question : `${question}, first pages`,
        leads,
        pages: count,
        given: items,
        calls,
        'read units': shown(cost.readUnits, 0),
        'units per lead given': cost.readUnits / Math.max(1, items),
        'largest page, MB': megabytes(cost.largestPageBytes),
        'peak MB': shown(cost.peakMb, 0),
      })),
    },
  ];
}

const coldStartTable = (coldStarts: readonly ColdStart[]): ResultTable => ({
  title: 'Cold start',
  note: "A fresh process imports the bundle and answers its first request; a stub of DynamoDB answers at once. Milliseconds are of this run on this machine. *First call* is the share of the naive client-only bundle's processor time up to the first answer of DynamoDB. *Same calls* compares the whole first request with a naive bundle that makes the same calls and nothing else. Shares are of the fastest round, since other work on the machine can only add.",
  rows: coldStarts.map(({ name, bytes, importMs, firstMs, cpuMs, calls, ...cost }) => ({
    bundle: name,
    KB: shown(bytes / 1000, 1),
    'import ms': importMs.toFixed(1),
    'first request ms': firstMs.toFixed(1),
    'CPU ms': cpuMs.toFixed(1),
    calls,
    'first call': cost.share.toFixed(2),
    'same calls': cost.sameCallsShare?.toFixed(2) ?? '',
  })),
});

const warmTable = ({ functions, memory }: WarmResult): ResultTable => ({
  title: 'Processor time of a warm request',
  note: `In turn with a bare handler that makes the same DynamoDB calls with the SDK's client, in parallel where the function does, and nothing else. Memory of one function over ${shown(memory.requests)} captures: at most ${memory.fifthMb.toFixed(0)} MB after a fifth of them, ${memory.peakMb.toFixed(0)} MB after all.`,
  rows: functions.map(({ name, calls, functionMs, bareMs, share }) => ({
    function: name,
    calls,
    'CPU ms': functionMs.toFixed(2),
    'bare CPU ms': bareMs.toFixed(2),
    share: share.toFixed(2),
  })),
});

const loadTable = ({
  rounds,
  memory: { megabytes: seen, ...memory },
}: LoadResult): ResultTable => ({
  title: 'Load on the local service',
  note: `Reads, lists, notes and captures in turn, of one organization, with raised limits. Client, gateway, functions and engine share the machine. Memory of the service over ${shown(memory.requests)} further requests on 8 connections: ${shown(seen[0] ?? 0, 0)} MB after the first part, ${shown(seen.at(-1) ?? 0, 0)} MB at the end; the last fifth over the second fifth: ${growthOf(seen).toFixed(3)}; errors: ${memory.errors}.`,
  rows: rounds.map(({ connections, requests, perSecond, p50Ms, p99Ms, errors }) => ({
    connections,
    requests,
    'per second': perSecond,
    'p50 ms': p50Ms,
    'p99 ms': p99Ms,
    errors,
  })),
});
