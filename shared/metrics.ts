/**
 * The figures of a call, by name: on the line as they are, and CloudWatch metrics of the service as a whole. Organization, key
 * and endpoint are on the line for queries, and are no dimensions: each of their values would be a metric that is paid for.
 */
export type RequestMetrics = Readonly<Partial<Record<MetricName, number>>>;
export type MetricName =
  | 'dynamodbCalls'
  | 'readUnits'
  | 'writeUnits'
  | 'coldStart'
  | 'failed'
  | 'notReady'
  | 'contended'
  | 'rateLimited'
  | 'keyExpiresSoon';

/** Where the metrics are found; infra/ draws and alarms on the same names. */
export const metricNamespace = 'LeadService';
export const metricDimension = 'service';
/** Names the deployment among others of its account. Not set on one machine: no metrics then. */
export const serviceNameVariable = 'SERVICE_NAME';
