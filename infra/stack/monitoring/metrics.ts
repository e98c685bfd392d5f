import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type MetricName, metricDimension, metricNamespace } from '../../../shared/metrics.ts';
import { tableDefinition } from '../../../shared/store/table/table-definition.ts';
import { stageName } from '../lead-api.ts';

export const period = Duration.minutes(5);

/** A metric of the whole API. Uses the name and stage as text: a reference would make the API depend on the alarm of its own release. */
export const apiMetric = (
  serviceName: string,
  metricName: string,
  statistic: string = Stats.SUM,
): Metric =>
  new Metric({
    namespace: 'AWS/ApiGateway',
    metricName,
    dimensionsMap: { ApiName: serviceName, Stage: stageName },
    statistic,
    period,
  });

/** A metric of the functions' log lines. */
export const serviceMetric = (
  serviceName: string,
  metricName: MetricName,
  over: Duration = period,
): Metric =>
  new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { [metricDimension]: serviceName },
    statistic: Stats.SUM,
    period: over,
  });

/**
 * Server errors in percent of the calls; 0 below three errors, because one failure in ten calls is not an outage. NOT_READY is a 503 by
 * contract, but concerns one organization: it has an alarm of its own.
 */
export function serverErrorShare(serviceName: string): MathExpression {
  return new MathExpression({
    expression: `IF(${failures} >= 3, 100 * ${failures} / calls, 0)`,
    usingMetrics: failuresAndCalls(serviceName),
    label: 'server errors, % of the calls',
    period,
  });
}

/** The same without the minimum of three errors: for alarms that need several periods, so that a single failure does not ring. */
export const anyServerErrorShare = (serviceName: string): MathExpression =>
  new MathExpression({
    expression: `100 * ${failures} / calls`,
    usingMetrics: failuresAndCalls(serviceName),
    label: `server errors, % of the calls in ${period.toMinutes()} min`,
    period,
  });

const failures = '(FILL(failures, 0) - FILL(notReady, 0))';
const failuresAndCalls = (serviceName: string): Record<string, IMetric> => ({
  failures: apiMetric(serviceName, '5XXError'),
  notReady: serviceMetric(serviceName, 'notReady'),
  calls: apiMetric(serviceName, 'Count'),
});

/** The throttles of several functions together. An alarm can use at most ten metrics. */
export const throttles = (functions: readonly IFunction[], label: string): MathExpression =>
  sum(
    functions.map((one) => one.metricThrottles({ period })),
    label,
  );

const tableMetric = (
  table: ITable,
  metricName: string,
  more: Record<string, string> = {},
): Metric =>
  new Metric({
    namespace: 'AWS/DynamoDB',
    metricName,
    dimensionsMap: { TableName: table.tableName, ...more },
    statistic: Stats.SUM,
    period,
  });

/** A metric of the table, such as `TransactionConflict` or `ConsumedWriteCapacityUnits`. */
export const ofTable = (table: ITable, metricName: string): Metric =>
  tableMetric(table, metricName);

/** Throttled requests to the table and its indexes, most of which the SDK repeats with success. */
export function tableThrottles(table: ITable): MathExpression {
  const parts = [
    {},
    ...tableDefinition.indexes.map(({ name }) => ({ GlobalSecondaryIndexName: name })),
  ];
  const metrics = parts.flatMap((part) =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map((metricName) =>
      tableMetric(table, metricName, part),
    ),
  );
  return sum(metrics, 'throttled requests');
}

/**
 * A metric of the log lines that is reported only when it is not 0, for an alarm. With the zeros, CloudWatch evaluates the latest periods;
 * without them, it would look for older points, and an alarm would stay on for longer.
 */
export const counted = (
  serviceName: string,
  metricName: MetricName,
  label: string,
  over: Duration = period,
): MathExpression => sum([serviceMetric(serviceName, metricName, over)], label, over);

/** A missing value counts as 0, so that a metric without data does not hide the others. Metric names must be unique on a graph. */
export function sum(
  metrics: readonly IMetric[],
  label: string,
  over: Duration = period,
): MathExpression {
  const prefix = label.replace(/\W+/g, '_');
  const named = metrics.map((metric, index): [string, IMetric] => [`${prefix}_${index}`, metric]);
  return new MathExpression({
    expression: named.map(([name]) => `FILL(${name}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(named),
    label,
    period: over,
  });
}
