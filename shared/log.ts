/** What a log line may hold. Never an API key, a header, a query string, a body, or a person's name, phone or e-mail. */
export interface LogFields {
  readonly requestId: string;
  readonly endpoint: string;
  readonly organizationId?: number | undefined;
  readonly keyId?: string | undefined;
  readonly status?: number;
  /** The contract's error code of a refusal. */
  readonly code?: string;
  readonly ms?: number;
  readonly error?: unknown;
}

/**
 * The figures of a call, by name: on the line as they are, and CloudWatch metrics of the service as a whole. Organization, key
 * and endpoint are on the line for queries, and are no dimensions: each of their values would be a metric that is paid for.
 */
export type Figures = Readonly<Partial<Record<FigureName, number>>>;
export type FigureName =
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

/** One JSON line per event, for CloudWatch Logs; its figures become metrics there (CloudWatch embedded metric format). */
export function log(level: 'info' | 'error', message: string, { error, ...fields }: LogFields, figures: Figures = {}): void {
  const line = {
    level,
    message,
    ...fields,
    ...figures,
    ...(error !== undefined && { error: describe(error) }),
    ...embeddedMetrics(Object.keys(figures)),
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function embeddedMetrics(names: readonly string[]): object {
  const service = process.env[serviceNameVariable];
  if (service === undefined || names.length === 0) return {};
  const metrics = { Namespace: metricNamespace, Dimensions: [[metricDimension]], Metrics: names.map((Name) => ({ Name })) };
  return { [metricDimension]: service, _aws: { Timestamp: Date.now(), CloudWatchMetrics: [metrics] } };
}

/** The causes of an error that are followed; a chain may be a circle. */
const causesMax = 5;

/** Name, message, stack and causes. Other properties stay out: an SDK error's may hold the item, and so a person's data. */
function describe(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { message: `A ${typeof error} was thrown.` };
  const { name, message, stack, cause } = error;
  const { $metadata } = error as { $metadata?: { requestId?: string; attempts?: number } };
  return {
    name,
    message,
    stack,
    ...($metadata && { dynamodbRequestId: $metadata.requestId, attempts: $metadata.attempts }),
    ...(cause !== undefined && depth < causesMax && { cause: describe(cause, depth + 1) }),
  };
}
