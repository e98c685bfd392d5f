import { Aws, Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { CustomMetricGroup } from 'cdk-monitoring-constructs';
import { firewallRules } from '../firewall.ts';
import type { ServiceOptions } from '../service-options.ts';
import { alarmed, alarmedBySilence } from './alarmed-metric.ts';
import { apiMetric, period, serviceMetric } from './metrics.ts';

export interface RefusalGraphsProps {
  readonly options: Pick<ServiceOptions, 'serviceName' | 'waf' | 'noCapturesHours'>;
  readonly captureFunction: IFunction;
}

/** Requests that the service refuses, and captures that do not come: each may be an enquiry that is lost. */
export function refusalGraphs(props: RefusalGraphsProps): CustomMetricGroup[] {
  const { options, captureFunction } = props;
  const { serviceName } = options;
  const twoOfThree = { datapoints: 2, periods: 3 };
  return [
    {
      title: 'Unknown keys, % of the calls',
      metrics: [
        alarmed(options, 'CallersUnauthorized', unauthorizedShare(serviceName), {
          from: 50,
          ...twoOfThree,
        }),
      ],
    },
    {
      title: 'Captures refused',
      metrics: [
        alarmed(options, 'CapturesRefused', refusedCaptureShare(serviceName, captureFunction), {
          from: 50,
          ...twoOfThree,
        }),
        alarmed(options, 'CapturesRateLimited', serviceMetric(serviceName, 'capturesRateLimited'), {
          from: 1,
        }),
      ],
    },
    ...silenceGraphs(props),
    ...firewallGraphs(props.options),
  ];
}

function silenceGraphs({ options, captureFunction }: RefusalGraphsProps): CustomMetricGroup[] {
  const { noCapturesHours: periods } = options;
  if (periods === undefined) return [];
  const captures = captureFunction.metricInvocations({ period: Duration.hours(1) });
  return [
    {
      title: 'Captures in an hour',
      metrics: [alarmedBySilence(options, 'NoCaptures', captures, { periods })],
    },
  ];
}

function firewallGraphs(options: RefusalGraphsProps['options']): CustomMetricGroup[] {
  if (!options.waf) return [];
  return [
    {
      title: 'Blocked by the firewall',
      metrics: [alarmed(options, 'RequestsBlocked', blocked(options.serviceName), { from: 20 })],
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

/** Captures over a limit are not among them: they have an alarm of their own, and succeed when they are retried in time. */
const refusedCaptureShare = (serviceName: string, captureFunction: IFunction): MathExpression =>
  new MathExpression({
    expression: '100 * (FILL(capturesUnauthorized, 0) + FILL(capturesInvalid, 0)) / captures',
    usingMetrics: {
      capturesUnauthorized: serviceMetric(serviceName, 'capturesUnauthorized'),
      capturesInvalid: serviceMetric(serviceName, 'capturesInvalid'),
      captures: captureFunction.metricInvocations({ period }),
    },
    label: 'refused, % of the captures',
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

/** AWS WAF developer guide, "AWS WAF metrics and dimensions". */
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
