import { Duration } from 'aws-cdk-lib';
import {
  type IAlarm,
  LogQueryVisualizationType,
  LogQueryWidget,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import {
  type CustomMetricGroup,
  type CustomMetricWithAlarm,
  DefaultDashboardFactory,
  MonitoringFacade,
  multipleActions,
  SnsAlarmActionStrategy,
} from 'cdk-monitoring-constructs';
import { Construct } from 'constructs';
import type { Endpoint } from '../../../shared/endpoints.ts';
import type { EndpointFunction } from '../endpoint-function.ts';
import type { LeadEvents } from '../lead-events.ts';
import { alarmed } from './alarmed-metric.ts';
import type { AlarmName } from './alarms.ts';
import { eventGraphs } from './event-graphs.ts';
import {
  apiMetric,
  ofTable,
  period,
  serverErrorShare,
  serviceMetric,
  tableFailures,
  tableThrottles,
  throttles,
} from './metrics.ts';

export interface MonitoringProps {
  /** The name of the dashboard, and the prefix of the alarm names. */
  readonly serviceName: string;
  readonly functions: readonly {
    readonly endpoint: Endpoint;
    readonly handler: EndpointFunction;
  }[];
  readonly table: ITable;
  /** Undefined if the service publishes no events. */
  readonly events?: LeadEvents | undefined;
  readonly topics: readonly ITopic[];
}

/** A dashboard, and the alarms of `alarms.ts`, each on the graph of its metric. */
export class Monitoring extends Construct {
  private readonly alarms: ReadonlyMap<string, IAlarm>;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { serviceName, topics } = props;
    const facade = new MonitoringFacade(this, 'Facade', {
      alarmFactoryDefaults: {
        actionsEnabled: true,
        alarmNamePrefix: serviceName,
        action: multipleActions(
          ...topics.map(
            (topic) => new SnsAlarmActionStrategy({ onAlarmTopic: topic, onOkTopic: topic }),
          ),
        ),
      },
      dashboardFactory: new DefaultDashboardFactory(this, 'Dashboards', {
        dashboardNamePrefix: serviceName,
      }),
    });
    facade.monitorCustom({
      alarmFriendlyName: 'Calls',
      humanReadableName: 'Calls',
      metricGroups: callGraphs(props),
    });
    for (const widget of logWidgets(props)) facade.addWidget(widget);
    facade.monitorCustom({
      alarmFriendlyName: 'Table',
      humanReadableName: 'Table',
      metricGroups: tableGraphs(props),
    });
    if (props.events) {
      facade.monitorCustom({
        alarmFriendlyName: 'Events',
        humanReadableName: 'Events',
        metricGroups: eventGraphs(serviceName, props.events),
      });
    }
    this.alarms = new Map(
      facade.createdAlarms().map(({ alarm, alarmNameSuffix }) => [alarmNameSuffix, alarm]),
    );
  }

  /** @throws Error for an alarm that has no metric */
  alarm(name: AlarmName): IAlarm {
    const alarm = this.alarms.get(name);
    if (!alarm)
      throw new Error(`The alarm ${name} is in alarms.ts, but has no metric in dashboard.ts.`);
    return alarm;
  }
}

function callGraphs(props: MonitoringProps): CustomMetricGroup[] {
  const { serviceName } = props;
  return [
    {
      title: 'Calls and refusals',
      metrics: [
        apiMetric(serviceName, 'Count'),
        apiMetric(serviceName, '4XXError'),
        serviceMetric(serviceName, 'rateLimited'),
      ],
    },
    {
      title: 'Server errors',
      metrics: [alarmed(props, 'ServerErrors', serverErrorShare(serviceName), { from: 1 })],
    },
    ...timeGraphs(props),
    {
      title: 'Functions',
      metrics: [...throttleMetrics(props), serviceMetric(serviceName, 'coldStart')],
    },
    {
      title: 'Needs attention',
      metrics: [
        alarmed(props, 'CaptureNotReady', serviceMetric(serviceName, 'notReady'), { from: 1 }),
        alarmed(
          props,
          'KeyExpiresSoon',
          serviceMetric(serviceName, 'keyExpiresSoon', Duration.days(1)),
          { from: 1 },
        ),
      ],
    },
  ];
}

function timeGraphs(props: MonitoringProps): CustomMetricGroup[] {
  const { serviceName, functions } = props;
  return [
    {
      title: 'Response time',
      metrics: [
        apiMetric(serviceName, 'Latency', Stats.p(50)),
        alarmed(props, 'SlowAnswers', apiMetric(serviceName, 'Latency', Stats.p(99)), {
          from: 3000,
          datapoints: 3,
        }),
      ],
    },
    {
      title: 'Time per endpoint, p99',
      metrics: functions.map(({ endpoint, handler }) =>
        handler.metricDuration({ statistic: Stats.p(99), label: endpoint.name, period }),
      ),
    },
  ];
}

function throttleMetrics(props: MonitoringProps): CustomMetricWithAlarm[] {
  const isReading = ({ endpoint }: { endpoint: Endpoint }): boolean => endpoint.method === 'GET';
  const handlersWhere = (reads: boolean) =>
    props.functions.filter((one) => isReading(one) === reads).map(({ handler }) => handler);
  const [reading, writing] = [handlersWhere(true), handlersWhere(false)];
  return [
    alarmed(props, 'ReadingFunctionsThrottled', throttles(reading, 'reading functions throttled'), {
      from: 1,
    }),
    alarmed(props, 'WritingFunctionsThrottled', throttles(writing, 'writing functions throttled'), {
      from: 1,
    }),
  ];
}

function tableGraphs(props: MonitoringProps): CustomMetricGroup[] {
  const { serviceName, table } = props;
  return [
    {
      title: 'Units',
      metrics: [
        ofTable(table, 'ConsumedReadCapacityUnits'),
        ofTable(table, 'ConsumedWriteCapacityUnits'),
        serviceMetric(serviceName, 'dynamodbCalls'),
      ],
    },
    {
      title: 'Throttled',
      metrics: [
        alarmed(props, 'TableThrottled', tableThrottles(table), { from: 1, datapoints: 2 }),
      ],
    },
    {
      title: 'Failed',
      metrics: [alarmed(props, 'TableFailed', tableFailures(table), { from: 5 })],
    },
    {
      title: 'Transaction conflicts',
      metrics: [
        alarmed(props, 'TransactionsRefused', ofTable(table, 'TransactionConflict'), {
          from: 100,
          datapoints: 3,
        }),
        serviceMetric(serviceName, 'contended'),
      ],
    },
  ];
}

interface LogQuery {
  readonly title: string;
  readonly queryLines: string[];
}

/** Numbers per endpoint and per organization, from log queries: as metrics they would be expensive. */
const logQueries: readonly LogQuery[] = [
  {
    title: 'Endpoints',
    queryLines: [
      'filter message = "answered"',
      'stats count() as calls, pct(ms, 50) as p50, pct(ms, 99) as p99, avg(dynamodbCalls), avg(readUnits), avg(writeUnits), sum(coldStart) as coldStarts by endpoint',
      'sort calls desc',
    ],
  },
  {
    title: 'Organizations',
    queryLines: [
      'filter message = "answered"',
      'stats count() as calls, sum(readUnits), sum(writeUnits), sum(rateLimited), sum(notReady), sum(keyExpiresSoon) by organizationId',
      'sort calls desc',
      'limit 20',
    ],
  },
  {
    title: 'Failures',
    queryLines: [
      // Time-outs and crashes are logged by Lambda, not by us; those lines have only the log group.
      'filter level = "ERROR" or @message like /Task timed out|Runtime exited|"errorType"/',
      'fields @timestamp, coalesce(endpoint, @log) as function, organizationId, requestId, coalesce(error.message, @message) as problem',
      'sort @timestamp desc',
      'limit 20',
    ],
  },
  {
    title: 'Refusals',
    queryLines: [
      'filter ispresent(code)',
      'stats count() as calls by code, endpoint, organizationId, keyId',
      'sort calls desc',
      'limit 20',
    ],
  },
];

function logWidgets({ functions }: MonitoringProps): LogQueryWidget[] {
  const logGroupNames = functions.map(({ handler }) => handler.logGroup.logGroupName);
  return logQueries.map(
    (query) =>
      new LogQueryWidget({
        ...query,
        logGroupNames,
        view: LogQueryVisualizationType.TABLE,
        width: 12,
        height: 8,
      }),
  );
}
