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
/** Reported only with the option `heartbeat`. `heartbeatAnswered` is 1 or 0, so that its number of values counts the heartbeats sent. */
export const heartbeatMetricNames = [
  'heartbeatAnswered',
  'heartbeatMs',
  'certificateDays',
] as const;
export type MetricName = (typeof metricNames | typeof heartbeatMetricNames)[number];
/**
 * A request's metrics by name: on the log line, and as CloudWatch metrics of the whole service. Organization, key and endpoint are on
 * the line for queries, but are not dimensions: each value would be a metric to pay for.
 */
export type RequestMetrics = Readonly<Partial<Record<MetricName, number>>>;

/** The dashboard and the alarms in infra/ use these names. */
export const metricNamespace = 'LeadService';
export const metricDimension = 'service';
/** Identifies the deployment within its account. Not set in the local service, which writes no metrics. */
export const serviceNameVariable = 'SERVICE_NAME';
/** The version and commit that a function was deployed from, on every line. Not set in the local service. */
export const serviceVersionVariable = 'SERVICE_VERSION';
/** Of the function `heartbeat`: the address that it calls, and whether the certificate there is the service's own. */
export const heartbeatVariables = {
  baseUrl: 'HEARTBEAT_BASE_URL',
  watchesCertificate: 'HEARTBEAT_WATCHES_CERTIFICATE',
} as const;
/** Identifies the bundle that a function runs, on the lines of its errors (infra/bundle/bundle.ts). Not set in the local service. */
export const releaseVariable = 'RELEASE';
