import { CloudWatchClient, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { metricDimension, metricNamespace, releaseMetric } from '../../shared/metrics.ts';

/** What else writes the mark, such as a pipeline that runs `cdk deploy` itself. */
const byHand = (serviceName: string): string =>
  `aws cloudwatch put-metric-data --namespace ${metricNamespace} --metric-name ${releaseMetric} --dimensions ${metricDimension}=${serviceName} --value 1`;

/**
 * Marks this minute as a release on the dashboard's graph "Releases". An annotation of the dashboard would need the time in the template,
 * which would then change with every synthesis. A release is not undone for want of a mark.
 * @returns a sentence if it could not be marked
 */
export async function markRelease(
  serviceName: string,
  region: string,
): Promise<string | undefined> {
  const client = new CloudWatchClient({ region });
  const mark = {
    MetricName: releaseMetric,
    Dimensions: [{ Name: metricDimension, Value: serviceName }],
    Value: 1,
  };
  try {
    await client.send(new PutMetricDataCommand({ Namespace: metricNamespace, MetricData: [mark] }));
    return undefined;
  } catch (error) {
    const { name, message } = error as Error;
    return `The release is not marked on the dashboard (${name}: ${message}). To mark it: ${byHand(serviceName)}`;
  } finally {
    client.destroy();
  }
}
