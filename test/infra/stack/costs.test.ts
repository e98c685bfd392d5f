import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { memoryMbDefault } from '../../../infra/bundle/function-memory.ts';
import { perMillion, prices } from '../../bench/prices.ts';
import { projectFolder } from '../../support/service-process.ts';
import { dashboardMetricsOf, type MonthlyCost, monthlyCostsOf } from './monthly-costs.ts';
import { everyOption, templateWith } from './service-template.ts';

/** COSTS.md says what the service costs: the counts are the templates', the units of requests those that the simulator measured. */

const page = (...path: string[]): string => readFileSync(join(projectFolder, ...path), 'utf8');
const dollars = (value: number): string => `$${value.toFixed(2)}`;
const sumOf = (costs: readonly MonthlyCost[]): number =>
  costs.reduce((total, cost) => total + cost.dollars, 0);
const cell = (cost: MonthlyCost | undefined): string =>
  cost ? `${cost.count}: ${dollars(cost.dollars)}` : '';

let plain: readonly MonthlyCost[];
let full: readonly MonthlyCost[];
/** What `heartbeat` adds to a service with a domain. */
let heartbeat: readonly MonthlyCost[];
let dashboardMetrics: number;
beforeAll(async () => {
  const template = await templateWith();
  const { domainName, certificateArn } = everyOption;
  const without = monthlyCostsOf(await templateWith({ domainName, certificateArn }));
  plain = monthlyCostsOf(template);
  full = monthlyCostsOf(await templateWith(everyOption));
  heartbeat = monthlyCostsOf(
    await templateWith({ domainName, certificateArn, heartbeat: true }),
  ).map(({ what, count, dollars }, at) => ({
    what,
    count: count - (without[at]?.count ?? 0),
    dollars: dollars - (without[at]?.dollars ?? 0),
  }));
  dashboardMetrics = dashboardMetricsOf(template);
}, 120_000);

/** Every five minutes: 365 days of it, divided by 12. */
const beatsAMonth = 365 * 24;
const lambdaSecond = (memoryMb: number): number =>
  prices.lambdaRequest + (memoryMb / 1024) * prices.lambdaGigabyteSecond;
/** What the calls of the heartbeat cost. */
const beats = (): [string, number][] => [
  ['its function, 256 MB, at most 1 s each', beatsAMonth * lambdaSecond(256)],
  [
    'the gateway, and the function that answers, if it starts cold each time (1 s)',
    beatsAMonth * (prices.apiGatewayRequest + lambdaSecond(memoryMbDefault)),
  ],
  ['log lines of both functions, 2,000 bytes', ((beatsAMonth * 2000) / 1e9) * prices.logGigabyte],
];
const heartbeatSum = (): number =>
  sumOf(heartbeat) + beats().reduce((sum, [, value]) => sum + value, 0);

/** START, END and REPORT of Lambda are about 390 of them. */
const logBytesPerCall = 980;
/** A call a minute: 365 days of it, divided by 12. */
const callsOfSyncJob = 43_800;

/** A row of SCALE.md, "What was measured", in dollars a call. */
function priceOf(request: string): number {
  const row = page('test', 'SCALE.md')
    .split('\n')
    .find((line) => line.startsWith(`| ${request} |`));
  const [lambdaMs = NaN, writeUnits = NaN, readUnits = NaN] = (row ?? '')
    .split('|')
    .slice(4, 7)
    .map(Number);
  const usage = { lambdaMs, writeUnits, readUnits, lambdaMemoryMb: memoryMbDefault };
  return perMillion(usage).total / 1e6;
}

function loadRow(enquiries: number, syncJobs: number): string {
  const polls = syncJobs * callsOfSyncJob;
  const requests =
    enquiries * priceOf('capture of a new lead') + polls * priceOf('page of 25 leads');
  const logs = (((enquiries + polls) * logBytesPerCall) / 1e9) * prices.logGigabyte;
  const cells = [requests, logs, requests + logs].map(dollars);
  return `| ${enquiries.toLocaleString('en')} | ${syncJobs} | ${(enquiries + polls).toLocaleString('en')} | ${cells.join(' | ')} |`;
}

test('COSTS.md has each count, price and sum', async () => {
  const document = [
    '# What the service costs a month',
    '',
    'List prices of us-east-1 on 2026-11-21, without free tier and tax. `npm test -- stack/costs -u` writes this page.',
    '',
    'With or without requests, counted from the templates:',
    '',
    '| what | default | every option |',
    '|---|--:|--:|',
    ...full.map(
      (cost) =>
        `| ${cost.what} | ${cell(plain.find(({ what }) => what === cost.what))} | ${cell(cost)} |`,
    ),
    `| together | ${dollars(sumOf(plain))} | ${dollars(sumOf(full))} |`,
    '',
    'Of these, `heartbeat` with a domain, and its calls:',
    '',
    '| what `heartbeat` adds | a month |',
    '|---|--:|',
    ...heartbeat.filter(({ count }) => count > 0).map((cost) => `| ${cost.what} | ${cell(cost)} |`),
    ...beats().map(([what, value]) => `| ${what} | ${dollars(value)} |`),
    `| together | ${dollars(heartbeatSum())} |`,
    '',
    'Ordinary loads beside that. Each enquiry is a new lead, and a sync job asks for changes once a minute. The units are those of',
    `[SCALE.md](../../test/SCALE.md), a call's logs ${logBytesPerCall} bytes:`,
    '',
    '| enquiries | sync jobs | calls | requests | logs | together |',
    '|--:|--:|--:|--:|--:|--:|',
    loadRow(1000, 1),
    loadRow(10_000, 4),
    loadRow(100_000, 10),
    '',
  ];

  await expect(document.join('\n')).toMatchFileSnapshot(
    join(projectFolder, 'infra', 'stack', 'COSTS.md'),
  );
});

test('the README has the sum of a service without traffic', () => {
  expect(page('README.md')).toContain(`${dollars(sumOf(plain))} a month at most`);
});

test('the heartbeat costs less than $1.50 a month, and adds only metrics', () => {
  expect(heartbeat.slice(2).every(({ count }) => count === 0)).toBe(true);
  expect(heartbeatSum()).toBeLessThan(1.5);
});

test('the dashboard has more metrics than a free one may have', () => {
  expect(dashboardMetrics).toBeGreaterThan(50);
});
