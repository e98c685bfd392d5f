import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { failedOperation } from './failed-operation.ts';
import {
  metricDimension,
  metricNamespace,
  type RequestMetrics,
  releaseVariable,
  serviceNameVariable,
  serviceVersionVariable,
} from './metrics.ts';

/** What a log line may hold. Never an API key, a header, a query string, a body, or a person's name, phone or email. */
export interface LogFields {
  readonly requestId: string;
  readonly endpoint: string;
  readonly organizationId?: number | undefined;
  /** The lead that a request wrote or read, or whose stream record the publisher could not parse. */
  readonly leadId?: number | undefined;
  readonly keyId?: string | undefined;
  readonly status?: number;
  /** The contract's error code. */
  readonly code?: string | undefined;
  /** Why a 401 refused a known key. */
  readonly keyRefusal?: 'revoked' | 'expired' | undefined;
  /** The refused fields and properties: only names that the service or the organization's settings define, never a caller's own. */
  readonly fields?: readonly string[];
  readonly ms?: number;
  /** Logged by the publisher: the number of events in a batch, and how many the bus accepted. */
  readonly events?: number;
  readonly published?: number;
  readonly error?: unknown;
}

/**
 * Writes one JSON line per event to CloudWatch Logs. Its metrics are in the embedded metric format on the same line: a second line would
 * double the cost of logs. Uses no library: the Powertools logger would add 13 KB to each function and 4 ms to each cold start.
 */
export function log(
  level: 'info' | 'error',
  message: string,
  { error, ...fields }: LogFields,
  requestMetrics: RequestMetrics = {},
): void {
  const line = {
    level: level.toUpperCase(),
    message,
    timestamp: new Date().toISOString(),
    service: process.env[serviceNameVariable] ?? 'local', // the dimension of the metrics
    version: process.env[serviceVersionVariable],
    xray_trace_id: traceId(),
    ...fields,
    ...requestMetrics,
    ...(level === 'error' && { release: process.env[releaseVariable] }),
    ...(error !== undefined && { error: describe(error) }),
    ...embeddedMetrics(requestMetrics),
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** The X-Ray trace ID, which links log lines to traces; absent without tracing (AWS: X-Ray, Tracing header). */
const traceId = (): string | undefined =>
  /Root=([^;]+)/.exec(process.env._X_AMZN_TRACE_ID ?? '')?.[1];

/**
 * The part of the line that tells CloudWatch which members are metrics (CloudWatch: embedded metric format). A test compares them with the
 * output of the Powertools metrics, which would add 12 KB to each function.
 */
function embeddedMetrics(requestMetrics: RequestMetrics): object {
  const names = Object.keys(requestMetrics);
  if (names.length === 0 || process.env[serviceNameVariable] === undefined) return {};
  const directive = {
    Namespace: metricNamespace,
    Dimensions: [[metricDimension]],
    Metrics: names.map((Name) => ({ Name, Unit: 'Count' })),
  };
  return { _aws: { Timestamp: Date.now(), CloudWatchMetrics: [directive] } };
}

/** How many causes of an error are logged. A chain of causes can be circular. */
const causesMax = 5;

interface ThrottlingReason {
  readonly resource?: string | undefined;
  readonly reason?: string | undefined;
}

/** Which table or index DynamoDB throttles, and why (AWS: API_ThrottlingReason). The SDK has two spellings of the property. */
function throttlingOf(error: Error): readonly ThrottlingReason[] {
  const {
    ThrottlingReasons,
    throttlingReasons = ThrottlingReasons,
  }: Error & {
    ThrottlingReasons?: readonly ThrottlingReason[];
    throttlingReasons?: readonly ThrottlingReason[];
  } = error;
  return (throttlingReasons ?? []).map(({ resource, reason }) => ({ resource, reason }));
}

/**
 * Name, message, stack, the AWS operation that failed, and causes. Omits other properties, because an SDK error can hold the item with its
 * personal data.
 */
function describe(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { message: `A ${typeof error} was thrown.` };
  const { name, message, stack, cause } = error;
  const { $metadata }: Error & { $metadata?: { requestId?: string; attempts?: number } } = error;
  const throttling = throttlingOf(error);
  return {
    name,
    message,
    stack: stack && inSourceLines(stack),
    operation: failedOperation(error),
    dynamodbRequestId: $metadata?.requestId,
    attempts: $metadata?.attempts,
    ...(throttling.length > 0 && { throttling }),
    ...(cause !== undefined && depth < causesMax && { cause: describe(cause, depth + 1) }),
  };
}

/** A position in a bundle, as a stack shows it: `file:///var/task/index.mjs:12:3456`. */
const bundlePlace = /(file:\/\/\S*\/index\.mjs):(\d+):(\d+)/g;

/**
 * The same stack with positions in source files: `shared/store/table/transact.ts:66:27`. Node's own `--enable-source-maps` would read the
 * map at every cold start, which adds 14 ms of CPU to an import of 55 ms. This reads it when a function logs its first error (70 ms, once).
 */
const inSourceLines = (stack: string): string =>
  stack.replace(bundlePlace, (place, bundle: string, line: string, column: string) => {
    const origin = sourceMapOf(bundle)?.findOrigin(Number(line), Number(column));
    return origin && 'fileName' in origin
      ? `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`
      : place;
  });

const sourceMaps = new Map<string, SourceMap | undefined>();

function sourceMapOf(bundle: string): SourceMap | undefined {
  if (sourceMaps.has(bundle)) return sourceMaps.get(bundle);
  let map: SourceMap | undefined;
  try {
    map = new SourceMap(JSON.parse(readFileSync(new URL(`${bundle}.map`), 'utf8')));
  } catch {
    // Without a map, the error is still logged, with its positions in the bundle.
  }
  sourceMaps.set(bundle, map);
  return map;
}
