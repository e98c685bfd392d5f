import { pathToFileURL } from 'node:url';
import { longestChain, totalUnits } from '../../../support/faults/calls.ts';
import type { DynamodbProxy } from '../../../support/faults/proxy.ts';
import type { OrganizationWithoutKeys } from '../../../support/organizations.ts';
import { eventOf, LambdaProcess } from '../lambda-process.ts';
import { most } from '../results.ts';
import type { Query } from './lists.ts';

/** A function to measure, and the proxy in front of its engine. */
export interface MeasuredFunction {
  readonly bundleFile: string;
  readonly proxy: DynamodbProxy;
  readonly environment: Readonly<Record<string, string>>;
}

/** A list, and the organization that it is requested from. */
export interface List {
  readonly organization: OrganizationWithoutKeys;
  readonly leads: number;
  readonly by: string;
  readonly query: Query;
}

export type ListCost = Awaited<ReturnType<typeof measureList>>;

/**
 * Measures the first pages of a list, with a function of its own that is warm: it has served a page of this organization.
 * @returns what the pages cost in DynamoDB besides admission's two writes, and the most that a single page cost
 */
export async function measureList(
  given: MeasuredFunction,
  { organization, leads, by, query }: List,
  pagesMax: number,
) {
  const lambda = await LambdaProcess.start(pathToFileURL(given.bundleFile).href, given.environment);
  const pages: Awaited<ReturnType<typeof pageCost>>[] = [];
  let cursor: number | null = null;
  try {
    const { key: apiKey } = await organization.key();
    await lambda.invoke(eventOf('list-leads', { apiKey, query: { limit: 1 } }));
    do {
      const next: Query = cursor === null ? query : { ...query, cursor };
      pages.push(await pageCost(given.proxy, lambda, apiKey, next));
      cursor = pages.at(-1)?.nextCursor ?? null;
    } while (cursor !== null && pages.length < pagesMax);
  } finally {
    await lambda.stop();
  }
  const sum = (of: (page: (typeof pages)[number]) => number): number =>
    pages.reduce((total, page) => total + of(page), 0);
  const items = sum((page) => page.items);
  const readUnits = sum((page) => page.readUnits);
  return {
    by,
    isWhole: cursor === null,
    slowestMs: most(pages, ({ ms }) => ms),
    columns: {
      leads,
      pages: pages.length,
      given: items,
      calls: sum(({ calls }) => calls),
      chain: most(pages, ({ chain }) => chain),
      'read units': readUnits,
      /** A page that gives more leads may read more: the price of one given. */
      'units per lead given': readUnits / Math.max(1, items),
      'largest page, MB': most(pages, ({ megabytes }) => megabytes),
      'peak MB': most(pages, ({ peakMb }) => peakMb),
    },
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
    /** Calls that waited for one another, admission's among them. */
    chain: longestChain(calls),
    readUnits: totalUnits(reads).reads,
    /** What the units stand for: 4 KB consistent, 8 KB from an index. An upper bound of what was read. */
    megabytes: reads.reduce(
      (sum, { units, index }) => sum + (units.reads * (index === undefined ? 4096 : 8192)) / 1e6,
      0,
    ),
    /** The most memory the function's process ever held. */
    peakMb: result.peakMb,
    ms: result.ms,
  };
}
