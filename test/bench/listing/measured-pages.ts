import { pathToFileURL } from 'node:url';
import { createApiKey } from '../../../shared/store/organizations/api-keys.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { longestChain, type RecordedCall, totalUnits } from '../../support/faults/calls.ts';
import type { DynamodbProxy } from '../../support/faults/proxy.ts';
import { eventOf, LambdaProcess } from '../lambda-process.ts';
import { resetBucket } from '../rate-limit-windows.ts';
import { sinceOf } from './generated-leads.ts';
import type { ListingQuestion } from './questions.ts';

/** What one page, or all pages of a walk together, took of DynamoDB beside admission's two writes. */
export interface PageCost {
  readonly leads: number;
  readonly question: string;
  readonly items: number;
  readonly calls: number;
  /** Calls that waited for one another, admission's among them. */
  readonly chain: number;
  readonly readUnits: number;
  /** What the units stand for: 4 KB consistent, 8 KB from an index. An upper bound of what was read. */
  readonly bytesRead: number;
  /** The most memory the function's process ever held. */
  readonly peakMb: number;
  readonly pages: number;
  /** Of the slowest page, with every DynamoDB call slowed down to 25 ms (4 ms in a walk). */
  readonly slowestMs: number;
  /** False where the measurement stopped before the walk's end: totals are of its first pages. */
  readonly isWhole: boolean;
}

export interface WalkCost extends PageCost {
  readonly largestPageBytes: number;
}

/** A function to measure, the proxy before its engine, and the engine's table. */
export interface MeasuredFunction {
  readonly bundleFile: string;
  readonly proxy: DynamodbProxy;
  readonly table: Table;
  readonly environment: Readonly<Record<string, string>>;
}

/** A reader's key: more walks than one key's 600 requests an hour are measured. */
const keyFor = async (table: Table, organizationId: number): Promise<string> =>
  (
    await createApiKey(table, {
      organizationId,
      type: 'application',
      scopes: ['leads.read'],
      label: 'bench',
      createdBy: 7,
      now: new Date(),
    })
  ).key;

const startFunction = ({ bundleFile, environment }: MeasuredFunction): Promise<LambdaProcess> =>
  LambdaProcess.start(pathToFileURL(bundleFile).href, environment);

const isPageRead = ({ operation }: RecordedCall): boolean => operation !== 'UpdateItem';

function costOf(
  calls: readonly RecordedCall[],
): Pick<PageCost, 'calls' | 'readUnits' | 'bytesRead'> {
  const reads = calls.filter(isPageRead);
  const bytes = (call: RecordedCall): number =>
    call.units.reads * (call.index === undefined ? 4096 : 8192);
  return {
    calls: reads.length,
    readUnits: totalUnits(reads).reads,
    bytesRead: reads.reduce((sum, call) => sum + bytes(call), 0),
  };
}

/** One page by a function of its own that is warm: it has answered a first page of this organization. */
export async function measurePage(
  given: MeasuredFunction,
  organizationId: number,
  leads: number,
  question: ListingQuestion,
): Promise<PageCost> {
  const apiKey = await keyFor(given.table, organizationId);
  const lambda = await startFunction(given);
  try {
    await lambda.invoke(eventOf('list-leads', { apiKey, query: { limit: 1 } }));
    const { result, calls } = await given.proxy.record(() =>
      lambda.invoke(eventOf('list-leads', { apiKey, query: question.query(leads) })),
    );
    const { items } = JSON.parse(result.answer.body) as { items: unknown[] };
    const chain = longestChain(calls);
    return {
      leads,
      question: question.name,
      items: items.length,
      ...costOf(calls),
      chain,
      peakMb: result.peakMb,
      pages: 1,
      slowestMs: result.ms,
      isWhole: true,
    };
  } finally {
    await lambda.stop();
  }
}

/** A sync job's walk, 100 leads a page, by one function; of a long one the first pages. */
export async function measureWalk(
  given: MeasuredFunction,
  organizationId: number,
  leads: number,
  name: string,
  changed: number,
  pagesMax: number,
): Promise<WalkCost> {
  const lambda = await startFunction(given);
  const total = {
    items: 0,
    calls: 0,
    chain: 0,
    readUnits: 0,
    bytesRead: 0,
    peakMb: 0,
    pages: 0,
    slowestMs: 0,
    largestPageBytes: 0,
  };
  let cursor: number | null = null;
  let apiKey = '';
  try {
    do {
      if (total.pages % 500 === 0) apiKey = await keyFor(given.table, organizationId);
      if (total.pages % 2500 === 0) await resetBucket(given.table, organizationId);
      const query = {
        limit: 100,
        updated_since: sinceOf(changed, leads),
        ...(cursor !== null && { cursor }),
      };
      const { result, calls } = await given.proxy.record(() =>
        lambda.invoke(eventOf('list-leads', { apiKey, query })),
      );
      const page = JSON.parse(result.answer.body) as {
        items: unknown[];
        nextCursor: number | null;
      };
      const cost = costOf(calls);
      total.items += page.items.length;
      total.calls += cost.calls;
      total.chain = Math.max(total.chain, longestChain(calls));
      total.readUnits += cost.readUnits;
      total.bytesRead += cost.bytesRead;
      total.peakMb = result.peakMb;
      total.slowestMs = Math.max(total.slowestMs, result.ms);
      total.largestPageBytes = Math.max(total.largestPageBytes, cost.bytesRead);
      total.pages += 1;
      cursor = page.nextCursor;
    } while (cursor !== null && total.pages < pagesMax);
    return { leads, question: name, ...total, isWhole: cursor === null };
  } finally {
    await lambda.stop();
  }
}
