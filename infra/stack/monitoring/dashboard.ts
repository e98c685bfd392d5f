import { Duration } from 'aws-cdk-lib';
import {
  ComparisonOperator,
  type IAlarm,
  LogQueryVisualizationType,
  LogQueryWidget,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import {
  type CustomMetricGroup,
  type CustomMetricWithAlarm,
  DefaultDashboardFactory,
  type MetricWithAlarmSupport,
  MonitoringFacade,
  multipleActions,
  SnsAlarmActionStrategy,
} from 'cdk-monitoring-constructs';
import { Construct } from 'constructs';
import type { Endpoint } from '../../../shared/endpoints.ts';
import type { EndpointFunction } from '../endpoint-function.ts';
import { type AlarmName, alarmDescription } from './alarms.ts';
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
  /** Begins the names of the alarms, and is the dashboard's. */
  readonly serviceName: string;
  readonly functions: readonly { readonly endpoint: Endpoint; readonly handler: EndpointFunction }[];
  readonly table: ITable;
  readonly topics: readonly ITopic[];
}

/** When an alarm of `alarm-table.ts` rings: so many of the last periods at or above a value. */
interface Threshold {
  readonly from: number;
  readonly datapoints?: number;
}

/** One dashboard, and the alarms of `alarm-table.ts`, each drawn on the graph of what it watches. */
export class Monitoring extends Construct {
  private readonly alarms: ReadonlyMap<string, IAlarm>;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { serviceName, topics } = props;
    const facade = new MonitoringFacade(this, 'Facade', {
      alarmFactoryDefaults: {
        actionsEnabled: true,
        alarmNamePrefix: serviceName,
        action: multipleActions(...topics.map((topic) => new SnsAlarmActionStrategy({ onAlarmTopic: topic, onOkTopic: topic }))),
      },
      dashboardFactory: new DefaultDashboardFactory(this, 'Dashboards', { dashboardNamePrefix: serviceName }),
    });
    facade.monitorCustom({ alarmFriendlyName: 'Calls', humanReadableName: 'Calls', metricGroups: callGraphs(props) });
    for (const widget of logTables(props)) facade.addWidget(widget);
    facade.monitorCustom({ alarmFriendlyName: 'Table', humanReadableName: 'Table', metricGroups: tableGraphs(props) });
    this.alarms = new Map(facade.createdAlarms().map(({ alarm, alarmNameSuffix }) => [alarmNameSuffix, alarm]));
  }

  /** @throws Error for a row of the alarm table that has no metric here */
  alarm(name: AlarmName): IAlarm {
    const alarm = this.alarms.get(name);
    if (!alarm) throw new Error(`The alarm ${name} has a row in alarm-table.ts and no metric in monitoring.ts.`);
    return alarm;
  }
}

function alarmed(
  { serviceName }: MonitoringProps,
  name: AlarmName,
  metric: MetricWithAlarmSupport,
  { from, datapoints = 1 }: Threshold,
): CustomMetricWithAlarm {
  const threshold = {
    threshold: from,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingDataOverride: TreatMissingData.NOT_BREACHING,
    datapointsToAlarm: datapoints,
    evaluationPeriods: datapoints,
    period: metric.period ?? period,
    alarmNameOverride: `${serviceName}-${name}`,
    alarmDescriptionOverride: alarmDescription(name),
  };
  return { metric, alarmFriendlyName: name, addAlarm: { [name]: threshold } };
}

function callGraphs(props: MonitoringProps): CustomMetricGroup[] {
  const { serviceName, functions } = props;
  const day = Duration.days(1);
  const handlers = functions.map(({ handler }) => handler);
  const isReading = ({ endpoint }: { endpoint: Endpoint }): boolean => endpoint.method === 'GET';
  const reading = functions.filter(isReading).map(({ handler }) => handler);
  const writing = handlers.filter((handler) => !reading.includes(handler));
  return [
    {
      title: 'Calls and refusals',
      metrics: [apiMetric(serviceName, 'Count'), apiMetric(serviceName, '4XXError'), serviceMetric(serviceName, 'rateLimited')],
    },
    { title: 'Server errors', metrics: [alarmed(props, 'ServerErrors', serverErrorShare(serviceName), { from: 1 })] },
    {
      title: 'Time of an answer',
      metrics: [
        apiMetric(serviceName, 'Latency', Stats.p(50)),
        alarmed(props, 'SlowAnswers', apiMetric(serviceName, 'Latency', Stats.p(99)), { from: 3000, datapoints: 3 }),
      ],
    },
    {
      title: 'Time per endpoint, p99',
      metrics: functions.map(({ endpoint, handler }) =>
        handler.metricDuration({ statistic: Stats.p(99), label: endpoint.name, period }),
      ),
    },
    {
      title: 'Functions',
      metrics: [
        alarmed(props, 'ReadingFunctionsThrottled', throttles(reading, 'reading functions throttled'), { from: 1 }),
        alarmed(props, 'WritingFunctionsThrottled', throttles(writing, 'writing functions throttled'), { from: 1 }),
        serviceMetric(serviceName, 'coldStart'),
      ],
    },
    {
      title: 'To look after',
      metrics: [
        alarmed(props, 'CaptureNotReady', serviceMetric(serviceName, 'notReady'), { from: 1 }),
        alarmed(props, 'KeyExpiresSoon', serviceMetric(serviceName, 'keyExpiresSoon', day), { from: 1 }),
      ],
    },
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
    { title: 'Throttled', metrics: [alarmed(props, 'TableThrottled', tableThrottles(table), { from: 1, datapoints: 2 })] },
    { title: 'Failed', metrics: [alarmed(props, 'TableFailed', tableFailures(table), { from: 5 })] },
    {
      title: 'Transactions that met another',
      metrics: [
        alarmed(props, 'TransactionsRefused', ofTable(table, 'TransactionConflict'), { from: 100, datapoints: 3 }),
        serviceMetric(serviceName, 'contended'),
      ],
    },
  ];
}

/** What the figures per endpoint and per organization would cost as metrics, the log lines answer when somebody looks. */
function logTables({ functions }: MonitoringProps): LogQueryWidget[] {
  const logGroupNames = functions.map(({ handler }) => handler.logGroup.logGroupName);
  const table = (title: string, ...queryLines: string[]) =>
    new LogQueryWidget({ title, logGroupNames, queryLines, view: LogQueryVisualizationType.TABLE, width: 12, height: 8 });
  return [
    table(
      'Endpoints',
      'filter message = "answered"',
      'stats count() as calls, pct(ms, 50) as p50, pct(ms, 99) as p99, avg(dynamodbCalls), avg(readUnits), avg(writeUnits), sum(coldStart) as coldStarts by endpoint',
      'sort calls desc',
    ),
    table(
      'Organizations',
      'filter message = "answered"',
      'stats count() as calls, sum(readUnits), sum(writeUnits), sum(rateLimited), sum(notReady), sum(keyExpiresSoon) by organizationId',
      'sort calls desc',
      'limit 20',
    ),
    table(
      'Failures',
      // What the platform says of a function that timed out or crashed is no line of ours, and names its log alone.
      'filter level = "ERROR" or @message like /Task timed out|Runtime exited|"errorType"/',
      'fields @timestamp, coalesce(endpoint, @log) as function, organizationId, requestId, coalesce(error.message, @message) as problem',
      'sort @timestamp desc',
      'limit 20',
    ),
    table(
      'Refusals',
      'filter ispresent(code)',
      'stats count() as calls by code, endpoint, organizationId, keyId',
      'sort calls desc',
      'limit 20',
    ),
  ];
}
