import { Duration } from 'aws-cdk-lib';
import { type MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
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
import type { MetricName } from '../../../shared/metrics.ts';
import type { EndpointFunction } from '../endpoint-function.ts';
import type { LeadEvents } from '../lead-events.ts';
import type { ServiceOptions } from '../service-options.ts';
import { alarmed } from './alarms.ts';
import { eventGraphs } from './event-graphs.ts';
import { logWidgets } from './log-queries.ts';
import {
  anyServerErrorShare,
  apiMetric,
  counted,
  ofTable,
  period,
  serverErrorShare,
  serviceMetric,
  tableThrottles,
  throttles,
} from './metrics.ts';
import { refusalGraphs } from './refusal-graphs.ts';
import { SavedQueries } from './saved-queries.ts';

export interface MonitoringProps {
  /** The service's name is the name of the dashboard, and the prefix of the alarm names. */
  readonly options: ServiceOptions;
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
  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { options } = props;
    const facade = facadeOf(this, props);
    facade.monitorCustom({
      alarmFriendlyName: 'Calls',
      humanReadableName: 'Calls',
      metricGroups: callGraphs(props),
    });
    facade.monitorCustom({
      alarmFriendlyName: 'Refusals',
      humanReadableName: 'Refusals',
      metricGroups: refusalGraphs({ options, captureFunction: captureFunctionOf(props) }),
    });
    new SavedQueries(
      this,
      'Queries',
      options.serviceName,
      props.functions.map(({ handler }) => handler.logGroup),
    );
    const logGroupNames = props.functions.map(({ handler }) => handler.logGroup.logGroupName);
    for (const widget of logWidgets(logGroupNames)) facade.addWidget(widget);
    facade.monitorCustom({
      alarmFriendlyName: 'Table',
      humanReadableName: 'Table',
      metricGroups: tableGraphs(props),
    });
    if (props.events) {
      facade.monitorCustom({
        alarmFriendlyName: 'Events',
        humanReadableName: 'Events',
        metricGroups: eventGraphs(options.serviceName, props.events),
      });
    }
  }
}

function facadeOf(
  scope: Construct,
  { topics, options: { serviceName } }: MonitoringProps,
): MonitoringFacade {
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

/** @throws Error when there is none: refused captures would go unseen */
function captureFunctionOf({ functions }: MonitoringProps): EndpointFunction {
  const capture = functions.find(({ endpoint }) => endpoint.name === 'capture-lead');
  if (!capture) throw new Error('The service has no endpoint capture-lead.');
  return capture.handler;
}

function callGraphs(props: MonitoringProps): CustomMetricGroup[] {
  const { options } = props;
  const { serviceName } = options;
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
      metrics: [alarmed(serviceName, 'ServerErrors', serverErrorShare(serviceName))],
    },
    continuedFailureGraph(options),
    ...timeGraphs(props),
    {
      title: 'Functions',
      metrics: [...throttleMetrics(props), serviceMetric(serviceName, 'coldStart')],
    },
    {
      title: 'Needs attention',
      metrics: [
        alarmed(serviceName, 'CaptureNotReady', counted(serviceName, 'notReady', 'not ready')),
        alarmed(
          serviceName,
          'KeyExpiresSoon',
          counted(serviceName, 'keyExpiresSoon', 'keys that expire soon', Duration.days(1)),
        ),
      ],
    },
  ];
}

/** Failures that are few, but do not end. */
const continuedFailureGraph = ({ serviceName }: ServiceOptions): CustomMetricGroup => ({
  title: 'Server errors that continue',
  metrics: [alarmed(serviceName, 'FailuresContinue', anyServerErrorShare(serviceName))],
});

function timeGraphs(props: MonitoringProps): CustomMetricGroup[] {
  const { functions, options } = props;
  const { serviceName } = options;
  return [
    {
      title: 'Response time',
      metrics: [
        apiMetric(serviceName, 'Latency', Stats.p(50)),
        alarmed(serviceName, 'SlowAnswers', apiMetric(serviceName, 'Latency', Stats.p(99))),
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

function throttleMetrics({
  functions,
  options: { serviceName },
}: MonitoringProps): CustomMetricWithAlarm[] {
  const isReading = ({ endpoint }: { endpoint: Endpoint }): boolean => endpoint.method === 'GET';
  const handlersWhere = (reads: boolean) =>
    functions.filter((one) => isReading(one) === reads).map(({ handler }) => handler);
  const [reading, writing] = [handlersWhere(true), handlersWhere(false)];
  return [
    alarmed(
      serviceName,
      'ReadingFunctionsThrottled',
      throttles(reading, 'reading functions throttled'),
    ),
    alarmed(
      serviceName,
      'WritingFunctionsThrottled',
      throttles(writing, 'writing functions throttled'),
    ),
  ];
}

function tableGraphs({ table, options }: MonitoringProps): CustomMetricGroup[] {
  const { serviceName } = options;
  const failedCalls = (name: MetricName, what: string): MathExpression =>
    counted(serviceName, name, `calls that failed: ${what}`);
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
        tableThrottles(table),
        alarmed(serviceName, 'TableThrottled', failedCalls('tableThrottled', 'throttled')),
      ],
    },
    {
      title: 'Failed',
      metrics: [alarmed(serviceName, 'TableFailed', failedCalls('tableFailed', 'failed'))],
    },
    {
      title: 'Transaction conflicts',
      metrics: [
        ofTable(table, 'TransactionConflict'),
        alarmed(serviceName, 'TransactionsRefused', failedCalls('contended', 'contended')),
      ],
    },
  ];
}
