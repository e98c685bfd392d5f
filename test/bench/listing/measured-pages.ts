import { pathToFileURL } from 'node:url';
import type { Table } from '../../../shared/store/table/client.ts';
import { longestChain, totalUnits } from '../../support/faults/calls.ts';
import type { DynamodbProxy } from '../../support/faults/proxy.ts';
import { eventOf, LambdaProcess } from '../lambda-process.ts';
import { givenApiKey } from '../measuring.ts';
import type { Query } from './questions.ts';

/** What one page, or all pages of a walk together, took of DynamoDB beside admission's two writes. */
export interface ListCost {
  readonly leads: number;
  readonly question: string;
  readonly items: number;
  readonly calls: number;
  /** Calls that waited for one another, admission's among them; of a walk the most of a page. */
  readonly chain: number;
  readonly readUnits: number;
  /** What the units stand for: 4 KB consistent, 8 KB from an index. An upper bound of what was read. */
  readonly bytesRead: number;
  readonly largestPageBytes: number;
  /** The most memory the function's process ever held. */
  readonly peakMb: number;
  readonly pages: number;
  /** Of the slowest page, with every DynamoDB call slowed down. */
  readonly slowestMs: number;
  /** False where the measurement stopped before the walk's end: totals are of its first pages. */
  readonly isWhole: boolean;
}

/** A function to measure, the proxy before its engine, and the engine's table. */
export interface MeasuredFunction {
  readonly bundleFile: string;
  readonly proxy: DynamodbProxy;
  readonly table: Table;
  readonly environment: Readonly<Record<string, string>>;
}

export interface MeasuredList {
  readonly organizationId: number;
  readonly leads: number;
  readonly question: string;
  readonly query: Query;
}

/** The first pages of a list, by a warm function of its own: it has answered a page of this organization. */
export async function measureList(
  given: MeasuredFunction,
  { organizationId, leads, question, query }: MeasuredList,
  pagesMax: number,
): Promise<ListCost> {
  const lambda = await LambdaProcess.start(pathToFileURL(given.bundleFile).href, given.environment);
  const costs: Awaited<ReturnType<typeof pageCost>>[] = [];
  let cursor: number | null = null;
  try {
    const { key: apiKey } = await givenApiKey(given.table, organizationId);
    await lambda.invoke(eventOf('list-leads', { apiKey, query: { limit: 1 } }));
    do {
      const cost = await pageCost(given.proxy, lambda, apiKey, {
        ...query,
        ...(cursor !== null && { cursor }),
      });
      costs.push(cost);
      cursor = cost.nextCursor;
    } while (cursor !== null && costs.length < pagesMax);
  } finally {
    await lambda.stop();
  }
  const sum = (of: (cost: (typeof costs)[number]) => number): number =>
    costs.reduce((total, cost) => total + of(cost), 0);
  const most = (of: (cost: (typeof costs)[number]) => number): number => Math.max(...costs.map(of));
  return {
    leads,
    question,
    items: sum(({ items }) => items),
    calls: sum(({ calls }) => calls),
    chain: most(({ chain }) => chain),
    readUnits: sum(({ readUnits }) => readUnits),
    bytesRead: sum(({ bytesRead }) => bytesRead),
    largestPageBytes: most(({ bytesRead }) => bytesRead),
    peakMb: most(({ peakMb }) => peakMb),
    pages: costs.length,
    slowestMs: most(({ ms }) => ms),
    isWhole: cursor === null,
  };
}

async function pageCost(proxy: DynamodbProxy, lambda: LambdaProcess, apiKey: string, query: Query) {
  const { result, calls } = await proxy.record(() =>
    lambda.invoke(eventOf('list-leads', { apiKey, query })),
  );
  const page = JSON.parse(result.answer.body) as { items: unknown[]; nextCursor: number | null };
  const reads = calls.filter(({ operation }) => operation !== 'UpdateItem');
  return {
    items: page.items.length,
    nextCursor: page.nextCursor,
    calls: reads.length,
    chain: longestChain(calls),
    readUnits: totalUnits(reads).reads,
    bytesRead: reads.reduce(
      (sum, { units, index }) => sum + units.reads * (index === undefined ? 4096 : 8192),
      0,
    ),
    peakMb: result.peakMb,
    ms: result.ms,
  };
}
