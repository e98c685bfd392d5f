import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type MetricName, metricDimension, metricNamespace } from '../../../shared/metrics.ts';
import { tableDefinition } from '../../../shared/store/table/table-definition.ts';
import { stageName } from '../lead-api.ts';

export const period = Duration.minutes(5);

/** A metric of the API as a whole. By name and stage as text: a reference would make the API wait for the alarm that guards its release. */
export const apiMetric = (serviceName: string, metricName: string, statistic: string = Stats.SUM): Metric =>
  new Metric({
    namespace: 'AWS/ApiGateway',
    metricName,
    dimensionsMap: { ApiName: serviceName, Stage: stageName },
    statistic,
    period,
  });

/** A figure of the functions' log lines (shared/metrics.ts). */
export const serviceMetric = (serviceName: string, metricName: MetricName, over: Duration = period): Metric =>
  new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { [metricDimension]: serviceName },
    statistic: Stats.SUM,
    period: over,
  });

/**
 * Server errors in percent of the calls; 0 below three of them, since one failure of ten calls is no outage. NOT_READY is a 503
 * by contract and one organization's own affair: it has an alarm of its own and must not take a release back.
 */
export function serverErrorShare(serviceName: string): MathExpression {
  const failures = '(FILL(failures, 0) - FILL(notReady, 0))';
  return new MathExpression({
    expression: `IF(${failures} >= 3, 100 * ${failures} / calls, 0)`,
    usingMetrics: {
      failures: apiMetric(serviceName, '5XXError'),
      notReady: serviceMetric(serviceName, 'notReady'),
      calls: apiMetric(serviceName, 'Count'),
    },
    label: 'server errors, % of the calls',
    period,
  });
}

/** The throttles of several functions together. An alarm looks at ten metrics at the most. */
export const throttles = (functions: readonly IFunction[], label: string): MathExpression =>
  sum(
    functions.map((one) => one.metricThrottles({ period })),
    label,
  );

const tableMetric = (table: ITable, metricName: string, more: Record<string, string> = {}): Metric =>
  new Metric({
    namespace: 'AWS/DynamoDB',
    metricName,
    dimensionsMap: { TableName: table.tableName, ...more },
    statistic: Stats.SUM,
    period,
  });

/** A metric of the table, such as `TransactionConflict` or `ConsumedWriteCapacityUnits`. */
export const ofTable = (table: ITable, metricName: string): Metric => tableMetric(table, metricName);

/** Requests that the table or one of its indexes turned away for a moment: ten metrics, as many as an alarm takes. */
export function tableThrottles(table: ITable): MathExpression {
  const parts = [{}, ...tableDefinition.indexes.map(({ name }) => ({ GlobalSecondaryIndexName: name }))];
  const metrics = parts.flatMap((part) =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map((metricName) => tableMetric(table, metricName, part)),
  );
  return sum(metrics, 'throttled requests');
}

/** What the functions ask of the table (DynamoDB gives this metric by operation only). */
const operations = ['GetItem', 'BatchGetItem', 'Query', 'UpdateItem', 'TransactWriteItems'];

/** Requests that DynamoDB failed to answer (HTTP 500). */
export const tableFailures = (table: ITable): MathExpression =>
  sum(
    operations.map((Operation) => tableMetric(table, 'SystemErrors', { Operation })),
    'failed requests',
  );

/** Absent is 0: a metric without a value yet must not hide the others. On one graph, no two metrics may have one name. */
function sum(metrics: readonly IMetric[], label: string): MathExpression {
  const prefix = label.replace(/\W+/g, '_');
  const named = metrics.map((metric, index): [string, IMetric] => [`${prefix}_${index}`, metric]);
  return new MathExpression({
    expression: named.map(([name]) => `FILL(${name}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(named),
    label,
    period,
  });
}
