import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleFunctions } from '../../../infra/bundle/bundle.ts';
import { startEngine } from '../../../infra/local/engine.ts';
import { clientConfig } from '../../../infra/local/table.ts';
import { applySettings } from '../../../shared/store/organizations/apply-settings.ts';
import { openTable } from '../../../shared/store/table/client.ts';
import { startDynamodbProxy } from '../../support/faults/proxy.ts';
import { progress, raisedLimits, settingsOf, withFolder } from '../measuring.ts';
import { generatedLead, heavyLead, listedSettings, sinceOf } from './generated-leads.ts';
import { importTable } from './imported-table.ts';
import { type ListCost, type MeasuredFunction, measureList } from './measured-pages.ts';
import { largestFilter, mostOptions, questions, walkShares } from './questions.ts';

export interface ListingResult {
  readonly sizes: readonly number[];
  readonly pages: readonly ListCost[];
  readonly heavy: readonly ListCost[];
  readonly walks: readonly ListCost[];
  readonly importSeconds: number;
}

/** So that calls sent side by side are seen side by side; DynamoDB's own is about this. */
const latencyMs = 25;
const walkLatencyMs = 4;
const heavyOrganization = 900;
const heavyLeads = 60;
/** Of the same leads, with the largest settings: one field that has all the options that fit. */
const largestSettingsOrganization = 901;
const largestSettings = {
  ...listedSettings,
  fields: listedSettings.fields.map((field) =>
    'key' in field && field.key === 'course' ? { ...field, options: mostOptions } : field,
  ),
};
const heavyQuestions = [
  'first page',
  'first page of 100',
  'owner',
  'field filter, 1 in 10,000',
  'changed: 10',
  'changed: all',
];
const environment = {
  LEADS_TABLE: 'leads',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
};
const tableAt = (endpoint: string) =>
  openTable('leads', clientConfig({ ...environment, AWS_ENDPOINT_URL_DYNAMODB: endpoint }));

/** The sizes of the organizations by ID. */
type Sizes = ReadonlyMap<number, number>;

/** @param sizes of the organizations, the smallest first; walks go over all but that one
 *  @param walkPagesMax a longer walk is measured as far as that */
export const measureListing = ({
  sizes,
  walkPagesMax,
}: {
  sizes: readonly number[];
  walkPagesMax: number;
}): Promise<ListingResult> =>
  withFolder(async (folder) => {
    const organizations = new Map(sizes.map((leads, position) => [position + 1, leads]));
    const importSeconds = await makeTable(folder, organizations);
    const engine = await startEngine({ engine: 'dynoxide', dataFolder: folder });
    const proxy = await startDynamodbProxy(engine.endpoint);
    const table = tableAt(engine.endpoint);
    const bundleFile = join(folder, 'list-leads.mjs');
    await writeFile(bundleFile, (await bundleFunctions()).get('list-leads')!.code);
    const given = {
      bundleFile,
      proxy,
      table,
      environment: {
        ...environment,
        ...raisedLimits,
        AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
      },
    };
    try {
      for (const id of [...organizations.keys(), heavyOrganization])
        await applySettings(table, settingsOf(listedSettings, id));
      await applySettings(table, settingsOf(largestSettings, largestSettingsOrganization));
      proxy.latencyMs = latencyMs;
      const pages = await measurePages(given, organizations);
      const heavy = await measureHeavyPages(given);
      proxy.latencyMs = walkLatencyMs;
      const walks = await measureWalks(given, organizations, walkPagesMax);
      return { sizes, pages, heavy, walks, importSeconds };
    } finally {
      await proxy.stop();
      table.client.destroy();
      await engine.stop();
    }
  });

/** @returns how long it took, in seconds */
async function makeTable(folder: string, organizations: Sizes): Promise<number> {
  const begun = performance.now();
  const offline = tableAt('http://127.0.0.1:1');
  await importTable(join(folder, 'dynoxide'), offline, [
    ...[...organizations].map(([organizationId, leads]) => ({
      organizationId,
      leads,
      lead: generatedLead,
    })),
    ...[heavyOrganization, largestSettingsOrganization].map((organizationId) => ({
      organizationId,
      leads: heavyLeads,
      lead: heavyLead,
    })),
  ]);
  const seconds = (performance.now() - begun) / 1000;
  progress(`the table is made (${seconds.toFixed(0)} s)`);
  return seconds;
}

async function measurePages(given: MeasuredFunction, organizations: Sizes): Promise<ListCost[]> {
  const pages: ListCost[] = [];
  for (const { name: question, query } of questions) {
    progress(`list by: ${question}`);
    for (const [organizationId, leads] of organizations) {
      const list = { organizationId, leads, question, query: query(leads) };
      pages.push(await measureList(given, list, 1));
    }
  }
  return pages;
}

async function measureHeavyPages(given: MeasuredFunction): Promise<ListCost[]> {
  const pages: ListCost[] = [];
  const asked = questions.filter(({ name }) => heavyQuestions.includes(name));
  for (const { name: question, query } of [...asked, largestFilter]) {
    progress(`list leads of 345 KB by: ${question}`);
    const organizationId =
      question === largestFilter.name ? largestSettingsOrganization : heavyOrganization;
    const list = { organizationId, leads: heavyLeads, question, query: query(heavyLeads) };
    pages.push(await measureList(given, list, 1));
  }
  return pages;
}

async function measureWalks(
  given: MeasuredFunction,
  organizations: Sizes,
  pagesMax: number,
): Promise<ListCost[]> {
  const walks: ListCost[] = [];
  for (const [organizationId, leads] of [...organizations].slice(1)) {
    for (const { name: question, changed } of walkShares) {
      progress(`walk all changed since: ${question} of ${leads}`);
      const query = { limit: 100, updated_since: sinceOf(changed(leads), leads) };
      walks.push(await measureList(given, { organizationId, leads, question, query }, pagesMax));
    }
  }
  return walks;
}
