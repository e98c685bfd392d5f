import type { Template } from 'aws-cdk-lib/assertions';
import type { HeartbeatMetricName, MetricName } from '../../../shared/metrics.ts';
import { heartbeatVariables } from '../../../shared/metrics.ts';
import { prices } from '../../bench/prices.ts';

/** What a stack has that is paid by the month, with the price of all of them. */
export interface MonthlyCost {
  readonly what: string;
  readonly count: number;
  readonly dollars: number;
}

/** Every metric of a log line: the compiler completes it. */
const logMetrics: Readonly<Record<Exclude<MetricName, HeartbeatMetricName>, true>> = {
  dynamodbCalls: true,
  readUnits: true,
  writeUnits: true,
  coldStart: true,
  failed: true,
  notReady: true,
  contended: true,
  tableThrottled: true,
  tableFailed: true,
  refused: true,
  rateLimited: true,
  unauthorized: true,
  knownKeyRefused: true,
  capturesUnauthorized: true,
  capturesInvalid: true,
  capturesMismatched: true,
  capturesRateLimited: true,
  keyExpiresSoon: true,
};

const heartbeatMetrics: Readonly<Record<HeartbeatMetricName, true>> = {
  heartbeatAnswered: true,
  heartbeatMs: true,
  certificateDays: true,
};

export function monthlyCostsOf(template: Template): MonthlyCost[] {
  const count = (type: string): number => Object.keys(template.findResources(type)).length;
  const { alarmMetric, customMetric, dashboard, key, webAcl, webAclRule } = prices.monthly;
  const acls = propertiesOf<{ Rules: readonly unknown[] }>(template, 'AWS::WAFv2::WebACL');
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
    row('keys', count('AWS::KMS::Key'), key),
    row('web ACLs', acls.length, webAcl),
    row('rules of web ACLs', rules, webAclRule),
  ].filter((one) => one.count > 0);
}

const numberOfLogMetrics = (template: Template): number =>
  Object.keys(logMetrics).length +
  (JSON.stringify(template).includes(heartbeatVariables.baseUrl)
    ? Object.keys(heartbeatMetrics).length
    : 0);

const propertiesOf = <T>(template: Template, type: string): T[] =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties as T);

/** An alarm on metric math is paid for each of its metrics. */
function alarmMetricsOf(template: Template): number {
  const alarms = propertiesOf<{ Metrics?: readonly { MetricStat?: object }[] }>(
    template,
    'AWS::CloudWatch::Alarm',
  );
  return alarms.reduce(
    (sum, { Metrics }) => sum + (Metrics?.filter(({ MetricStat }) => MetricStat).length ?? 1),
    0,
  );
}

/** Different metrics of the dashboard: the first three dashboards are free up to 50 each. */
export function dashboardMetricsOf(template: Template): number {
  const [{ DashboardBody } = { DashboardBody: undefined }] = propertiesOf<{
    DashboardBody: unknown;
  }>(template, 'AWS::CloudWatch::Dashboard');
  const { 'Fn::Join': [, parts] = ['', []] } = DashboardBody as {
    'Fn::Join'?: [string, readonly unknown[]];
  };
  const body = parts
    .map((part) => (typeof part === 'string' ? part : JSON.stringify(part).replace(/\W/g, '')))
    .join('');
  const { widgets } = JSON.parse(body) as {
    widgets: readonly { properties: { metrics?: readonly (readonly unknown[])[] } }[];
  };
  const named = widgets
    .flatMap(({ properties }) => properties.metrics ?? [])
    .map((metric) => metric.filter((part) => typeof part === 'string'))
    .filter((metric) => metric.length > 0);
  return new Set(named.map((metric) => JSON.stringify(metric))).size;
}
