import { Aws, Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type MetricName,
  metricDimension,
  metricNamespace,
} from '../../../shared/observability/metrics.ts';
import type { Backups } from '../backups.ts';
import type { EndpointFunction } from '../endpoint-function.ts';
import { firewallRules } from '../firewall.ts';
import { stageName } from '../lead-api.ts';
import type { LeadEvents } from '../lead-events.ts';
import type { LeadTable } from '../lead-table.ts';
import type { ServiceOptions } from '../service-options.ts';

/** The service that is monitored. */
export interface Monitored {
  /** The address that callers use. */
  readonly baseUrl: string;
  /** The service's name is the name of the dashboard, and the prefix of the alarm names. */
  readonly options: ServiceOptions;
  readonly functions: readonly EndpointFunction[];
  readonly table: LeadTable;
  readonly events: LeadEvents | undefined;
  readonly backups: Backups | undefined;
}

/** The metrics of a service. Unless stated otherwise, periods are five minutes, the CDK's default. */
export class Metrics {
  readonly service: Monitored;
  readonly #options: ServiceOptions;

  constructor(service: Monitored) {
    this.service = service;
    this.#options = service.options;
  }

  /**
   * A metric of the whole API. Names the API and stage as text, because a reference would make the API depend on the alarm of its own
   * release.
   */
  api(metricName: string, statistic: string = Stats.SUM): Metric {
    const dimensionsMap = { ApiName: this.#options.serviceName, Stage: stageName };
    return sumOf('AWS/ApiGateway', metricName, dimensionsMap).with({ statistic });
  }

  /** A metric of the functions' log lines. */
  logged(metricName: MetricName, statistic: string = Stats.SUM): Metric {
    const dimensionsMap = { [metricDimension]: this.#options.serviceName };
    return sumOf(metricNamespace, metricName, dimensionsMap).with({ statistic });
  }

  /**
   * A metric of the log lines, for an alarm. Functions report it only if it is not 0, so zeros are filled in. Without them, CloudWatch
   * would look for older data points, and the alarm would stay on longer.
   */
  counted(metricName: MetricName, label: string): MathExpression {
    return sum([this.logged(metricName)], label);
  }

  /**
   * Server errors in percent of the calls. Fewer than `minimum` errors count as 0, because one failure in ten calls is not an outage.
   * NOT_READY is a 503 by contract, but concerns a single organization and has its own alarm.
   */
  serverErrorShare(minimum?: number): MathExpression {
    const failures = '(FILL(failures, 0) - FILL(notReady, 0))';
    const share = `100 * ${failures} / calls`;
    return new MathExpression({
      expression: minimum === undefined ? share : `IF(${failures} >= ${minimum}, ${share}, 0)`,
      usingMetrics: {
        failures: this.api('5XXError'),
        notReady: this.logged('notReady'),
        calls: this.api('Count'),
      },
      label: `server errors, % of the calls${minimum === undefined ? ' in 5 min' : ''}`,
    });
  }

  /**
   * The share of calls with unknown keys. Every heartbeat gets a 401, so the number of heartbeats sent is subtracted, including failed
   * ones. A header cannot mark them, because anyone could send it. In a period without other calls, 0 / 0 is a missing value.
   */
  unauthorizedShare(): MathExpression {
    const { heartbeat } = this.#options;
    const unauthorized = 'FILL(unauthorized, 0)';
    return new MathExpression({
      expression: heartbeat
        ? `100 * (${unauthorized} - FILL(heartbeats, 0)) / (calls - FILL(heartbeats, 0))`
        : `100 * ${unauthorized} / calls`,
      usingMetrics: {
        unauthorized: this.logged('unauthorized'),
        calls: this.api('Count'),
        ...(heartbeat && {
          heartbeats: this.logged('heartbeatAnswered', Stats.SAMPLE_COUNT),
        }),
      },
      label: 'unknown keys, % of the calls',
    });
  }

  /**
   * The 4xx responses of the gateway itself: all, minus those of the functions and the firewall. API Gateway has no metric for its
   * throttle, and bills metrics of single methods as custom metrics:
   * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html.
   */
  gatewayRefusals(): MathExpression {
    const { waf } = this.#options;
    return new MathExpression({
      expression: `FILL(clientErrors, 0) - FILL(ofFunctions, 0)${waf ? ' - FILL(ofFirewall, 0)' : ''}`,
      usingMetrics: {
        clientErrors: this.api('4XXError'),
        ofFunctions: this.logged('refused'),
        ...(waf && { ofFirewall: this.#firewall('BlockedRequests', 'ALL') }),
      },
      label: 'refused by the gateway',
    });
  }

  /** The time of each endpoint's function. */
  durations(): Metric[] {
    return this.service.functions.map((handler) =>
      handler.metricDuration({ statistic: Stats.p(99), label: handler.endpoint.name }),
    );
  }

  throttles(kind: 'reading' | 'writing'): MathExpression {
    const isOfKind = ({ endpoint }: EndpointFunction): boolean =>
      (endpoint.method === 'GET') === (kind === 'reading');
    const throttles = this.service.functions.filter(isOfKind).map((one) => one.metricThrottles());
    return sum(throttles, `${kind} functions throttled`);
  }

  captures(): Metric {
    const capture = this.service.functions.find(({ endpoint }) => endpoint.name === 'capture-lead');
    if (!capture) throw new Error('Without capture-lead, refused captures would go unnoticed.');
    return capture.metricInvocations();
  }

  /** One kind of refused captures, in percent of all captures. Names on a graph must be unique, so each kind has a separate name. */
  captureShare(metricName: MetricName, label: string): MathExpression {
    return new MathExpression({
      expression: `100 * FILL(${metricName}, 0) / of_${metricName}`,
      usingMetrics: {
        [metricName]: this.logged(metricName),
        [`of_${metricName}`]: this.captures(),
      },
      label,
    });
  }

  /**
   * At least 100 if the firewall refused an address for its rate. Otherwise, the percentage of requests that it refused as known attackers.
   * Fewer than 20 such requests count as 0, because every public address is scanned now and then.
   */
  blocked(): MathExpression {
    const attackers = 'FILL(attackers, 0)';
    return new MathExpression({
      expression: `100 * FILL(overRate, 0) + IF(${attackers} >= 20, 100 * ${attackers} / (${attackers} + FILL(allowed, 0)), 0)`,
      usingMetrics: {
        overRate: this.#firewall('BlockedRequests', firewallRules.requestsPerAddress),
        attackers: this.#firewall('BlockedRequests', firewallRules.knownAttackers),
        allowed: this.#firewall('AllowedRequests', 'ALL'),
      },
      label: 'blocked by the firewall',
    });
  }

  /**
   * Namespace, names and dimensions: docs.aws.amazon.com/waf/latest/developerguide/waf-metrics.html. `Rule` is the metric name in the
   * rule's visibility configuration. AWS WAF reports a metric only if it is not zero.
   */
  #firewall(metricName: string, rule: string): Metric {
    const dimensionsMap = { WebACL: this.#options.serviceName, Region: Aws.REGION, Rule: rule };
    return sumOf('AWS/WAFV2', metricName, dimensionsMap);
  }
}

const sumOf = (
  namespace: string,
  metricName: string,
  dimensionsMap: Record<string, string>,
): Metric => new Metric({ namespace, metricName, dimensionsMap, statistic: Stats.SUM });

/**
 * The sum of metrics. A missing value counts as 0, so that a metric without data does not hide the rest. Metric names must be unique on a
 * graph. An alarm can use at most ten metrics.
 */
export function sum(metrics: readonly Metric[], label: string): MathExpression {
  const prefix = label.replace(/\W+/g, '_');
  const named = metrics.map((metric, index) => [`${prefix}_${index}`, metric] as const);
  return new MathExpression({
    expression: named.map(([name]) => `FILL(${name}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(named),
    label,
  });
}

/**
 * AWS Backup jobs per day. A copy job is counted for its destination vault. Metrics and dimensions:
 * https://docs.aws.amazon.com/aws-backup/latest/devguide/cloudwatch.html.
 */
export function backupJobs(metricName: string, vaultName: string, label: string): MathExpression {
  const jobs = sumOf('AWS/Backup', metricName, { BackupVaultName: vaultName });
  return sum([jobs], label).with({ period: Duration.days(1) });
}
