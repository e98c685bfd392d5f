import { limits as contract } from '../../../shared/limits.ts';
import { readUnitsPerSecond, writeUnitsPerSecond } from '../dynamodb/throughput.ts';
import type { MeasuredRequest } from './measured-request.ts';
import { largestShare } from './traffic.ts';

/** A limit, and what one request a second, of all organizations together, uses of it. */
export interface ScaleLimit {
  readonly name: string;
  /** In a plot. */
  readonly label: string;
  readonly capacity: number;
  readonly unit: string;
  /** @param organizations how many share the requests */
  readonly perRequest: (organizations: number) => number;
  /** What moves it. */
  readonly setting: string;
}

/** The default quotas of an account (AWS: API Gateway, Lambda and DynamoDB, "Quotas"), and this service's own defaults. */
export const quotas = {
  gatewayRequestsPerSecond: 10_000,
  concurrentExecutions: 1000,
  /** Lambda takes ten requests a second for each concurrent execution. */
  requestsPerExecution: 10,
  tableWriteUnits: 40_000,
  tableReadUnits: 40_000,
  /** `requestsPerSecond` of infra/stack/service-options.ts, for each endpoint. */
  requestsPerEndpoint: 500,
} as const;

const mean = (
  requests: readonly MeasuredRequest[],
  of: (request: MeasuredRequest) => number,
): number => requests.reduce((sum, request) => sum + request.share * of(request), 0);

/** The most that one second of one kind of partition gives. */
const capacityOf = (partition: string): number =>
  partition.startsWith('read') ? readUnitsPerSecond : writeUnitsPerSecond;

/** Partitions that belong to one organization as a whole: those of a lead, a phone or a record are as many as there are leads. */
const ofOrganization = new Set([
  'USAGE',
  'LEADS',
  'ORG',
  'STAGE',
  'OWNER',
  'SOURCE',
  'UPDATED',
  'TURN',
]);

export function scaleLimits(requests: readonly MeasuredRequest[]): ScaleLimit[] {
  const byEndpoint = Map.groupBy(requests, ({ endpoint }) => endpoint);
  const [busiest = '', busiestShare = 0] =
    [...byEndpoint]
      .map(([endpoint, all]) => [endpoint, mean(all, () => 1)] as const)
      .sort(([, one], [, other]) => other - one)[0] ?? [];
  const seconds = mean(requests, ({ milliseconds }) => milliseconds) / 1000;
  const perExecution = Math.max(seconds, 1 / quotas.requestsPerExecution);
  return [
    {
      name: 'hourly limit of the largest organization',
      label: 'hourly limit of the largest',
      capacity: contract.requestsPerOrganizationPerWindow / 3600,
      unit: 'requests a second',
      perRequest: largestShare,
      setting: '`requestsPerOrganizationPerHour`, up to 360,000',
    },
    {
      name: `requests a second of one endpoint (${busiest})`,
      label: 'one endpoint',
      capacity: quotas.requestsPerEndpoint,
      unit: 'requests a second',
      perRequest: () => busiestShare,
      setting: '`requestsPerSecond`',
    },
    ...hottestPartitions(requests),
    {
      name: "the table's write units",
      label: 'write units of the table',
      capacity: quotas.tableWriteUnits,
      unit: 'write units a second',
      perRequest: () => mean(requests, ({ writeUnits }) => writeUnits),
      setting: 'DynamoDB quota: write units of a table on demand',
    },
    {
      name: "the table's read units",
      label: 'read units of the table',
      capacity: quotas.tableReadUnits,
      unit: 'read units a second',
      perRequest: () => mean(requests, ({ readUnits }) => readUnits),
      setting: 'DynamoDB quota: read units of a table on demand',
    },
    {
      name: 'concurrent executions',
      label: 'concurrent executions',
      capacity: quotas.concurrentExecutions,
      unit: 'executions',
      perRequest: () => perExecution,
      setting: 'Lambda quota: concurrent executions',
    },
    {
      name: 'requests a second of the account',
      label: 'account',
      capacity: quotas.gatewayRequestsPerSecond,
      unit: 'requests a second',
      perRequest: () => 1,
      setting: 'API Gateway quota: throttle of the account',
    },
  ];
}

/** The partition of the largest organization that is full first, for writes and for reads. */
function hottestPartitions(requests: readonly MeasuredRequest[]): ScaleLimit[] {
  const names = [...new Set(requests.flatMap(({ partitions }) => Object.keys(partitions)))].filter(
    (name) => ofOrganization.has(name.split(' ').at(-1) ?? ''),
  );
  const used = (name: string): number =>
    mean(requests, ({ partitions }) => partitions[name] ?? 0) / capacityOf(name);
  return (['write', 'read'] as const).flatMap((operation) => {
    const [hottest] = names
      .filter((name) => name.startsWith(operation))
      .sort((one, other) => used(other) - used(one));
    if (hottest === undefined) return [];
    return [
      {
        name: `one partition of the largest organization (${operation}s of ${hottest.split(' ').slice(1).join(', ')})`,
        label: `${operation}s of the largest`,
        capacity: capacityOf(hottest),
        unit: `${operation} units a second`,
        perRequest: (organizations) =>
          largestShare(organizations) * used(hottest) * capacityOf(hottest),
        setting: 'none: split the organization',
      } satisfies ScaleLimit,
    ];
  });
}

/** The requests a second, of all organizations together, at which a limit is met. */
export const rateAt = ({ capacity, perRequest }: ScaleLimit, organizations: number): number =>
  capacity / perRequest(organizations);
