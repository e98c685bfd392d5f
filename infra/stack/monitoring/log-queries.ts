import { LogQueryVisualizationType, LogQueryWidget } from 'aws-cdk-lib/aws-cloudwatch';

interface LogQuery {
  readonly title: string;
  readonly queryLines: string[];
}

/** Numbers per endpoint and per organization, from log queries: as metrics they would be expensive. */
export const logQueries: readonly LogQuery[] = [
  {
    title: 'Endpoints',
    queryLines: [
      'filter message = "answered"',
      'stats count() as calls, pct(ms, 50) as p50, pct(ms, 99) as p99, avg(dynamodbCalls), avg(readUnits), avg(writeUnits), sum(coldStart) as coldStarts by endpoint',
      'sort calls desc',
    ],
  },
  {
    title: 'Organizations',
    queryLines: [
      'filter message = "answered"',
      'stats count() as calls, sum(readUnits), sum(writeUnits), sum(rateLimited), sum(notReady), sum(keyExpiresSoon) by organizationId',
      'sort calls desc',
      'limit 20',
    ],
  },
  {
    title: 'Failures',
    queryLines: [
      // Time-outs and crashes are logged by Lambda, not by us; those lines have only the log group.
      'filter level = "ERROR" or @message like /Task timed out|Runtime exited|"errorType"/',
      'fields @timestamp, version, coalesce(endpoint, @log) as function, organizationId, requestId, coalesce(error.message, @message) as problem',
      'sort @timestamp desc',
      'limit 20',
    ],
  },
  {
    title: 'Affected organizations',
    queryLines: [
      'filter message = "answered" and status >= 500',
      'stats count() as failures, count_distinct(keyId) as keys, min(@timestamp) as first, max(@timestamp) as last by organizationId, endpoint',
      'sort failures desc',
      'limit 20',
    ],
  },
  {
    title: 'Refusals',
    queryLines: [
      'filter ispresent(code)',
      'stats count() as calls by code, endpoint, organizationId, keyId',
      'sort calls desc',
      'limit 20',
    ],
  },
];

/** The dashboard's tables, of the lines in these log groups. */
export function logWidgets(logGroupNames: string[]): LogQueryWidget[] {
  return logQueries.map(
    (query) =>
      new LogQueryWidget({
        ...query,
        logGroupNames,
        view: LogQueryVisualizationType.TABLE,
        width: 12,
        height: 8,
      }),
  );
}
