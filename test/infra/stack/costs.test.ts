import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, expect, test } from 'vitest';
import { memoryMbDefault } from '../../../infra/bundle/function-memory.ts';
import type { LeadServiceProps } from '../../../infra/stack/lead-service.ts';
import {
  heartbeatMetricNames,
  heartbeatVariables,
  metricNames,
} from '../../../shared/observability/metrics.ts';
import { projectFolder } from '../../support/service-process.ts';
import { expectPage } from './expect-page.ts';
import { perMillion, prices, shown } from './prices.ts';
import { everyOption, propertiesOf, templateWith } from './service-template.ts';

/** The tables of COSTS.md: the counts are the templates', the units of requests those of SCALE.md. `npm test -- stack/costs -u` writes them. */

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
/** What an option adds to a service that has no other. */
let ofOptions: readonly (readonly [string, number])[];
let dashboard: string;
beforeAll(async () => {
  const template = await templateWith();
  const { domainName, certificateArn } = everyOption;
  plain = monthlyCostsOf(template);
  full = monthlyCostsOf(await templateWith(everyOption));
  // A domain costs nothing here, so the rest is the heartbeat's.
  heartbeat = monthlyCostsOf(
    await templateWith({ domainName, certificateArn, heartbeat: true }),
  ).map(({ what, count, dollars }, at) => ({
    what,
    count: count - (plain[at]?.count ?? 0),
    dollars: dollars - (plain[at]?.dollars ?? 0),
  }));
  ofOptions = await Promise.all(
    Object.entries(paidOptions).map(async ([name, service]) => {
      const costs = monthlyCostsOf(await templateWith(service));
      return [name, sumOf(costs) - sumOf(plain)] as const;
    }),
  );
  dashboard = JSON.stringify(template.findResources('AWS::CloudWatch::Dashboard'));
}, 120_000);

const paidOptions: Readonly<Record<string, LeadServiceProps>> = {
  noCapturesHours: { noCapturesHours: 72 },
  waf: { waf: true },
  'kmsKey: customer-managed': { kmsKey: 'customer-managed' },
  events: { events: true },
  backup: { backup: true },
  'backup, backupCopyTo': { backup: true, backupCopyTo: everyOption.backupCopyTo },
};

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

/** The rows of SCALE.md, "What was measured": the name of a request, its share of the mix, and its price in dollars. */
const requests = [
  ...page('test', 'proof', 'SCALE.md').matchAll(/^\| (.+) \| (\d+) % \| \d .+$/gm),
].map(([row, name = '', percent]) => {
  const [lambdaMs = NaN, writeUnits = NaN, readUnits = NaN] = row
    .split('|')
    .slice(4, 7)
    .map(Number);
  const usage = { lambdaMs, writeUnits, readUnits, lambdaMemoryMb: memoryMbDefault };
  return { name, share: Number(percent) / 100, price: perMillion(usage) / 1e6 };
});
const priceOf = (request: string): number =>
  requests.find(({ name }) => name === request)?.price ?? NaN;
const priceOfMix = requests.reduce((sum, { share, price }) => sum + share * price, 0);

/** A month of 30 days of SCALE.md's mix. */
const mixRow = (organizations: string, perHour: number): string =>
  `| ${organizations} | ${shown(perHour / 3600, 2)} | ${dollars(perHour * 24 * 30 * priceOfMix)} |`;

function loadRow(enquiries: number, syncJobs: number): string {
  const polls = syncJobs * callsOfSyncJob;
  const calls = enquiries * priceOf('capture of a new lead') + polls * priceOf('page of 25 leads');
  const logs = (((enquiries + polls) * logBytesPerCall) / 1e9) * prices.logGigabyte;
  const cells = [calls, logs, calls + logs].map(dollars);
  return `| ${enquiries.toLocaleString('en')} | ${syncJobs} | ${(enquiries + polls).toLocaleString('en')} | ${cells.join(' | ')} |`;
}

test('COSTS.md has each count, price and sum that is computed', async () => {
  const costsOf = (costs: readonly MonthlyCost[], what: string): string =>
    cell(costs.find((cost) => cost.what === what));
  await expectPage(join('infra', 'stack', 'COSTS.md'), {
    '| what | default | every option |': [
      ...full.map(({ what }) => `| ${what} | ${costsOf(plain, what)} | ${costsOf(full, what)} |`),
      `| together | ${dollars(sumOf(plain))} | ${dollars(sumOf(full))} |`,
    ],
    '| option alone | adds |': ofOptions.map(
      ([name, added]) => `| \`${name}\` | ${dollars(added)} |`,
    ),
    '| what `heartbeat` adds | a month |': [
      ...heartbeat.flatMap((cost) => (cost.count > 0 ? `| ${cost.what} | ${cell(cost)} |` : [])),
      ...beats().map(([what, value]) => `| ${what} | ${dollars(value)} |`),
      `| together | ${dollars(heartbeatSum())} |`,
    ],
    '| enquiries | sync jobs | calls | requests | logs | together |': [
      loadRow(1000, 1),
      loadRow(10_000, 4),
      loadRow(100_000, 10),
    ],
    '| request | $ |': [
      ...requests.map(({ name, price }) => `| ${name} | ${dollars(1e6 * price)} |`),
      `| the mix of SCALE.md | ${dollars(1e6 * priceOfMix)} |`,
    ],
    '| organizations | requests a second | a month |': [
      mixRow('1, with 1,000 requests a day', 1000 / 24),
      mixRow('1, at its hourly limit', 3000),
      mixRow('100, with 1,000 requests a day each', 100_000 / 24),
      mixRow('10,000, with 1,000 requests a day each', 1e7 / 24),
    ],
  });
});

test('the README has the sum of a service without traffic', () => {
  expect(page('README.md')).toContain(`${dollars(sumOf(plain))} a month at most`);
});

test('the heartbeat costs less than $1.50 a month, and adds only metrics', () => {
  expect(heartbeat.slice(2).every(({ count }) => count === 0)).toBe(true);
  expect(heartbeatSum()).toBeLessThan(1.5);
});

test('the dashboard has more metrics than a free one may have', () => {
  // Each begins with its namespace: AWS/… for those of AWS, LeadService for those of the log lines.
  expect(
    new Set(dashboard.match(/\[\\"(AWS\/\w+|LeadService)\\",\\"\w+\\"[^\]]*/g)).size,
  ).toBeGreaterThan(50);
});

/** Something that a stack pays for by the month: how many there are, and what they cost together. */
interface MonthlyCost {
  readonly what: string;
  readonly count: number;
  readonly dollars: number;
}

function monthlyCostsOf(template: Template): MonthlyCost[] {
  const count = (type: string): number => Object.keys(template.findResources(type)).length;
  const { alarmMetric, customMetric, dashboard, key, webAcl, webAclRule } = prices.monthly;
  const acls = propertiesOf(template, 'AWS::WAFv2::WebACL');
  const rules = acls.flatMap(({ Rules }) => Rules).length;
  const row = (what: string, number: number, price: number): MonthlyCost => ({
    what,
    count: number,
    dollars: number * price,
  });
  const ofAlarms = alarmMetricsOf(template);
  return [
    row('metrics of alarms', ofAlarms, alarmMetric),
    row(
      'metrics of log lines, if each is reported in every hour',
      numberOfLogMetrics(template),
      customMetric,
    ),
    row('dashboards', count('AWS::CloudWatch::Dashboard'), dashboard),
    row('keys, from the third year on', count('AWS::KMS::Key'), key),
    row('web ACLs', acls.length, webAcl),
    row('rules of web ACLs', rules, webAclRule),
  ].filter((one) => one.count > 0);
}

const numberOfLogMetrics = (template: Template): number =>
  metricNames.length +
  (JSON.stringify(template).includes(heartbeatVariables.baseUrl) ? heartbeatMetricNames.length : 0);

/** An alarm on metric math is paid for each of its metrics. */
function alarmMetricsOf(template: Template): number {
  const alarms: { readonly Metrics?: readonly { readonly MetricStat?: object }[] }[] = propertiesOf(
    template,
    'AWS::CloudWatch::Alarm',
  );
  return alarms.reduce(
    (sum, { Metrics }) => sum + (Metrics?.filter(({ MetricStat }) => MetricStat).length ?? 1),
    0,
  );
}
