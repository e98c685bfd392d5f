import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleFunctions } from '../../../../infra/bundle/bundle.ts';
import { startEngine } from '../../../../infra/local/engine.ts';
import { startDynamodbProxy } from '../../../support/faults/proxy.ts';
import { listedSettings, sinceOf } from '../../../support/generated/leads.ts';
import { givenOrganizationWithoutKeys } from '../../../support/organizations.ts';
import { tableOf } from '../../../support/table.ts';
import { progress, raisedLimits, withFolder } from '../measuring.ts';
import { type Budget, most, type Results, type ResultTable } from '../results.ts';
import { importTable } from './imported-table.ts';
import { lists, walks } from './lists.ts';
import { type List, type ListCost, type MeasuredFunction, measureList } from './measured-list.ts';

/** So that calls sent side by side are seen side by side; DynamoDB's own is about this. */
const latencyMs = 25;
const walkLatencyMs = 4;

/** @param sizes of the organizations, the smallest first; walks go over all but that one
 *  @param walkPagesMax a longer walk is measured as far as that */
export const measureListing = ({
  sizes,
  walkPagesMax,
}: {
  sizes: readonly number[];
  walkPagesMax: number;
}): Promise<Results> =>
  withFolder(async (folder) => {
    const begun = performance.now();
    await importTable(join(folder, 'dynoxide'), sizes);
    const importSeconds = (performance.now() - begun) / 1000;
    progress(`the table is made (${importSeconds.toFixed(0)} s)`);
    const engine = await startEngine({ engine: 'dynoxide', dataFolder: folder });
    const proxy = await startDynamodbProxy(engine.endpoint);
    const table = tableOf(engine.environment);
    const bundleFile = join(folder, 'list-leads.mjs');
    await writeFile(bundleFile, (await bundleFunctions()).get('list-leads')!.code);
    const reached = { ...engine.environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint };
    const given = { bundleFile, proxy, environment: { ...reached, ...raisedLimits } };
    try {
      const organizations: Sized[] = [];
      for (const [index, leads] of sizes.entries()) {
        const organization = await givenOrganizationWithoutKeys(listedSettings, table, index + 1);
        organizations.push({ organization, leads });
      }
      proxy.latencyMs = latencyMs;
      const pages = await measureAll(given, pagesOf(organizations), 1);
      proxy.latencyMs = walkLatencyMs;
      const walked = await measureAll(given, walksOf(organizations.slice(1)), walkPagesMax);
      return {
        tables: tablesOf(pages, walked, importSeconds),
        budgets: budgetsOf(pages, walked),
      };
    } finally {
      await proxy.stop();
      table.client.destroy();
      await engine.stop();
    }
  });

type Sized = Pick<List, 'organization' | 'leads'>;

const pagesOf = (organizations: readonly Sized[]): List[] =>
  Object.entries(lists).flatMap(([by, query]) =>
    organizations.map((one) => ({ ...one, by, query: query(one.leads) })),
  );

const walksOf = (organizations: readonly Sized[]): List[] =>
  organizations.flatMap((one) =>
    Object.entries(walks).map(([by, changed]) => ({
      ...one,
      by,
      query: { limit: 100, updated_since: sinceOf(changed(one.leads), one.leads) },
    })),
  );

async function measureAll(
  given: MeasuredFunction,
  all: readonly List[],
  pagesMax: number,
): Promise<ListCost[]> {
  const costs: ListCost[] = [];
  for (const list of all) {
    progress(`${pagesMax === 1 ? 'page' : 'walk'} by ${list.by} of ${list.leads} leads`);
    costs.push(await measureList(given, list, pagesMax));
  }
  return costs;
}

const exact = ['pages', 'calls', 'chain', 'read units', 'largest page, MB'];

const tablesOf = (
  pages: readonly ListCost[],
  walked: readonly ListCost[],
  importSeconds: number,
): ResultTable[] => [
  {
    title: 'A page, by the size of the organization',
    note: `Each lead has 0.8 KB. The leads were written as a DynamoDB export and imported into the engine (${importSeconds.toFixed(0)} s). IDs and update times are spread evenly, so each filter matches the same share of the leads at every size. "1 in 10,000" is the share of all leads. "Owner and source" is the worst join: two lists of half the leads each that interleave and share one lead in 10,000. Calls and units are those of the page; admission adds two writes beside the first. The chain counts both. MB are computed from the units, so they are an upper bound. Peak MB is the peak memory of the whole process.`,
    rows: pages.map(({ by, columns }) => ({ 'list by': by, ...columns })),
    named: 2,
    exact,
  },
  {
    title: 'Whole walks of a sync job',
    note: '`updated_since` with 100 leads a page, by one warm function. A walk marked "first pages" was measured only that far; its totals are of those pages.',
    rows: walked.map(({ by, isWhole, columns }) => ({
      changed: isWhole ? by : `${by}, first pages`,
      ...columns,
    })),
    named: 2,
    exact,
  },
];

function budgetsOf(pages: readonly ListCost[], walked: readonly ListCost[]): Budget[] {
  type Column = keyof ListCost['columns'];
  const of = (column: Column, all: readonly ListCost[]): number =>
    most(all, ({ columns }) => columns[column]);
  const by = (name: string, all = pages) => all.filter((one) => one.by === name);
  const all = [...pages, ...walked];
  return [
    ['list by stage, 25 leads: round trips', 2, of('chain', by('stage'))],
    ['list by stage, 25 leads: read units', 27, of('read units', by('stage'))],
    [
      'page with a rare filter: read units of a partition',
      750,
      of('read units', by('field filter, 1 in 10,000')),
    ],
    [
      'walk of 5 % changed leads: read units per lead given',
      1.6,
      of('units per lead given', by('5 %', walked)),
    ],
    ['any page: MB read (4, and a query more)', 5, of('largest page, MB', all)],
    [
      'any page: seconds, each DynamoDB call slowed to 25 ms (1, and the calls under way then)',
      1.5,
      most(all, ({ slowestMs }) => slowestMs) / 1000,
    ],
  ];
}
