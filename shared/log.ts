import type { Logger } from '@aws-lambda-powertools/logger';
import type { Metrics } from '@aws-lambda-powertools/metrics';
import { metricNamespace, type RequestMetrics, serviceNameVariable } from './metrics.ts';

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
 * One JSON line per event, for CloudWatch Logs; its figures become metrics there (CloudWatch embedded metric format, on the same line:
 * a line of its own would double what is paid for logs).
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

/** Begins to load what lines are written with: the first one's 4 ms pass while DynamoDB is waited for. */
export function prepareLog(): void {
  if (opened === undefined) setImmediate(writers); // after what was just sent has left
}

interface Writers {
  readonly logger: Logger;
  /** Undefined on one machine. */
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
  // The logger puts the name on every line as `service`, where the metrics' dimension is read from.
  return {
    logger: new Logger({ serviceName: serviceName ?? 'local' }),
    metrics: serviceName === undefined ? undefined : new Metrics({ namespace: metricNamespace, serviceName }),
  };
}

function embedded(metrics: Metrics, requestMetrics: RequestMetrics): object {
  const counted = Object.entries(requestMetrics);
  if (counted.length === 0) return {};
  for (const [name, value] of counted) metrics.addMetric(name, 'Count', value);
  const { _aws } = metrics.serializeMetrics();
  metrics.clearMetrics();
  return { _aws };
}

/** The causes of an error that are followed; a chain may be a circle. */
const causesMax = 5;

interface ThrottlingReason {
  readonly resource?: string | undefined;
  readonly reason?: string | undefined;
}

/** Which table or index DynamoDB throttles, and why (AWS: API_ThrottlingReason); the SDK spells the list in two ways. */
function throttlingOf(error: Error): readonly ThrottlingReason[] {
  const { ThrottlingReasons, throttlingReasons = ThrottlingReasons } = error as {
    ThrottlingReasons?: readonly ThrottlingReason[];
    throttlingReasons?: readonly ThrottlingReason[];
  };
  return (throttlingReasons ?? []).map(({ resource, reason }) => ({ resource, reason }));
}

/** Name, message, stack and causes. Other properties stay out: an SDK error's may hold the item, and so a person's data. */
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
