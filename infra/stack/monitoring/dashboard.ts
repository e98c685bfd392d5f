import { Duration, Stack } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { BillingMode, type ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import {
  DefaultDashboardFactory,
  type MetricWithAlarmSupport,
  MonitoringFacade,
  multipleActions,
  SnsAlarmActionStrategy,
} from 'cdk-monitoring-constructs';
import { Construct } from 'constructs';
import { keysOf } from '../../../shared/base/maps.ts';
import type { MetricName } from '../../../shared/observability/metrics.ts';
import { tableDefinition } from '../../../shared/store/table/table-definition.ts';
import type { Backups } from '../backups.ts';
import type { EndpointFunction } from '../endpoint-function.ts';
import type { LeadEvents } from '../lead-events.ts';
import type { LeadTable } from '../lead-table.ts';
import type { ServiceOptions } from '../service-options.ts';
import { type AlarmName, alarmed } from './alarms.ts';
import { logWidgets, saveQueries } from './log-queries.ts';
import { backupsCompleted, copiesFailed, Metrics, sum } from './metrics.ts';

/** The service that is monitored. */
interface Service {
  /** The address that callers use. */
  readonly baseUrl: string;
  /** The service's name is the name of the dashboard, and the prefix of the alarm names. */
  readonly options: ServiceOptions;
  readonly functions: readonly EndpointFunction[];
  readonly table: LeadTable;
  readonly events: LeadEvents | undefined;
  readonly backups: Backups | undefined;
}

/** What the graphs show. */
interface Watched extends Pick<Service, 'options' | 'functions'> {
  readonly metrics: Metrics;
}

/** A graph: metrics with an alarm, by the alarm, and others beside them. */
interface Graph extends Readonly<Partial<Record<AlarmName, MetricWithAlarmSupport>>> {
  readonly others?: readonly MetricWithAlarmSupport[];
}
/** By title. */
type Graphs = Readonly<Record<string, Graph>>;

/** A dashboard, and the alarms of `alarms.ts`, each on the graph of its metric. */
export class Monitoring extends Construct {
  constructor(scope: Construct, id: string, service: Service, topics: readonly ITopic[]) {
    super(scope, id);
    const { functions, events, backups, options, baseUrl } = service;
    const context = { options, baseUrl, stackName: Stack.of(this).stackName };
    const facade = facadeOf(this, options.serviceName, topics);
    const monitor = (name: string, graphs: Graphs): void => {
      const metricGroups = Object.entries(graphs).map(([title, { others = [], ...alarms }]) => {
        const withAlarms = keysOf(alarms).flatMap((name) =>
          alarms[name] ? alarmed(name, alarms[name], context) : [],
        );
        return { title, metrics: [...others, ...withAlarms] };
      });
      facade.monitorCustom({ alarmFriendlyName: name, humanReadableName: name, metricGroups });
    };
    const watched = { options, functions, metrics: new Metrics(options) };
    const logGroupNames = functions.map(({ logGroup }) => logGroup.logGroupName);

    monitor('Calls', callGraphs(watched));
    monitor('Refusals', refusalGraphs(watched));
    saveQueries(this, options.serviceName, logGroupNames);
    for (const widget of logWidgets(logGroupNames)) facade.addWidget(widget);
    monitor('Calls that the table failed', tableGraphs(watched));
    if (events) monitor('Events', eventGraphs(events));
    if (options.heartbeat) monitor('Heartbeat', heartbeatGraphs(watched));
    if (backups) monitor('Backups', backupGraphs(backups, options));
    monitorTable(facade, service.table.table);
  }
}

const facadeOf = (scope: Construct, serviceName: string, topics: readonly ITopic[]) =>
  new MonitoringFacade(scope, 'Facade', {
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

const callGraphs = ({ metrics, functions }: Watched): Graphs => ({
  'Calls and refusals': {
    others: [metrics.api('Count'), metrics.api('4XXError'), metrics.logged('rateLimited')],
    GatewayThrottled: metrics.gatewayRefusals(),
  },
  'Server errors': { ServerErrors: metrics.serverErrorShare(3) },
  // Few failures that do not end. The alarm needs several periods, so that a single failure does not set it off.
  'Server errors that continue': { FailuresContinue: metrics.serverErrorShare() },
  'Response time': {
    others: [metrics.api('Latency', Stats.p(50))],
    SlowAnswers: metrics.api('Latency', Stats.p(99)),
  },
  'Time per endpoint, p99': {
    others: functions.map((handler) =>
      handler.metricDuration({ statistic: Stats.p(99), label: handler.endpoint.name }),
    ),
  },
  Functions: {
    others: [metrics.logged('coldStart')],
    ReadingFunctionsThrottled: throttles('reading', functions),
    WritingFunctionsThrottled: throttles('writing', functions),
  },
  'Needs attention': {
    CaptureNotReady: metrics.counted('notReady', 'not ready'),
    KeyExpiresSoon: metrics
      .counted('keyExpiresSoon', 'keys that expire soon')
      .with({ period: Duration.days(1) }),
  },
});

const throttles = (kind: 'reading' | 'writing', functions: readonly EndpointFunction[]) =>
  sum(
    functions
      .filter(({ endpoint }) => (endpoint.method === 'GET') === (kind === 'reading'))
      .map((handler) => handler.metricThrottles()),
    `${kind} functions throttled`,
  );

/** Requests that the service refuses, and captures that do not come: each may be an enquiry that is lost. */
function refusalGraphs({ metrics, functions, options }: Watched): Graphs {
  const capture = functions.find(({ endpoint }) => endpoint.name === 'capture-lead');
  if (!capture) throw new Error('Without capture-lead, refused captures would go unnoticed.');
  const captures = sum([capture.metricInvocations()], 'captures');
  const share = (name: MetricName, label: string) => metrics.captureShare(capture, name, label);
  return {
    'Unknown keys, % of the calls': {
      CallersUnauthorized: metrics.unauthorizedShare(),
    },
    // By kind, because each has another remedy. The firewall's blocks, which no function sees, are in `RequestsBlocked`.
    'Captures refused, % of the captures': {
      CapturesUnauthorized: share('capturesUnauthorized', '401 and 403'),
      CapturesInvalid: share('capturesInvalid', '422, 400, 413 and 415'),
    },
    // Few refusals that do not end: one organization of several may lose every enquiry.
    'Refusals that last': {
      KnownKeyRefused: metrics.counted('knownKeyRefused', 'revoked or expired keys, and 403'),
      CapturesKeepFailing: metrics.counted(
        'capturesMismatched',
        'captures with missing or unknown fields',
      ),
    },
    'Captures over the limit': {
      CapturesRateLimited: metrics.counted('capturesRateLimited', 'over the limit'),
    },
    ...(options.noCapturesHours !== undefined && {
      'Captures in an hour': { NoCaptures: captures.with({ period: Duration.hours(1) }) },
    }),
    ...(options.waf && {
      'Blocked by the firewall': { RequestsBlocked: metrics.blocked() },
    }),
  };
}

function tableGraphs({ metrics }: Watched): Graphs {
  const failing = (name: MetricName, what: string) =>
    metrics.counted(name, `calls that failed: ${what}`);
  return {
    Throttled: { TableThrottled: failing('tableThrottled', 'throttled') },
    Failed: { TableFailed: failing('tableFailed', 'failed') },
    Contended: { TransactionsRefused: failing('contended', 'contended') },
  };
}

/** DynamoDB's own metrics of the table and its indexes. It also counts the throttles that the SDK repeats with success: most of them. */
function monitorTable(facade: MonitoringFacade, table: ITable): void {
  facade.monitorDynamoTable({
    table,
    humanReadableName: 'Table',
    billingMode: BillingMode.PAY_PER_REQUEST,
  });
  for (const { name } of tableDefinition.indexes)
    facade.monitorDynamoTableGlobalSecondaryIndex({
      table,
      globalSecondaryIndexName: name,
      humanReadableName: `Index ${name}`,
    });
}

/** How long events wait, and what was given up. */
const eventGraphs = ({ publisher, undelivered }: LeadEvents): Graphs => ({
  'Events waiting, ms': {
    EventsLate: publisher.metric('IteratorAge', { statistic: Stats.MAXIMUM }),
  },
  'Events given up': {
    EventsUndelivered: undelivered.metricApproximateNumberOfMessagesVisible(),
  },
});

const heartbeatGraphs = ({ metrics, options }: Watched): Graphs => ({
  'Heartbeats answered': {
    HeartbeatFailed: metrics.counted('heartbeatAnswered', 'heartbeats'),
  },
  'Heartbeat, ms': { others: [metrics.logged('heartbeatMs').with({ statistic: Stats.MAXIMUM })] },
  ...(options.domainName && {
    'Certificate, days left': {
      CertificateExpires: metrics.logged('certificateDays').with({ statistic: Stats.MINIMUM }),
    },
  }),
});

const backupGraphs = (backups: Backups, { backupCopyTo }: ServiceOptions): Graphs => ({
  'Backups completed': { BackupMissing: backupsCompleted(backups) },
  ...(backupCopyTo && {
    'Copies failed': { BackupCopyFailed: copiesFailed(backupCopyTo) },
  }),
});
