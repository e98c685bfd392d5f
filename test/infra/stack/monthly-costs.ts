import type { Template } from 'aws-cdk-lib/assertions';
import { heartbeatMetricNames, heartbeatVariables, metricNames } from '../../../shared/metrics.ts';
import { prices } from '../../bench/prices.ts';
import { propertiesOf } from './service-template.ts';

/** What a stack has that is paid by the month, with the price of all of them. */
export interface MonthlyCost {
  readonly what: string;
  readonly count: number;
  readonly dollars: number;
}

export function monthlyCostsOf(template: Template): MonthlyCost[] {
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
    row('keys', count('AWS::KMS::Key'), key),
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

/** Different metrics of the dashboard: the first three dashboards are free up to 50 each. */
export function dashboardMetricsOf(template: Template): number {
  const [dashboard] = propertiesOf(template, 'AWS::CloudWatch::Dashboard');
  const [, parts]: [string, readonly unknown[]] = dashboard.DashboardBody['Fn::Join'];
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
