import { Aws, Stack } from 'aws-cdk-lib';
import { ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { BillingMode, type ITable } from 'aws-cdk-lib/aws-dynamodb';
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
import { keysOf } from '../../../shared/base/maps.ts';
import { tableDefinition } from '../../../shared/store/table/table-definition.ts';
import { type Alarm, type AlarmName, alarms } from './alarms.ts';
import { logWidgets, saveQueries } from './log-queries.ts';
import { Metrics, type Monitored } from './metrics.ts';

/** An alarm of this service, and its metric. */
interface Watched {
  readonly name: AlarmName;
  readonly alarm: Alarm;
  readonly metric: MetricWithAlarmSupport;
}

/** The dashboard, and the alarms of `alarms.ts` on the graphs of their metrics. */
export class Monitoring extends Construct {
  constructor(scope: Construct, id: string, service: Monitored, topics: readonly ITopic[]) {
    super(scope, id);
    const { functions, options, table } = service;
    const metrics = new Metrics(service);
    const facade = facadeOf(this, options.serviceName, topics);
    const logGroupNames = functions.map(({ logGroup }) => logGroup.logGroupName);
    const watched = watchedOf(metrics);
    for (const name of new Set(watched.map(({ alarm }) => alarm.graph[0]))) {
      const inSection = watched.filter(({ alarm }) => alarm.graph[0] === name);
      const metricGroups = graphsOf(inSection, metrics);
      facade.monitorCustom({ alarmFriendlyName: name, humanReadableName: name, metricGroups });
      if (name === 'Refusals')
        for (const widget of logWidgets(logGroupNames)) facade.addWidget(widget);
    }
    saveQueries(this, options.serviceName, logGroupNames);
    monitorTable(facade, table.table);
  }
}

const watchedOf = (metrics: Metrics): Watched[] =>
  keysOf(alarms).flatMap((name) => {
    const alarm: Alarm = alarms[name];
    const isOn = !alarm.only || metrics.service.options[alarm.only];
    const metric = isOn ? alarm.metric(metrics) : undefined;
    return metric ? { name, alarm, metric } : [];
  });

/** The graphs of a section. Each shows metrics without an alarm first, then metrics with one. Its details follow. */
function graphsOf(inSection: readonly Watched[], metrics: Metrics): CustomMetricGroup[] {
  const titles = new Set(inSection.map(({ alarm }) => alarm.graph[1]));
  return [...titles].flatMap((title) => {
    const own = inSection.filter(({ alarm }) => alarm.graph[1] === title);
    const beside = own.flatMap(({ alarm }) => alarm.beside?.(metrics) ?? []);
    const withAlarms = own.map((one) => withAlarm(one, metrics.service));
    const details = own.flatMap(({ alarm: { details } }) =>
      details ? { title: details[0], metrics: details[1](metrics) } : [],
    );
    return [{ title, metrics: [...beside, ...withAlarms] }, ...details];
  });
}

function withAlarm({ name, alarm, metric }: Watched, service: Monitored): CustomMetricWithAlarm {
  const { baseUrl, options } = service;
  const { serviceName, noCapturesHours = 1 } = options;
  const { threshold } = alarm;
  const { datapoints: number = 1 } = threshold;
  const datapoints = number === 'noCapturesHours' ? noCapturesHours : number;
  const isBelow = 'below' in threshold;
  const missingIsFine = !isBelow || threshold.missingIsFine;
  const values = { NAME: Stack.of(service.table).stackName, BASE_URL: baseUrl, VAULT: serviceName };
  const description = alarmDescription(name, { ...values, HOURS: String(noCapturesHours) });
  return {
    metric,
    alarmFriendlyName: name,
    addAlarm: {
      [name]: {
        threshold: isBelow ? threshold.below : threshold.from,
        comparisonOperator: isBelow
          ? ComparisonOperator.LESS_THAN_THRESHOLD
          : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingDataOverride: missingIsFine
          ? TreatMissingData.NOT_BREACHING
          : TreatMissingData.BREACHING,
        datapointsToAlarm: datapoints,
        evaluationPeriods: threshold.periods ?? datapoints,
        alarmNameOverride: `${serviceName}-${name}`,
        alarmDescriptionOverride: `${description} Dashboard: ${dashboardUrl(serviceName)}`,
      },
    },
  };
}

/** The values of the words in capitals in an alarm's sentences. */
export type AlarmValues = Readonly<Record<'NAME' | 'BASE_URL' | 'VAULT' | 'HOURS', string>>;

/** The description of an alarm, which its email shows. CloudWatch allows 1,024 characters, of which a domain can take 253. */
export function alarmDescription(name: AlarmName, values: AlarmValues): string {
  const { when, act, runbook = 'a-bad-night' }: Alarm = alarms[name];
  const text = `${when} What to do: ${act} More: infra/OPERATE.md#${runbook}.`;
  const known = new Map(Object.entries(values));
  return text.replace(/\b[A-Z_]+\b/g, (word) => known.get(word) ?? word);
}

/** The address of the service's dashboard in the AWS console. */
export const dashboardUrl = (serviceName: string): string =>
  `https://${Aws.REGION}.console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#dashboards/dashboard/${serviceName}`;

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

/**
 * DynamoDB's own metrics of the table and its indexes. They also count throttled calls that the SDK retried successfully, which are most of
 * them.
 */
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
