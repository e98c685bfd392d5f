import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleFunction } from '../../../infra/bundle/bundle.ts';
import { dynoxide } from '../../../infra/local/dynoxide.ts';
import { clientConfig } from '../../../infra/local/table.ts';
import { parseSettingsFile } from '../../../shared/organization/settings.ts';
import type { Settings } from '../../../shared/organization/settings-types.ts';
import { createApiKey } from '../../../shared/store/organizations/api-keys.ts';
import { applySettings } from '../../../shared/store/organizations/apply-settings.ts';
import { openTable, type Table } from '../../../shared/store/table/client.ts';
import { longestChain, type RecordedCall, totalUnits } from '../../support/faults/calls.ts';
import { type DynamodbProxy, startDynamodbProxy } from '../../support/faults/proxy.ts';
import { eventOf, LambdaProcess } from '../lambda-process.ts';
import { progress } from '../progress.ts';
import { resetBucket } from '../rate-limit-windows.ts';
import { generatedLead, heavyLead, listedSettings, sinceOf } from './generated-leads.ts';
import { importTable, type Population } from './imported-table.ts';
import { type ListingQuestion, largestFilter, mostOptions, questions, walkShares } from './questions.ts';

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

export interface ListingResult {
  readonly sizes: readonly number[];
  readonly pages: readonly PageCost[];
  readonly heavy: readonly PageCost[];
  readonly walks: readonly WalkCost[];
  readonly importSeconds: number;
}

/** So that calls sent side by side are seen side by side; DynamoDB's own is about this. */
const latencyMs = 25;
const walkLatencyMs = 4;
const heavyOrganization = 900;
const heavyLeads = 60;
/** Of the same leads, with the largest settings. */
const largestSettingsOrganization = 901;

/** @param sizes of the organizations, the smallest first; walks go over all but that one
 *  @param walkPagesMax a longer walk is measured as far as that */
export async function measureListing({
  sizes,
  walkPagesMax,
}: {
  sizes: readonly number[];
  walkPagesMax: number;
}): Promise<ListingResult> {
  const folder = await mkdtemp(join(tmpdir(), 'lead-bench-'));
  try {
    return await measureIn(folder, sizes, walkPagesMax);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measureIn(folder: string, sizes: readonly number[], walkPagesMax: number): Promise<ListingResult> {
  const environment = {
    LEADS_TABLE: 'leads',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  const organizations = new Map(sizes.map((leads, position) => [leads, position + 1]));
  const populations: Population[] = sizes.map((leads) => ({
    organizationId: organizations.get(leads) ?? 0,
    leads,
    lead: generatedLead,
  }));
  const begun = performance.now();
  const offline = openTable('leads', clientConfig({ ...environment, AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' }));
  const heavyPopulations = [heavyOrganization, largestSettingsOrganization].map((organizationId) => ({
    organizationId,
    leads: heavyLeads,
    lead: heavyLead,
  }));
  await importTable(folder, offline, [...populations, ...heavyPopulations]);
  const importSeconds = (performance.now() - begun) / 1000;
  progress(`the table is made (${importSeconds.toFixed(0)} s)`);

  const found = await dynoxide.find();
  if (!('start' in found)) throw new Error(`Listing is measured on dynoxide, and ${found.missing}: ${dynoxide.remedy}.`);
  const engine = await found.start({ folder, inMemory: false });
  const engineUrl = engine.ready[1] ?? '';
  const proxy = await startDynamodbProxy(engineUrl);
  proxy.latencyMs = latencyMs;
  const table = openTable('leads', clientConfig({ ...environment, AWS_ENDPOINT_URL_DYNAMODB: engineUrl }));
  const bundleFile = join(folder, 'list-leads.mjs');
  await writeFile(bundleFile, (await bundleFunction('list-leads')).code);
  const given = { bundleFile, proxy, table, environment: { ...environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint } };
  try {
    for (const id of [...organizations.values(), heavyOrganization]) {
      await applySettings(table, parseSettingsFile(JSON.stringify({ ...listedSettings, id, keys: undefined })).settings);
    }
    await applySettings(table, largestSettings());
    const pages: PageCost[] = [];
    for (const question of questions) {
      progress(`list by: ${question.name}`);
      for (const [leads, organizationId] of organizations) pages.push(await measurePage(given, organizationId, leads, question));
    }
    const heavy: PageCost[] = [];
    for (const question of questions.filter(({ name }) => heavyQuestions.includes(name))) {
      progress(`list leads of 345 KB by: ${question.name}`);
      heavy.push(await measurePage(given, heavyOrganization, heavyLeads, question));
    }
    progress(`list leads of 345 KB by: ${largestFilter.name}`);
    heavy.push(await measurePage(given, largestSettingsOrganization, heavyLeads, largestFilter));
    const walks: WalkCost[] = [];
    proxy.latencyMs = walkLatencyMs;
    for (const [leads, organizationId] of [...organizations].slice(1)) {
      for (const { name, changed } of walkShares) {
        progress(`walk all changed since: ${name} of ${leads}`);
        walks.push(await measureWalk(given, organizationId, leads, name, changed(leads), walkPagesMax));
      }
    }
    return { sizes, pages, heavy, walks, importSeconds };
  } finally {
    await proxy.stop();
    table.client.destroy();
    await engine.process.stop();
  }
}

/** The listed settings with one field that has all the options that fit. */
function largestSettings(): Settings {
  const fields = listedSettings.fields.map((field) =>
    'key' in field && field.key === 'course' ? { ...field, options: mostOptions } : field,
  );
  const file = { ...listedSettings, fields, id: largestSettingsOrganization, keys: undefined };
  return parseSettingsFile(JSON.stringify(file)).settings;
}

const heavyQuestions = ['first page', 'first page of 100', 'owner', 'field filter, 1 in 10,000', 'changed: 10', 'changed: all'];

interface Given {
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

const startFunction = ({ bundleFile, environment }: Given): Promise<LambdaProcess> =>
  LambdaProcess.start(pathToFileURL(bundleFile).href, environment);

const isPageRead = ({ operation }: RecordedCall): boolean => operation !== 'UpdateItem';

function costOf(calls: readonly RecordedCall[]): Pick<PageCost, 'calls' | 'readUnits' | 'bytesRead'> {
  const reads = calls.filter(isPageRead);
  const bytes = (call: RecordedCall): number => call.units.reads * (call.index === undefined ? 4096 : 8192);
  return {
    calls: reads.length,
    readUnits: totalUnits(reads).reads,
    bytesRead: reads.reduce((sum, call) => sum + bytes(call), 0),
  };
}

/** One page by a function of its own that is warm: it has answered a first page of this organization. */
async function measurePage(given: Given, organizationId: number, leads: number, question: ListingQuestion): Promise<PageCost> {
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
async function measureWalk(
  given: Given,
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
      const query = { limit: 100, updated_since: sinceOf(changed, leads), ...(cursor !== null && { cursor }) };
      const { result, calls } = await given.proxy.record(() => lambda.invoke(eventOf('list-leads', { apiKey, query })));
      const page = JSON.parse(result.answer.body) as { items: unknown[]; nextCursor: number | null };
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
