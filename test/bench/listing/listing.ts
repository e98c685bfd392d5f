import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunction } from '../../../infra/bundle/bundle.ts';
import { startEngine } from '../../../infra/local/engine.ts';
import { clientConfig } from '../../../infra/local/table.ts';
import { parseSettingsFile } from '../../../shared/organization/settings.ts';
import type { Settings } from '../../../shared/organization/settings-types.ts';
import { applySettings } from '../../../shared/store/organizations/apply-settings.ts';
import { openTable } from '../../../shared/store/table/client.ts';
import { startDynamodbProxy } from '../../support/faults/proxy.ts';
import { progress } from '../progress.ts';
import { generatedLead, heavyLead, listedSettings } from './generated-leads.ts';
import { importTable, type Population } from './imported-table.ts';
import { measurePage, measureWalk, type PageCost, type WalkCost } from './measured-pages.ts';
import { largestFilter, mostOptions, questions, walkShares } from './questions.ts';

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

async function measureIn(
  folder: string,
  sizes: readonly number[],
  walkPagesMax: number,
): Promise<ListingResult> {
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
  const offline = openTable(
    'leads',
    clientConfig({ ...environment, AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' }),
  );
  const heavyPopulations = [heavyOrganization, largestSettingsOrganization].map(
    (organizationId) => ({
      organizationId,
      leads: heavyLeads,
      lead: heavyLead,
    }),
  );
  await importTable(join(folder, 'dynoxide'), offline, [...populations, ...heavyPopulations]);
  const importSeconds = (performance.now() - begun) / 1000;
  progress(`the table is made (${importSeconds.toFixed(0)} s)`);

  const engine = await startEngine({ engine: 'dynoxide', dataFolder: folder });
  const engineUrl = engine.endpoint;
  const proxy = await startDynamodbProxy(engineUrl);
  proxy.latencyMs = latencyMs;
  const table = openTable(
    'leads',
    clientConfig({ ...environment, AWS_ENDPOINT_URL_DYNAMODB: engineUrl }),
  );
  const bundleFile = join(folder, 'list-leads.mjs');
  await writeFile(bundleFile, (await bundleFunction('list-leads')).code);
  const given = {
    bundleFile,
    proxy,
    table,
    environment: { ...environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint },
  };
  try {
    for (const id of [...organizations.values(), heavyOrganization]) {
      await applySettings(
        table,
        parseSettingsFile(JSON.stringify({ ...listedSettings, id, keys: undefined })).settings,
      );
    }
    await applySettings(table, largestSettings());
    const pages: PageCost[] = [];
    for (const question of questions) {
      progress(`list by: ${question.name}`);
      for (const [leads, organizationId] of organizations)
        pages.push(await measurePage(given, organizationId, leads, question));
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
        walks.push(
          await measureWalk(given, organizationId, leads, name, changed(leads), walkPagesMax),
        );
      }
    }
    return { sizes, pages, heavy, walks, importSeconds };
  } finally {
    await proxy.stop();
    table.client.destroy();
    await engine.stop();
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

const heavyQuestions = [
  'first page',
  'first page of 100',
  'owner',
  'field filter, 1 in 10,000',
  'changed: 10',
  'changed: all',
];
