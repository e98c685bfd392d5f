import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { clientTimeouts, type FailedCheck } from './failed-check.ts';

/** CodeDeploy stops a canary at once while the alarm of its deployment group rings, also one that corrects the cause. One request. */
export async function failedAlarmChecks(
  region: string,
  serviceName: string,
): Promise<FailedCheck[]> {
  const alarmName = `${serviceName}-ReleaseFailures`;
  const client = new CloudWatchClient({ region, ...clientTimeouts });
  try {
    const { MetricAlarms = [] } = await client.send(
      new DescribeAlarmsCommand({ AlarmNames: [alarmName] }),
    );
    if (MetricAlarms[0]?.StateValue !== 'ALARM') return [];
    return [
      {
        issue: `The alarm ${alarmName} rings: CodeDeploy would stop the canary, and the deployment would roll back.`,
        next: 'npm run deploy -- -c canary=false   (or npm run deploy -- --back, which returns to the version before)',
      },
    ];
  } finally {
    client.destroy();
  }
}
