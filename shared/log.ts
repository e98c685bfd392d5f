import type { Logger } from '@aws-lambda-powertools/logger';
import type { Metrics } from '@aws-lambda-powertools/metrics';
import { metricNamespace, type RequestMetrics, serviceNameVariable } from './metrics.ts';

/** What a log line may hold. Never an API key, a header, a query string, a body, or a person's name, phone or email. */
export interface LogFields {
  readonly requestId: string;
  readonly endpoint: string;
  readonly organizationId?: number | undefined;
  readonly keyId?: string | undefined;
  readonly status?: number;
  /** The contract's error code. */
  readonly code?: string;
  /** Of a refused request: field keys of the organization and names of properties, never what the caller made up. */
  readonly fields?: readonly string[];
  readonly ms?: number;
  /** Of the publisher: the events of a batch, and those that the bus has. */
  readonly events?: number;
  readonly published?: number;
  readonly error?: unknown;
}

/**
 * Writes one JSON line per event to CloudWatch Logs. Its metrics are in the embedded metric format on the same line: a second line would
 * double the cost of logs.
 */
export async function log(
  level: 'info' | 'error',
  message: string,
  { error, ...fields }: LogFields,
  requestMetrics: RequestMetrics = {},
): Promise<void> {
  const { logger, metrics } = await writers();
  logger[level](message, {
    ...fields,
    ...requestMetrics,
    ...(error !== undefined && { error: describe(error) }),
    ...(metrics && embedded(metrics, requestMetrics)),
  });
}

/** Starts loading the logger (4 ms) while the first DynamoDB call is in flight. */
export function prepareLog(): void {
  if (opened === undefined) setImmediate(writers); // after the DynamoDB request is sent
}

interface Writers {
  readonly logger: Logger;
  /** Undefined in the local service. */
  readonly metrics: Metrics | undefined;
}
let opened: Promise<Writers> | undefined;

function writers(): Promise<Writers> {
  opened ??= openWriters();
  return opened;
}

async function openWriters(): Promise<Writers> {
  const [{ Logger }, { Metrics }] = await Promise.all([
    import('@aws-lambda-powertools/logger'),
    import('@aws-lambda-powertools/metrics'),
  ]);
  const serviceName = process.env[serviceNameVariable];
  // The logger writes the name as `service`, the dimension of the metrics, on every line.
  return {
    logger: new Logger({ serviceName: serviceName ?? 'local' }),
    metrics:
      serviceName === undefined
        ? undefined
        : new Metrics({ namespace: metricNamespace, serviceName }),
  };
}

function embedded(metrics: Metrics, requestMetrics: RequestMetrics): object {
  const entries = Object.entries(requestMetrics);
  if (entries.length === 0) return {};
  for (const [name, value] of entries) metrics.addMetric(name, 'Count', value);
  const { _aws } = metrics.serializeMetrics();
  metrics.clearMetrics();
  return { _aws };
}

/** Causes of an error that are logged; a chain of causes can be circular. */
const causesMax = 5;

interface ThrottlingReason {
  readonly resource?: string | undefined;
  readonly reason?: string | undefined;
}

/** Which table or index DynamoDB throttles, and why (AWS: API_ThrottlingReason). The SDK has two spellings of the property. */
function throttlingOf(error: Error): readonly ThrottlingReason[] {
  const { ThrottlingReasons, throttlingReasons = ThrottlingReasons } = error as {
    ThrottlingReasons?: readonly ThrottlingReason[];
    throttlingReasons?: readonly ThrottlingReason[];
  };
  return (throttlingReasons ?? []).map(({ resource, reason }) => ({ resource, reason }));
}

/** Name, message, stack and causes. Omits other properties: those of an SDK error can hold the item, with personal data. */
function describe(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { message: `A ${typeof error} was thrown.` };
  const { name, message, stack, cause } = error;
  const { $metadata } = error as { $metadata?: { requestId?: string; attempts?: number } };
  const throttling = throttlingOf(error);
  return {
    name,
    message,
    stack,
    ...($metadata && { dynamodbRequestId: $metadata.requestId, attempts: $metadata.attempts }),
    ...(throttling.length > 0 && { throttling }),
    ...(cause !== undefined && depth < causesMax && { cause: describe(cause, depth + 1) }),
  };
}
