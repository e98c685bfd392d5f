import { memoryMbDefault } from '../../../infra/bundle/function-memory.ts';
import { linePlot } from '../../bench/plots/lines.ts';
import { perMillion } from '../../bench/prices.ts';
import { number, table } from '../record/markdown.ts';
import { quotas, rateAt, type ScaleLimit } from './limits.ts';
import type { MeasuredRequest } from './measured-request.ts';
import type { ProvenLoad } from './proof.ts';
import { largestShare } from './traffic.ts';

/** What `npm run simulate -- --scale` measured and worked out. */
export interface Scale {
  readonly requests: readonly MeasuredRequest[];
  readonly limits: readonly ScaleLimit[];
  readonly proofs: readonly ProvenLoad[];
}

export const organizationCounts = [1, 100, 10_000] as const;
/** Of an average organization. */
const requestsPerDay = 1000;
const daySeconds = 86_400;

const load = (organizations: number): number => (organizations * requestsPerDay) / daySeconds;

/** The limits in the order in which a growing load meets them. */
const inOrder = (limits: readonly ScaleLimit[], organizations: number): ScaleLimit[] =>
  [...limits].sort((one, other) => rateAt(one, organizations) - rateAt(other, organizations));

const rate = (value: number): string => (value < 10 ? value.toFixed(1) : number(Math.round(value)));

/** A line for each number of organizations: what it costs, and which limits a growing load meets first. */
export function scaleTable({ requests, limits }: Scale): string {
  const dollars = requests.reduce(
    (sum, { share, milliseconds, ...units }) =>
      sum +
      share *
        perMillion({ ...units, lambdaMs: milliseconds, lambdaMemoryMb: memoryMbDefault }).total,
    0,
  );
  return table(
    [
      'organizations',
      'requests a month',
      '$ a month',
      'first limit, at requests a second',
      'then',
      'then',
    ],
    organizationCounts.map((organizations) => {
      const month = organizations * requestsPerDay * 30;
      const first = inOrder(limits, organizations).slice(0, 3);
      return [
        number(organizations),
        number(month),
        ((dollars * month) / 1e6).toFixed(2),
        ...first.map((limit) => `${limit.name}: ${rate(rateAt(limit, organizations))}`),
      ];
    }),
  );
}

export function limitsTable({ limits }: Scale): string {
  return table(
    ['limit', ...organizationCounts.map((count) => `at ${number(count)}`), 'what moves it'],
    inOrder(limits, organizationCounts.at(-1) ?? 1).map((limit) => [
      `${limit.name} (${number(limit.capacity)} ${limit.unit})`,
      ...organizationCounts.map((count) => rate(rateAt(limit, count))),
      limit.setting,
    ]),
  );
}

/** Requests a second at which each limit is met, against the number of organizations. */
export function scalePlot({ limits }: Scale): string {
  const counts = [1, 10, 100, 1000, 10_000];
  const ofAccount = quotas.gatewayRequestsPerSecond;
  const drawn = limits.filter(
    (limit) => rateAt(limit, 1) !== ofAccount && !limit.label.includes('read'),
  );
  const colours = [0, 2, 3, 4, 5];
  return linePlot({
    title: 'How far it scales',
    subtitle:
      'Requests a second of all organizations at which each limit is met; both axes logarithmic',
    xName: 'organizations (the second largest has half the requests of the largest, and so on)',
    yName: 'a second',
    lines: [
      ...drawn.map((limit, at) => ({
        name: limit.label,
        colour: colours[at] ?? 0,
        points: counts.map((count) => [count, rateAt(limit, count)] as const),
      })),
      {
        name: `${number(requestsPerDay)} requests a day each`,
        colour: 1,
        points: counts.map((count) => [count, load(count)] as const),
      },
    ],
    limit: { value: ofAccount, name: "the account's quotas" },
  });
}

export function scalePage(scale: Scale): string {
  const { requests, proofs } = scale;
  return `# How far it scales

Written by \`npm run simulate -- --scale --write\`. The simulator measures what requests of the real functions use, partition by partition, under
the model of DynamoDB. The rest is division: the rate at which each limit is met. The largest of 100 organizations has ${(100 * largestShare(100)).toFixed(0)} % of all requests, of
10,000 it has ${(100 * largestShare(10_000)).toFixed(0)} % (Zipf's law).

![Requests a second at which each limit is met, against the number of organizations](scale.svg)

## Price, and the first limits

An average organization sends ${number(requestsPerDay)} requests a day. List prices of [prices.ts](bench/prices.ts), without storage and logs; Lambda is billed for the
measured time, in which a function mostly waits.

${scaleTable(scale)}

## Every limit

The total rate, in requests a second, at which it is met, if all others are moved.

${limitsTable(scale)}

Every quota is the default of AWS. A new account may have fewer concurrent executions. Lambda takes ${quotas.requestsPerExecution} requests a second for each concurrent
execution, so short requests meet that rate first. A partition key has ${number(1000)} write units and ${number(3000)} read units a second, and no setting moves that.

## What was measured

Averages on warm functions, each call to DynamoDB taking 5 ms on average.

${table(
  ['request', 'share', 'calls', 'ms', 'write units', 'read units'],
  requests.map(({ name, share, calls, milliseconds, writeUnits, readUnits }) => [
    name,
    `${Math.round(100 * share)} %`,
    calls,
    milliseconds,
    writeUnits,
    readUnits,
  ]),
)}

## Proof by running

One organization sends this mix for two simulated seconds: just below the rate at which its hottest partition is full, and at twice that rate.

${table(
  ['requests a second', 'requests', 'calls throttled', 'answered 5xx', 'violations'],
  proofs.map(({ rate: perSecond, requests: count, throttled, failed, violations }) => [
    Math.round(perSecond),
    count,
    throttled,
    failed,
    violations.length,
  ]),
)}
`;
}
