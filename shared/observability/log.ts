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
  /** Of a request that wrote or read one lead, and of a record that the publisher cannot read. */
  readonly leadId?: number | undefined;
  readonly keyId?: string | undefined;
  readonly status?: number;
  /** The contract's error code. */
  readonly code?: string | undefined;
  /** Of a 401: why a key that is known was refused. */
  readonly keyRefusal?: 'revoked' | 'expired' | undefined;
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
 * double the cost of logs. Written without a library: the Powertools logger is 13 KB of each function and 4 ms of each cold start.
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

/** Of a deployment with tracing, by which X-Ray and the logs name the same request (AWS: X-Ray, Tracing header). */
const traceId = (): string | undefined =>
  /Root=([^;]+)/.exec(process.env._X_AMZN_TRACE_ID ?? '')?.[1];

/**
 * Marks the members of the line that CloudWatch reads as metrics (CloudWatch: embedded metric format). A test compares them with the output
 * of the Powertools metrics, which would add 12 KB to each function.
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

/** Causes of an error that are logged; a chain of causes can be circular. */
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

/** Name, message, stack, the operation of AWS that failed, and causes. Omits other properties: those of an SDK error can hold the item, with personal data. */
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

/** A place in a bundle, as a stack names it: `file:///var/task/index.mjs:12:3456`. */
const bundlePlace = /(file:\/\/\S*\/index\.mjs):(\d+):(\d+)/g;

/**
 * The same stack with the places in source files: `shared/store/table/transact.ts:66:27`. Node's own `--enable-source-maps` would read the
 * map at every cold start (14 ms of CPU more, for an import of 55). This reads it when a function logs its first error (70 ms, once).
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
    // The line of the error is needed, even with places in the bundle.
  }
  sourceMaps.set(bundle, map);
  return map;
}
