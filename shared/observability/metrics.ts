export const metricNames = [
  'dynamodbCalls',
  'readUnits',
  'writeUnits',
  'coldStart',
  'failed',
  'notReady',
  'contended',
  'tableThrottled',
  'tableFailed',
  'refused',
  'rateLimited',
  'unauthorized',
  'knownKeyRefused',
  'capturesUnauthorized',
  'capturesInvalid',
  'capturesMismatched',
  'capturesRateLimited',
  'keyExpiresSoon',
] as const;
/** Reported only with the option `heartbeat`. `heartbeatAnswered` is 1 or 0, so its sample count is the number of heartbeats sent. */
export const heartbeatMetricNames = [
  'heartbeatAnswered',
  'heartbeatMs',
  'certificateDays',
] as const;
export type MetricName = (typeof metricNames | typeof heartbeatMetricNames)[number];
/**
 * A request's metrics by name, on the log line and as CloudWatch metrics of the whole service. Log queries can group by organization, key
 * and endpoint, but these are not dimensions: CloudWatch would bill each value as a metric.
 */
export type RequestMetrics = Readonly<Partial<Record<MetricName, number>>>;

/** The dashboard and the alarms in infra/ use these names. */
export const metricNamespace = 'LeadService';
export const metricDimension = 'service';
/** Identifies the deployment within its account. Not set in the local service, which writes no metrics. */
export const serviceNameVariable = 'SERVICE_NAME';
/** The version and commit that a function was deployed from, logged on every line. Not set in the local service. */
export const serviceVersionVariable = 'SERVICE_VERSION';
/** Set for the function `heartbeat` alone: the address that it calls, and whether the certificate there is the service's own. */
export const heartbeatVariables = {
  baseUrl: 'HEARTBEAT_BASE_URL',
  watchesCertificate: 'HEARTBEAT_WATCHES_CERTIFICATE',
} as const;
/** Identifies the bundle that a function runs, logged with each error (infra/bundle/bundle.ts). Not set in the local service. */
export const releaseVariable = 'RELEASE';
