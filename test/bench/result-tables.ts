import type { ColdStart } from './cold-start/cold-start.ts';
import type { WarmResult } from './cold-start/warm-cpu.ts';
import type { ListingResult } from './listing/listing.ts';
import type { PageCost } from './listing/measured-pages.ts';
import { growthOf, type LoadResult } from './load.ts';
import type { Comparison } from './side-by-side.ts';
import { median, shown } from './statistics.ts';
import type { ResultTable } from './tables.ts';

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(2);

export function listingTables({ pages, heavy, walks }: ListingResult): ResultTable[] {
  const pageRow = ({
    question,
    leads,
    items,
    calls,
    chain,
    readUnits,
    bytesRead,
    peakMb,
  }: PageCost): string[] => [
    question,
    ...[leads, items, calls, chain, readUnits].map((number) => shown(number)),
    megabytes(bytesRead),
    shown(peakMb, 0),
  ];
  const head = ['list by', 'leads', 'given', 'calls', 'chain', 'read units', 'MB read', 'peak MB'];
  return [
    {
      title: 'A page, by the size of the organization',
      note: 'Calls and units are those of the page; admission adds two writes beside the first. The chain counts both. MB read is what the units stand for, an upper bound. Peak MB is the most memory that the whole process ever held; a process that has answered one page of one lead holds 86.',
      head,
      rows: pages.map(pageRow),
    },
    {
      title: 'A page of leads of 345 KB',
      note: 'An organization of 60 of the largest leads: a page gives what its budget holds, and goes on with the next.',
      head,
      rows: heavy.map(pageRow),
    },
    {
      title: 'Whole walks of a sync job',
      note: '`updated_since` with 100 leads a page, by one warm function. A walk that says "first pages" was measured as far as that; its totals are of those pages.',
      head: [
        'changed',
        'leads',
        'pages',
        'given',
        'calls',
        'read units',
        'units per lead given',
        'largest page, MB',
        'peak MB',
      ],
      rows: walks.map(
        ({
          question,
          leads,
          pages: count,
          items,
          calls,
          readUnits,
          largestPageBytes,
          peakMb,
          isWhole,
        }) => [
          isWhole ? question : `${question}, first pages`,
          ...[leads, count, items, calls, readUnits].map((number) => shown(number, 0)),
          shown(readUnits / Math.max(1, items)),
          megabytes(largestPageBytes),
          shown(peakMb, 0),
        ],
      ),
    },
  ];
}

export function coldStartTable(coldStarts: readonly ColdStart[]): ResultTable {
  return {
    title: 'Cold start',
    note: "A fresh process imports the bundle and answers its first request; a stub of DynamoDB answers at once. Milliseconds are of this run on this machine and compare with nothing else. *First call* is the share of the naive client-only bundle's processor time up to the first answer of DynamoDB, which the goal speaks of; shares are of the least of all rounds, since other work on the machine can only add. *Same calls* sets the whole first request against a naive bundle that makes the same calls and nothing else.",
    head: [
      'bundle',
      'KB',
      'import ms',
      'first request ms',
      'CPU ms',
      'calls',
      'first call',
      'goal',
      'same calls',
    ],
    rows: coldStarts.map(
      ({ name, bytes, importMs, firstMs, cpuMs, calls, share, goal, sameCallsShare }) => [
        name,
        shown(bytes / 1000, 1),
        importMs.toFixed(1),
        firstMs.toFixed(1),
        cpuMs.toFixed(1),
        String(calls),
        share.toFixed(2),
        goal?.toFixed(2) ?? '',
        sameCallsShare?.toFixed(2) ?? '',
      ],
    ),
  };
}

export function warmCpuTable({ functions, memory }: WarmResult): ResultTable {
  const clientMs = median(functions.map(({ calls, bareMs, rawMs }) => (bareMs - rawMs) / calls));
  return {
    title: 'Processor time of a warm request',
    note: `In turn with a bare handler that makes the same DynamoDB calls with the SDK's client, in parallel where the function does, and nothing else; and with a raw handler that signs and sends the same requests without the SDK. The SDK's client costs ${clientMs.toFixed(2)} ms of processor time a call beyond signing and sending. One function over ${shown(memory.requests)} captures: at most ${memory.fifthMb.toFixed(0)} MB after a fifth of them, ${memory.peakMb.toFixed(0)} MB after all.`,
    head: ['function', 'calls', 'CPU ms', 'bare CPU ms', 'share', 'raw CPU ms'],
    rows: functions.map(({ name, calls, functionMs, bareMs, share, rawMs }) => [
      name,
      String(calls),
      functionMs.toFixed(2),
      bareMs.toFixed(2),
      share.toFixed(2),
      rawMs.toFixed(2),
    ]),
  };
}

export function sideBySideTable(comparisons: readonly Comparison[]): ResultTable {
  const pair = (a: number, b: number, digits?: number): string =>
    `${shown(a, digits)} / ${shown(b, digits)}`;
  return {
    title: 'Side by side with the assembled stack',
    note: 'This service / the assembled stack, medians; write units are those of the table and, after the plus, of its indexes.',
    head: [
      'request',
      'round trips',
      'calls',
      'latency ms',
      'ratio',
      'CPU ms',
      'write units',
      'read units',
      '$ per million',
    ],
    rows: comparisons.map(({ request, service: a, assembled: b }) => [
      request,
      pair(a.roundTrips, b.roundTrips),
      pair(a.calls, b.calls),
      pair(a.latencyMs, b.latencyMs),
      (a.latencyMs / b.latencyMs).toFixed(2),
      pair(a.cpuMs, b.cpuMs),
      `${a.writeUnits}+${a.indexWriteUnits} / ${b.writeUnits}+${b.indexWriteUnits}`,
      pair(a.readUnits, b.readUnits),
      `${a.dollars.total.toFixed(2)} / ${b.dollars.total.toFixed(2)}`,
    ]),
  };
}

export function loadTable({ rounds, memory }: LoadResult): ResultTable {
  const { megabytes: seen } = memory;
  return {
    title: 'Load on the local service',
    note: `Reads, lists, notes and captures in turn, over 60 organizations and 240 keys, so that no limit is met and no bucket is reset. Client, gateway, functions (each with as many worker threads as processors, from 2 to 8) and engine share the machine. Memory of the service over ${shown(memory.requests)} further requests on 8 connections: ${shown(seen[0] ?? 0, 0)} MB after the first part, ${shown(seen.at(-1) ?? 0, 0)} MB at the end; the last fifth over the second fifth: ${growthOf(seen).toFixed(3)}; errors: ${memory.errors}.`,
    head: [
      'connections',
      'requests',
      'per second',
      'p50 ms',
      'p99 ms',
      'functions CPU ms',
      'gateway CPU ms',
      'engine CPU ms',
      'client CPU ms',
      'errors',
    ],
    rows: rounds.map((round) =>
      [
        round.connections,
        round.requests,
        round.perSecond,
        round.p50Ms,
        round.p99Ms,
        round.serviceCpuMs - round.gatewayCpuMs,
        round.gatewayCpuMs,
        round.engineCpuMs,
        round.clientCpuMs,
        round.errors,
      ].map((number) => shown(number)),
    ),
  };
}
