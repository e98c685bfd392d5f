import { ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type {
  CustomMetricWithAlarm,
  CustomThreshold,
  MetricWithAlarmSupport,
} from 'cdk-monitoring-constructs';
import { type AlarmName, alarmDescription } from './alarms.ts';
import { dashboardUrl } from './dashboard-url.ts';
import { period } from './metrics.ts';

/** When an alarm goes off: at `from` or above in `datapoints` of the last `periods` periods; by default in each of them. */
interface Threshold {
  readonly from: number;
  readonly datapoints?: number;
  readonly periods?: number;
}

/** A metric with its alarm. */
export function alarmed(
  { serviceName }: { readonly serviceName: string },
  name: AlarmName,
  metric: MetricWithAlarmSupport,
  { from, datapoints = 1, periods = datapoints }: Threshold,
): CustomMetricWithAlarm {
  return withAlarm(serviceName, name, metric, {
    threshold: from,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingDataOverride: TreatMissingData.NOT_BREACHING,
    datapointsToAlarm: datapoints,
    evaluationPeriods: periods,
  });
}

/** A metric whose alarm goes off when nothing was counted in each of the last `periods` periods. */
export const alarmedBySilence = (
  { serviceName }: { readonly serviceName: string },
  name: AlarmName,
  metric: MetricWithAlarmSupport,
  { periods }: { readonly periods: number },
): CustomMetricWithAlarm =>
  withAlarm(serviceName, name, metric, {
    threshold: 1,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    treatMissingDataOverride: TreatMissingData.BREACHING,
    datapointsToAlarm: periods,
    evaluationPeriods: periods,
  });

const withAlarm = (
  serviceName: string,
  name: AlarmName,
  metric: MetricWithAlarmSupport,
  threshold: CustomThreshold,
): CustomMetricWithAlarm => ({
  metric,
  alarmFriendlyName: name,
  addAlarm: {
    [name]: {
      ...threshold,
      period: metric.period ?? period,
      alarmNameOverride: `${serviceName}-${name}`,
      alarmDescriptionOverride: `${alarmDescription(name)} Dashboard: ${dashboardUrl(serviceName)}`,
    },
  },
});
