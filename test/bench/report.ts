import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { budgetTable, pageMaxUnits } from './budgets.ts';
import { exactRun } from './comparison.ts';
import { goalTable } from './goals.ts';
import { coldStartPlot, costPlot, listingPlot, type Plot, roundTripsPlot } from './plots/plots.ts';
import { prices } from './prices.ts';
import {
  coldStartTable,
  listingTables,
  loadTable,
  sideBySideTable,
  warmCpuTable,
} from './result-tables.ts';
import type { Circumstances, Results } from './results.ts';
import { asMarkdown, asText, type ResultTable } from './tables.ts';

/** All tables, for a terminal. */
export function textReport(results: Results): string {
  return allTables(results).map(asText).join('\n\n');
}

const allTables = (results: Results): ResultTable[] => [
  goalTable(results),
  budgetTable(results),
  ...listingTables(results.listing),
  coldStartTable(results.coldStarts),
  warmCpuTable(results.warmCpu),
  sideBySideTable(results.sideBySide),
  loadTable(results.load),
];

/** Writes `RESULTS.md`, its drawings, and `results.json` for a later run's `--compare` into a folder. */
export async function writeReport(
  folder: string,
  results: Results,
  circumstances: Circumstances,
): Promise<void> {
  const plots = {
    listing: listingPlot(results.listing, pageMaxUnits),
    roundTrips: roundTripsPlot(results.sideBySide),
    cost: costPlot(results.sideBySide),
    coldStart: coldStartPlot(results.coldStarts),
  };
  await mkdir(folder, { recursive: true });
  for (const { file, svg } of Object.values(plots)) await writeFile(join(folder, file), svg);
  await writeFile(join(folder, 'RESULTS.md'), pageOf(results, circumstances, plots));
  await writeFile(
    join(folder, 'results.json'),
    `${JSON.stringify(exactRun(results), undefined, 1)}\n`,
  );
}

const image = ({ file, about }: Plot): string => `![${about}](${file})`;

function pageOf(
  results: Results,
  { command, begun, minutes, machine }: Circumstances,
  plots: Record<'listing' | 'roundTrips' | 'cost' | 'coldStart', Plot>,
): string {
  const [pages, heavy, walks] = listingTables(results.listing) as [
    ResultTable,
    ResultTable,
    ResultTable,
  ];
  const blocks = [
    '# Results of the benchmark',
    `Written by \`${command}\`, begun ${begun.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${minutes.toFixed(0)} minutes long, on ${machine}.`,
    'Calls, units and bytes are exact and come out the same on every machine. Times are not: other work shared the machine, so they are read as ratios within this run. Units are those that the engine, dynoxide, reports; a write that its condition refuses counts one unit, as DynamoDB charges it.',
    asMarkdown(goalTable(results)),
    asMarkdown(budgetTable(results)),
    '## Listing at any size',
    image(plots.listing),
    `Leads of 0.8 KB, written as a DynamoDB export and imported into the engine (${results.listing.importSeconds.toFixed(0)} s). Their ids and times of change are spread so that every share is the same at every size; "1 in 10,000" is that share of all leads, and "owner and source" is the worst join: two lists of half the leads each that interleave and meet in one lead of 10,000.`,
    asMarkdown(pages),
    asMarkdown(heavy),
    asMarkdown(walks),
    '## Cold start and processor time',
    'Profiles, and what was tried: [`PROFILE.md`](PROFILE.md).',
    image(plots.coldStart),
    asMarkdown(coldStartTable(results.coldStarts)),
    asMarkdown(warmCpuTable(results.warmCpu)),
    '## Against the stack a team would assemble',
    image(plots.roundTrips),
    image(plots.cost),
    `The other stack (\`assembled/\`): middy, Powertools idempotency, rate-limiter-flexible on DynamoDB, a look-up of the key, the settings read for each request, plain reads and writes. It promises less: two requests at the same moment can make one person twice, a failure half-way leaves a lead without its timeline, and its lists filter by nothing. A new capture costs more here than there, because a transaction's write costs two units and four indexes serve the list's filters; everything else costs less or about the same. Prices: list prices of ${prices.region}, dated in \`prices.ts\`; Lambda of 1,024 MB on arm64 billed for the latency measured here.`,
    asMarkdown(sideBySideTable(results.sideBySide)),
    '## Load',
    asMarkdown(loadTable(results.load)),
  ];
  return `${blocks.join('\n\n')}\n`;
}
