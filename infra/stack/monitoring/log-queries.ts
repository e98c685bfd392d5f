import { LogQueryVisualizationType, LogQueryWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';

/** Queries by the title that CloudWatch shows. */
type Queries = Readonly<Record<string, string>>;

/** The dashboard's tables. Figures per endpoint and per organization come from log queries, because they would be expensive as metrics. */
const tables: Queries = {
  Endpoints: `filter message = "answered"
| stats count() as calls, pct(ms, 50) as p50, pct(ms, 99) as p99, avg(dynamodbCalls), avg(readUnits), avg(writeUnits), sum(coldStart) as coldStarts by endpoint
| sort calls desc`,
  Organizations: `filter message = "answered"
| stats count() as calls, sum(readUnits), sum(writeUnits), sum(rateLimited), sum(notReady), sum(keyExpiresSoon) by organizationId
| sort calls desc
| limit 20`,
  // Lambda logs time-outs and crashes itself, and its lines name only the log group.
  Failures: `filter level = "ERROR" or @message like /Task timed out|Runtime exited|"errorType"/
| fields @timestamp, version, coalesce(endpoint, @log) as function, organizationId, requestId, coalesce(error.message, @message) as problem
| sort @timestamp desc
| limit 20`,
  'Affected organizations': `filter message = "answered" and status >= 500
| stats count() as failures, count_distinct(keyId) as keys, min(@timestamp) as first, max(@timestamp) as last by organizationId, endpoint
| sort failures desc
| limit 20`,
  Refusals: `filter ispresent(code)
| stats count() as calls by code, endpoint, organizationId, keyId, keyRefusal
| sort calls desc
| limit 20`,
};

const linesWhere = (condition: string): string =>
  `fields @timestamp, endpoint, organizationId, keyId, leadId, status, code, ms, requestId, error.message
| filter ${condition}
| sort @timestamp desc
| limit 100`;

/**
 * Queries for the lines of one request, key, organization or lead: replace the value in capitals. `Releases` shows when each release
 * answered.
 */
const lookups: Queries = {
  Request: linesWhere('requestId = "REQUEST_ID"'),
  Key: linesWhere('keyId = "KEY_ID"'),
  Organization: linesWhere('organizationId = ORGANIZATION_ID'),
  Lead: linesWhere('organizationId = ORGANIZATION_ID and leadId = LEAD_ID'),
  // Nothing else in AWS names the release before the deployed one (OPERATE.md, "Go back").
  Releases: `filter message = "answered"
| stats min(@timestamp) as first, max(@timestamp) as last, count() as calls by version
| sort last desc`,
};

/** Saves the queries in CloudWatch, in a folder with the service's name: the lookups and the dashboard's tables. */
export function saveQueries(scope: Construct, serviceName: string, logGroupNames: string[]): void {
  const queries = new Construct(scope, 'Queries');
  for (const [title, queryString] of Object.entries({ ...lookups, ...tables }))
    new CfnQueryDefinition(queries, title, {
      name: `${serviceName}/${title}`,
      queryString,
      logGroupNames,
    });
}

/** The dashboard's tables, which query these log groups. */
export const logWidgets = (logGroupNames: string[]): LogQueryWidget[] =>
  Object.entries(tables).map(
    ([title, queryString]) =>
      new LogQueryWidget({
        title,
        queryString,
        logGroupNames,
        view: LogQueryVisualizationType.TABLE,
        width: 12,
        height: 8,
      }),
  );
