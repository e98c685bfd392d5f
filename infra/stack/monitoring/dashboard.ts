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
import { type AlarmName, alarmed } from './alarms.ts';
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

/** What the graphs show. */
interface Watched extends MonitoringProps {
  readonly metrics: Metrics;
  /** The function of captures. */
  readonly capture: EndpointFunction;
  /** A metric with its alarm. @param datapoints instead of those of the alarm's threshold */
  readonly alarmed: (
    name: AlarmName,
    metric: MetricWithAlarmSupport,
    datapoints?: number,
  ) => CustomMetricWithAlarm;
}

/** A dashboard, and the alarms of `alarms.ts`, each on the graph of its metric. */
export class Monitoring extends Construct {
  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { functions, events, backups, options, baseUrl } = props;
    const capture = functions.find(({ endpoint }) => endpoint.name === 'capture-lead');
    if (!capture) throw new Error('Without capture-lead, refused captures would go unnoticed.');
    const values = {
      NAME: Stack.of(this).stackName,
      BASE_URL: baseUrl,
      VAULT: options.serviceName,
      HOURS: String(options.noCapturesHours),
    };
    const watched: Watched = {
      ...props,
      metrics: new Metrics(options),
      capture,
      alarmed: (name, metric, datapoints) =>
        alarmed(name, metric, { serviceName: options.serviceName, values, datapoints }),
    };
    const facade = facadeOf(this, props);
    const monitor = (name: string, metricGroups: CustomMetricGroup[]) =>
      facade.monitorCustom({ alarmFriendlyName: name, humanReadableName: name, metricGroups });
    const logGroupNames = functions.map(({ logGroup }) => logGroup.logGroupName);

    monitor('Calls', callGraphs(watched));
    monitor('Refusals', refusalGraphs(watched));
    saveQueries(this, options.serviceName, logGroupNames);
    for (const widget of logWidgets(logGroupNames)) facade.addWidget(widget);
    monitor('Table', tableGraphs(watched));
    if (events) monitor('Events', eventGraphs(watched, events));
    if (options.heartbeat) monitor('Heartbeat', heartbeatGraphs(watched));
    if (backups) monitor('Backups', backupGraphs(watched, backups));
  }
}

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

const graph = (title: string, ...metrics: CustomMetric[]): CustomMetricGroup => ({
  title,
  metrics,
});

const throttles = (kind: string, functions: readonly EndpointFunction[]) =>
  sum(
    functions.map((handler) => handler.metricThrottles()),
    `${kind} functions throttled`,
  );

function functionGraphs({ metrics, alarmed, functions }: Watched): CustomMetricGroup[] {
  const reading = functions.filter(({ endpoint }) => endpoint.method === 'GET');
  const writing = functions.filter(({ endpoint }) => endpoint.method !== 'GET');
  return [
    graph(
      'Time per endpoint, p99',
      ...functions.map((handler) =>
        handler.metricDuration({ statistic: Stats.p(99), label: handler.endpoint.name }),
      ),
    ),
    graph(
      'Functions',
      alarmed('ReadingFunctionsThrottled', throttles('reading', reading)),
      alarmed('WritingFunctionsThrottled', throttles('writing', writing)),
      metrics.logged('coldStart'),
    ),
  ];
}

function callGraphs(watched: Watched): CustomMetricGroup[] {
  const { metrics, alarmed } = watched;
  return [
    graph(
      'Calls and refusals',
      metrics.api('Count'),
      metrics.api('4XXError'),
      metrics.logged('rateLimited'),
      alarmed('GatewayThrottled', metrics.gatewayRefusals()),
    ),
    graph('Server errors', alarmed('ServerErrors', metrics.serverErrorShare(3))),
    // Few failures that do not end. The alarm needs several periods, so that a single failure does not set it off.
    graph('Server errors that continue', alarmed('FailuresContinue', metrics.serverErrorShare())),
    graph(
      'Response time',
      metrics.api('Latency', Stats.p(50)),
      alarmed('SlowAnswers', metrics.api('Latency', Stats.p(99))),
    ),
    ...functionGraphs(watched),
    graph(
      'Needs attention',
      alarmed('CaptureNotReady', metrics.counted('notReady', 'not ready')),
      alarmed(
        'KeyExpiresSoon',
        metrics
          .counted('keyExpiresSoon', 'keys that expire soon')
          .with({ period: Duration.days(1) }),
      ),
    ),
  ];
}

/** Requests that the service refuses, and captures that do not come: each may be an enquiry that is lost. */
function refusalGraphs(watched: Watched): CustomMetricGroup[] {
  const { metrics, alarmed, capture, options } = watched;
  const { waf, noCapturesHours } = options;
  const captures = sum([capture.metricInvocations()], 'captures').with({
    period: Duration.hours(1),
  });
  const share = (name: MetricName, label: string) => metrics.captureShare(capture, name, label);
  return [
    graph(
      'Unknown keys, % of the calls',
      alarmed('CallersUnauthorized', metrics.unauthorizedShare()),
    ),
    graph(
      'Captures refused, % of the captures',
      // By kind, because each has another remedy. The firewall's blocks, which no function sees, are in `RequestsBlocked`.
      alarmed('CapturesUnauthorized', share('capturesUnauthorized', '401 and 403')),
      alarmed('CapturesInvalid', share('capturesInvalid', '422, 400, 413 and 415')),
    ),
    lastingRefusals(watched),
    graph(
      'Captures over the limit',
      alarmed('CapturesRateLimited', metrics.counted('capturesRateLimited', 'over the limit')),
    ),
    ...(noCapturesHours === undefined
      ? []
      : [graph('Captures in an hour', alarmed('NoCaptures', captures, noCapturesHours))]),
    ...(waf
      ? [graph('Blocked by the firewall', alarmed('RequestsBlocked', metrics.blocked()))]
      : []),
  ];
}

/** Few refusals that do not end: one organization of several may lose every enquiry. */
const lastingRefusals = ({ metrics, alarmed }: Watched): CustomMetricGroup =>
  graph(
    'Refusals that last',
    alarmed(
      'KnownKeyRefused',
      metrics.counted('knownKeyRefused', 'revoked or expired keys, and 403'),
    ),
    alarmed(
      'CapturesKeepFailing',
      metrics.counted('capturesMismatched', 'captures with missing or unknown fields'),
    ),
  );

function tableGraphs({ metrics, alarmed, table }: Watched): CustomMetricGroup[] {
  const failing = (what: string) => `calls that failed: ${what}`;
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
      alarmed('TableThrottled', metrics.counted('tableThrottled', failing('throttled'))),
    ),
    graph('Failed', alarmed('TableFailed', metrics.counted('tableFailed', failing('failed')))),
    graph(
      'Transaction conflicts',
      ofTable(table, 'TransactionConflict'),
      alarmed('TransactionsRefused', metrics.counted('contended', failing('contended'))),
    ),
  ];
}

/** How long events wait, and what was given up. */
const eventGraphs = (
  { alarmed }: Watched,
  { publisher, undelivered }: LeadEvents,
): CustomMetricGroup[] => [
  graph(
    'Events waiting, ms',
    alarmed('EventsLate', publisher.metric('IteratorAge', { statistic: Stats.MAXIMUM })),
  ),
  graph(
    'Events given up',
    alarmed('EventsUndelivered', undelivered.metricApproximateNumberOfMessagesVisible()),
  ),
];

function heartbeatGraphs({ metrics, alarmed, options }: Watched): CustomMetricGroup[] {
  const days = metrics.logged('certificateDays').with({ statistic: Stats.MINIMUM });
  return [
    graph(
      'Heartbeats answered',
      alarmed('HeartbeatFailed', metrics.counted('heartbeatAnswered', 'heartbeats')),
    ),
    graph('Heartbeat, ms', metrics.logged('heartbeatMs').with({ statistic: Stats.MAXIMUM })),
    ...(options.domainName
      ? [graph('Certificate, days left', alarmed('CertificateExpires', days))]
      : []),
  ];
}

const backupGraphs = (
  { alarmed, options: { backupCopyTo } }: Watched,
  backups: Backups,
): CustomMetricGroup[] => [
  graph('Backups completed', alarmed('BackupMissing', backupsCompleted(backups))),
  ...(backupCopyTo
    ? [graph('Copies failed', alarmed('BackupCopyFailed', copiesFailed(backupCopyTo)))]
    : []),
];
