import { Duration, Stack } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import {
  type CustomMetric,
  type CustomMetricGroup,
  type CustomMetricWithAlarm,
  DefaultDashboardFactory,
  type MetricWithAlarmSupport,
  MonitoringFacade,
  multipleActions,
  SnsAlarmActionStrategy,
} from 'cdk-monitoring-constructs';
import { Construct } from 'constructs';
import type { MetricName } from '../../../shared/metrics.ts';
import type { Backups } from '../backups.ts';
import type { EndpointFunction } from '../endpoint-function.ts';
import type { LeadEvents } from '../lead-events.ts';
import type { ServiceOptions } from '../service-options.ts';
import { type AlarmName, alarmed, period } from './alarms.ts';
import { logWidgets, saveQueries } from './log-queries.ts';
import {
  backupsCompleted,
  copiesFailed,
  Metrics,
  ofTable,
  sum,
  tableThrottles,
} from './metrics.ts';

export interface MonitoringProps {
  /** The address that callers use. */
  readonly baseUrl: string;
  /** The service's name is the name of the dashboard, and the prefix of the alarm names. */
  readonly options: ServiceOptions;
  readonly functions: readonly EndpointFunction[];
  readonly table: ITable;
  /** Undefined if the service publishes no events. */
  readonly events: LeadEvents | undefined;
  /** Undefined without `backup`. */
  readonly backups: Backups | undefined;
  readonly topics: readonly ITopic[];
}

/** A dashboard, and the alarms of `alarms.ts`, each on the graph of its metric. */
export class Monitoring extends Construct {
  readonly #props: MonitoringProps;
  readonly #metrics: Metrics;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { functions, events, backups, options } = props;
    this.#props = props;
    this.#metrics = new Metrics(options);
    const facade = facadeOf(this, props);
    const monitor = (name: string, metricGroups: CustomMetricGroup[]) =>
      facade.monitorCustom({ alarmFriendlyName: name, humanReadableName: name, metricGroups });
    const logGroupNames = functions.map(({ logGroup }) => logGroup.logGroupName);

    monitor('Calls', this.#callGraphs());
    monitor('Refusals', this.#refusalGraphs());
    saveQueries(this, options.serviceName, logGroupNames);
    for (const widget of logWidgets(logGroupNames)) facade.addWidget(widget);
    monitor('Table', this.#tableGraphs());
    if (events) monitor('Events', this.#eventGraphs(events));
    if (options.heartbeat) monitor('Heartbeat', this.#heartbeatGraphs());
    if (backups) monitor('Backups', this.#backupGraphs(backups));
  }

  #callGraphs(): CustomMetricGroup[] {
    const metrics = this.#metrics;
    const { functions } = this.#props;
    return [
      graph(
        'Calls and refusals',
        metrics.api('Count'),
        metrics.api('4XXError'),
        metrics.logged('rateLimited'),
        this.#alarmed('GatewayThrottled', metrics.gatewayRefusals()),
      ),
      graph('Server errors', this.#alarmed('ServerErrors', metrics.serverErrorShare(3))),
      graph(
        'Server errors that continue',
        // Few failures that do not end. The alarm needs several periods, so that a single failure does not set it off.
        this.#alarmed('FailuresContinue', metrics.serverErrorShare()),
      ),
      graph(
        'Response time',
        metrics.api('Latency', Stats.p(50)),
        this.#alarmed('SlowAnswers', metrics.api('Latency', Stats.p(99))),
      ),
      graph(
        'Time per endpoint, p99',
        ...functions.map((handler) =>
          handler.metricDuration({ statistic: Stats.p(99), label: handler.endpoint.name, period }),
        ),
      ),
      graph('Functions', ...this.#throttles(), metrics.logged('coldStart')),
      graph(
        'Needs attention',
        this.#alarmed('CaptureNotReady', metrics.counted('notReady', 'not ready')),
        this.#alarmed(
          'KeyExpiresSoon',
          metrics.counted('keyExpiresSoon', 'keys that expire soon', Duration.days(1)),
        ),
      ),
    ];
  }

  #throttles(): CustomMetric[] {
    const throttles = (kind: string, functions: readonly EndpointFunction[]) =>
      sum(
        functions.map((handler) => handler.metricThrottles({ period })),
        `${kind} functions throttled`,
      );
    const { functions } = this.#props;
    const reading = functions.filter(({ endpoint }) => endpoint.method === 'GET');
    const writing = functions.filter(({ endpoint }) => endpoint.method !== 'GET');
    return [
      this.#alarmed('ReadingFunctionsThrottled', throttles('reading', reading)),
      this.#alarmed('WritingFunctionsThrottled', throttles('writing', writing)),
    ];
  }

  /** Requests that the service refuses, and captures that do not come: each may be an enquiry that is lost. */
  #refusalGraphs(): CustomMetricGroup[] {
    const metrics = this.#metrics;
    const { waf, noCapturesHours } = this.#props.options;
    const capture = this.#captureFunction();
    return [
      graph(
        'Unknown keys, % of the calls',
        this.#alarmed('CallersUnauthorized', metrics.unauthorizedShare()),
      ),
      graph(
        'Captures refused, % of the captures',
        // By kind, because each has another remedy. The firewall's blocks, which no function sees, are in `RequestsBlocked`.
        this.#alarmed(
          'CapturesUnauthorized',
          metrics.captureShare(capture, 'capturesUnauthorized', '401 and 403'),
        ),
        this.#alarmed(
          'CapturesInvalid',
          metrics.captureShare(capture, 'capturesInvalid', '422, 400, 413 and 415'),
        ),
      ),
      this.#lastingRefusals(),
      graph(
        'Captures over the limit',
        this.#alarmed(
          'CapturesRateLimited',
          metrics.counted('capturesRateLimited', 'over the limit'),
        ),
      ),
      ...(noCapturesHours === undefined ? [] : [this.#silenceGraph(noCapturesHours)]),
      ...(waf
        ? [graph('Blocked by the firewall', this.#alarmed('RequestsBlocked', metrics.blocked()))]
        : []),
    ];
  }

  /** Few refusals that do not end: one organization of several may lose every enquiry. */
  #lastingRefusals(): CustomMetricGroup {
    const metrics = this.#metrics;
    return graph(
      'Refusals that last',
      this.#alarmed(
        'KnownKeyRefused',
        metrics.counted('knownKeyRefused', 'revoked or expired keys, and 403'),
      ),
      this.#alarmed(
        'CapturesKeepFailing',
        metrics.counted('capturesMismatched', 'captures with missing or unknown fields'),
      ),
    );
  }

  #silenceGraph(hours: number): CustomMetricGroup {
    const hour = Duration.hours(1);
    const invocations = this.#captureFunction().metricInvocations({ period: hour });
    const captures = sum([invocations], 'captures', hour);
    return graph('Captures in an hour', this.#alarmed('NoCaptures', captures, hours));
  }

  /** @throws Error without that function: refused captures would go unnoticed */
  #captureFunction(): EndpointFunction {
    const capture = this.#props.functions.find(({ endpoint }) => endpoint.name === 'capture-lead');
    if (!capture) throw new Error('The service has no endpoint capture-lead.');
    return capture;
  }

  #tableGraphs(): CustomMetricGroup[] {
    const metrics = this.#metrics;
    const { table } = this.#props;
    const alarmed = (name: AlarmName, metricName: MetricName, what: string) =>
      this.#alarmed(name, metrics.counted(metricName, `calls that failed: ${what}`));
    return [
      graph(
        'Units',
        ofTable(table, 'ConsumedReadCapacityUnits'),
        ofTable(table, 'ConsumedWriteCapacityUnits'),
        metrics.logged('dynamodbCalls'),
      ),
      graph(
        'Throttled',
        tableThrottles(table),
        alarmed('TableThrottled', 'tableThrottled', 'throttled'),
      ),
      graph('Failed', alarmed('TableFailed', 'tableFailed', 'failed')),
      graph(
        'Transaction conflicts',
        ofTable(table, 'TransactionConflict'),
        alarmed('TransactionsRefused', 'contended', 'contended'),
      ),
    ];
  }

  /** How long events wait, and what was given up. */
  #eventGraphs({ publisher, undelivered }: LeadEvents): CustomMetricGroup[] {
    const age = publisher.metric('IteratorAge', { statistic: Stats.MAXIMUM, period });
    const messages = undelivered.metricApproximateNumberOfMessagesVisible({ period });
    return [
      graph('Events waiting, ms', this.#alarmed('EventsLate', age)),
      graph('Events given up', this.#alarmed('EventsUndelivered', messages)),
    ];
  }

  #heartbeatGraphs(): CustomMetricGroup[] {
    const metrics = this.#metrics;
    const days = metrics.logged('certificateDays').with({ statistic: Stats.MINIMUM });
    return [
      graph(
        'Heartbeats answered',
        this.#alarmed('HeartbeatFailed', metrics.counted('heartbeatAnswered', 'heartbeats')),
      ),
      graph('Heartbeat, ms', metrics.logged('heartbeatMs').with({ statistic: Stats.MAXIMUM })),
      ...(this.#props.options.domainName
        ? [graph('Certificate, days left', this.#alarmed('CertificateExpires', days))]
        : []),
    ];
  }

  #backupGraphs(backups: Backups): CustomMetricGroup[] {
    const { backupCopyTo } = this.#props.options;
    return [
      graph('Backups completed', this.#alarmed('BackupMissing', backupsCompleted(backups))),
      ...(backupCopyTo
        ? [graph('Copies failed', this.#alarmed('BackupCopyFailed', copiesFailed(backupCopyTo)))]
        : []),
    ];
  }

  /** A metric with its alarm. */
  #alarmed(
    name: AlarmName,
    metric: MetricWithAlarmSupport,
    datapoints?: number,
  ): CustomMetricWithAlarm {
    const { options, baseUrl } = this.#props;
    const { serviceName, noCapturesHours } = options;
    const values = {
      NAME: Stack.of(this).stackName,
      BASE_URL: baseUrl,
      VAULT: serviceName,
      HOURS: String(noCapturesHours),
    };
    return alarmed(name, metric, { serviceName, values }, datapoints);
  }
}

const graph = (title: string, ...metrics: CustomMetric[]): CustomMetricGroup => ({
  title,
  metrics,
});

function facadeOf(scope: Construct, { topics, options }: MonitoringProps): MonitoringFacade {
  const { serviceName } = options;
  return new MonitoringFacade(scope, 'Facade', {
    alarmFactoryDefaults: {
      actionsEnabled: true,
      alarmNamePrefix: serviceName,
      action: multipleActions(
        ...topics.map(
          (topic) => new SnsAlarmActionStrategy({ onAlarmTopic: topic, onOkTopic: topic }),
        ),
      ),
    },
    dashboardFactory: new DefaultDashboardFactory(scope, 'Dashboards', {
      dashboardNamePrefix: serviceName,
    }),
  });
}
