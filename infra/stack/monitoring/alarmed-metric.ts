import { ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { CustomMetricWithAlarm, MetricWithAlarmSupport } from 'cdk-monitoring-constructs';
import { type AlarmName, alarmDescription } from './alarms.ts';
import { period } from './metrics.ts';

/** When an alarm goes off: at `from` or above in each of the last `datapoints` periods. */
interface Threshold {
  readonly from: number;
  readonly datapoints?: number;
}

/** A metric with its alarm. */
export function alarmed(
  { serviceName }: { readonly serviceName: string },
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
