import { Aws, Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { CustomMetricGroup, CustomMetricWithAlarm } from 'cdk-monitoring-constructs';
import type { MetricName } from '../../../shared/metrics.ts';
import { firewallRules } from '../firewall.ts';
import type { ServiceOptions } from '../service-options.ts';
import { alarmed, alarmedBySilence } from './alarms.ts';
import { apiMetric, counted, period, serviceMetric, sum } from './metrics.ts';

export interface RefusalGraphsProps {
  readonly options: Pick<ServiceOptions, 'serviceName' | 'waf' | 'noCapturesHours'>;
  readonly captureFunction: IFunction;
}

/** Requests that the service refuses, and captures that do not come: each may be an enquiry that is lost. */
export function refusalGraphs(props: RefusalGraphsProps): CustomMetricGroup[] {
  const { options } = props;
  const { serviceName } = options;
  return [
    {
      title: 'Unknown keys, % of the calls',
      metrics: [alarmed(serviceName, 'CallersUnauthorized', unauthorizedShare(serviceName))],
    },
    { title: 'Captures refused, % of the captures', metrics: refusedCaptures(props) },
    {
      title: 'Captures over the limit',
      metrics: [
        alarmed(
          serviceName,
          'CapturesRateLimited',
          counted(serviceName, 'capturesRateLimited', 'over the limit'),
        ),
      ],
    },
    ...silenceGraphs(props),
    ...firewallGraphs(options),
  ];
}

/** By kind, because each has another remedy. The firewall's blocks, which no function sees, are in `RequestsBlocked`. */
function refusedCaptures(props: RefusalGraphsProps): CustomMetricWithAlarm[] {
  const unauthorized = captureShare(props, 'capturesUnauthorized', '401 and 403');
  const invalid = captureShare(props, 'capturesInvalid', '422, 400, 413 and 415');
  return [
    alarmed(props.options.serviceName, 'CapturesUnauthorized', unauthorized),
    alarmed(props.options.serviceName, 'CapturesInvalid', invalid),
  ];
}

function silenceGraphs({ options, captureFunction }: RefusalGraphsProps): CustomMetricGroup[] {
  const { noCapturesHours: hours } = options;
  if (hours === undefined) return [];
  const hour = Duration.hours(1);
  const captures = sum([captureFunction.metricInvocations({ period: hour })], 'captures', hour);
  return [
    {
      title: 'Captures in an hour',
      metrics: [alarmedBySilence(options.serviceName, captures, hours)],
    },
  ];
}

function firewallGraphs(options: RefusalGraphsProps['options']): CustomMetricGroup[] {
  if (!options.waf) return [];
  return [
    {
      title: 'Blocked by the firewall',
      metrics: [alarmed(options.serviceName, 'RequestsBlocked', blocked(options.serviceName))],
    },
  ];
}

const unauthorizedShare = (serviceName: string): MathExpression =>
  new MathExpression({
    expression: '100 * FILL(unauthorized, 0) / calls',
    usingMetrics: {
      unauthorized: serviceMetric(serviceName, 'unauthorized'),
      calls: apiMetric(serviceName, 'Count'),
    },
    label: 'unknown keys, % of the calls',
    period,
  });

/** One kind of refused captures, in percent of all captures. Names on a graph must be unique, so each kind has its own. */
const captureShare = (
  { options, captureFunction }: RefusalGraphsProps,
  metricName: MetricName,
  label: string,
): MathExpression =>
  new MathExpression({
    expression: `100 * FILL(${metricName}, 0) / of_${metricName}`,
    usingMetrics: {
      [metricName]: serviceMetric(options.serviceName, metricName),
      [`of_${metricName}`]: captureFunction.metricInvocations({ period }),
    },
    label,
    period,
  });

/**
 * At least 100 when the firewall refused an address for its rate; else the share of requests that it refused as known attackers, and 0
 * below 20 of them: every public address is scanned now and then.
 */
function blocked(serviceName: string): MathExpression {
  const attackers = 'FILL(attackers, 0)';
  return new MathExpression({
    expression: `100 * FILL(overRate, 0) + IF(${attackers} >= 20, 100 * ${attackers} / (${attackers} + FILL(allowed, 0)), 0)`,
    usingMetrics: {
      overRate: firewallMetric(serviceName, 'BlockedRequests', firewallRules.requestsPerAddress),
      attackers: firewallMetric(serviceName, 'BlockedRequests', firewallRules.knownAttackers),
      allowed: firewallMetric(serviceName, 'AllowedRequests', 'ALL'),
    },
    label: 'blocked by the firewall',
    period,
  });
}

/**
 * Namespace, names and dimensions: docs.aws.amazon.com/waf/latest/developerguide/waf-metrics.html. `Rule` is the metric name of the rule's
 * visibility configuration. A metric is reported only if it is not zero.
 */
const firewallMetric = (serviceName: string, metricName: string, rule: string): Metric =>
  new Metric({
    namespace: 'AWS/WAFV2',
    metricName,
    dimensionsMap: {
      WebACL: serviceName,
      Region: Aws.REGION,
      Rule: rule,
    },
    statistic: Stats.SUM,
    period,
  });
