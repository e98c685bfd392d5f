import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { CustomMetricGroup } from 'cdk-monitoring-constructs';
import type { LeadEvents } from '../lead-events.ts';
import { alarmed } from './alarms.ts';
import { period } from './metrics.ts';

/** How long events wait, and what was given up. */
export const eventGraphs = (
  serviceName: string,
  { publisher, undelivered }: LeadEvents,
): CustomMetricGroup[] => [
  {
    title: 'Events waiting, ms',
    metrics: [
      alarmed(
        serviceName,
        'EventsLate',
        publisher.metric('IteratorAge', { statistic: Stats.MAXIMUM, period }),
      ),
    ],
  },
  {
    title: 'Events given up',
    metrics: [
      alarmed(
        serviceName,
        'EventsUndelivered',
        undelivered.metricApproximateNumberOfMessagesVisible({ period }),
      ),
    ],
  },
];
