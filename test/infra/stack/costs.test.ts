import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { memoryMbDefault } from '../../../infra/bundle/function-memory.ts';
import { perMillion, prices } from '../../bench/prices.ts';
import { projectFolder } from '../../support/service-process.ts';
import { dashboardMetricsOf, type MonthlyCost, monthlyCostsOf } from './monthly-costs.ts';
import { everyOption, templateWith } from './service-template.ts';

/** OPERATE.md says what the service costs: the counts are the templates', the units of requests those that the simulator measured. */

const page = (...path: string[]): string => readFileSync(join(projectFolder, ...path), 'utf8');
const operate = page('infra', 'OPERATE.md');
const dollars = (value: number): string => `$${value.toFixed(2)}`;

describe('what is paid by the month', () => {
  let plain: readonly MonthlyCost[];
  let full: readonly MonthlyCost[];
  let dashboardMetrics: number;
  beforeAll(async () => {
    const [template, withOptions] = [await templateWith(), await templateWith(everyOption)];
    plain = monthlyCostsOf(template);
    full = monthlyCostsOf(withOptions);
    dashboardMetrics = dashboardMetricsOf(template);
  }, 120_000);

  test('OPERATE.md has each count, price and sum, with the defaults and with every option', () => {
    const cell = (cost: MonthlyCost | undefined): string =>
      cost ? `${cost.count}: ${dollars(cost.dollars)}` : '';
    const rows = full.map(
      (cost) =>
        `| ${cost.what} | ${cell(plain.find(({ what }) => what === cost.what))} | ${cell(cost)} |`,
    );
    const sum = (costs: readonly MonthlyCost[]): string =>
      dollars(costs.reduce((total, cost) => total + cost.dollars, 0));

    for (const row of [...rows, `| together | ${sum(plain)} | ${sum(full)} |`])
      expect(operate).toContain(row);
    expect(page('README.md')).toContain(`${sum(plain)} a month at most`);
  });

  test('the dashboard has more metrics than a free one may have', () => {
    expect(dashboardMetrics).toBeGreaterThan(50);
  });
});

describe('what the heartbeat costs', () => {
  test('OPERATE.md itemizes it from the template, and the sum is below $1.50 a month', async () => {
    const domain = {
      domainName: everyOption.domainName,
      certificateArn: everyOption.certificateArn,
    };
    const without = monthlyCostsOf(await templateWith(domain));
    const added = monthlyCostsOf(await templateWith({ ...domain, heartbeat: true })).map(
      ({ what, count, dollars }, at) => ({
        what,
        count: count - (without[at]?.count ?? 0),
        dollars: dollars - (without[at]?.dollars ?? 0),
      }),
    );
    const [alarmMetrics, logMetrics] = added;
    const beats = 365 * 24;
    const lambdaSecond = (memoryMb: number): number =>
      prices.lambdaRequest + (memoryMb / 1024) * prices.lambdaGigabyteSecond;
    const rows: readonly [string, string, number][] = [
      ['metrics of log lines', `${logMetrics?.count}: `, logMetrics?.dollars ?? NaN],
      ['metrics of alarms', `${alarmMetrics?.count}: `, alarmMetrics?.dollars ?? NaN],
      ['its function', '', beats * lambdaSecond(256)],
      ['the gateway', '', beats * (prices.apiGatewayRequest + lambdaSecond(memoryMbDefault))],
      ['its schedule', '', 0],
      ['log lines', '', ((beats * 2000) / 1e9) * prices.logGigabyte],
    ];
    const together = rows.reduce((sum, [, , value]) => sum + value, 0);

    const table = operate.slice(operate.indexOf('| what of `heartbeat`')).split('\n');
    for (const [what, count, value] of [...rows, ['together', '', together] as const])
      expect(table.find((line) => line.startsWith(`| ${what}`))).toMatch(
        new RegExp(`\\| ${count}\\${dollars(value)} \\|$`),
      );
    expect(added.slice(2).every(({ count }) => count === 0)).toBe(true);
    expect(together).toBeLessThan(1.5);
  });
});

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

describe('what ordinary loads cost', () => {
  test.each([
    [1000, 1],
    [10_000, 4],
    [100_000, 10],
  ])(
    'OPERATE.md prices %i enquiries and %i sync jobs a month within a twentieth',
    (enquiries, syncJobs) => {
      const polls = syncJobs * callsOfSyncJob;
      const requests =
        enquiries * priceOf('capture of a new lead') + polls * priceOf('page of 25 leads');
      const logs = (((enquiries + polls) * logBytesPerCall) / 1e9) * prices.logGigabyte;
      const start = `| ${enquiries.toLocaleString('en')} | ${syncJobs} | ${(enquiries + polls).toLocaleString('en')} |`;

      const row = operate.split('\n').find((line) => line.startsWith(start)) ?? '';
      const written = [...row.matchAll(/\$([\d.]+)/g)].map(([, value]) => Number(value));

      expect(
        written,
        `${start} ${dollars(requests)} | ${dollars(logs)} | ${dollars(requests + logs)} |`,
      ).toHaveLength(3);
      for (const [at, value] of [requests, logs, requests + logs].entries())
        expect(
          Math.abs((written[at] ?? 0) - value),
          `${start} ${dollars(value)}`,
        ).toBeLessThanOrEqual(Math.max(0.01, value / 20));
    },
  );
});
