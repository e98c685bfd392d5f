import type { ErrorCode, ErrorDetails } from '../contract/errors.ts';
import type { FieldReason } from '../contract/types.ts';
import { failedOperation, throttlingNames } from './failed-operation.ts';
import type { MetricName, RequestMetrics } from './metrics.ts';

/** What the metrics need of a request's API key. Times are ISO texts, but `expiresAt` is epoch milliseconds. */
interface Key {
  readonly createdAt: string;
  readonly expiresAt: number;
  readonly revokedAt?: string | undefined;
}

export interface AnsweredRequest {
  readonly endpoint: string;
  /** Undefined if the request had no known key. */
  readonly key: Key | undefined;
  readonly consumedCapacity: Readonly<Record<'calls' | 'readUnits' | 'writeUnits', number>>;
  readonly status: number;
  /** Set if the request was refused. */
  readonly code?: ErrorCode | undefined;
  readonly details?: ErrorDetails | undefined;
  /** Why the request was refused or failed. */
  readonly error?: unknown;
}

/** Errors that an operator should look at when they become frequent. All other errors are for the caller to fix. */
const countedCodes: Partial<Record<ErrorCode, MetricName>> = {
  INTERNAL: 'failed',
  NOT_READY: 'notReady',
  IDEMPOTENCY_IN_PROGRESS: 'contended',
  RATE_LIMITED: 'rateLimited',
  UNAUTHORIZED: 'unauthorized',
};

/** Refused captures by status: each may be a lost enquiry. Statuses that are missing here, such as 409, succeed on retry. */
const refusedCaptures: Readonly<Record<number, MetricName>> = {
  400: 'capturesInvalid',
  401: 'capturesUnauthorized',
  403: 'capturesUnauthorized',
  413: 'capturesInvalid',
  415: 'capturesInvalid',
  422: 'capturesInvalid',
  429: 'capturesRateLimited',
};

/** Enough time to create the next API key and to switch a server to it. */
const keyExpiresSoonDays = 14;
/** How long using a revoked key sets off the alarm. It leaves time to switch every server, and limits what a thief of the key can do. */
const revokedKeyWatchedDays = 7;
const dayMs = 86_400_000;

let isColdStart = true;

/** The metrics of a request. Free metrics are on every log line; metrics that drive alarms are there only when they apply. */
export function requestMetrics(request: AnsweredRequest, now: number): RequestMetrics {
  const { endpoint, key, consumedCapacity, status, code, error } = request;
  const applying: readonly (MetricName | false | undefined)[] = [
    isColdStart && 'coldStart',
    status >= 400 && status < 500 && 'refused',
    code && countedCodes[code],
    lastingRefusal(request, now),
    tableFailure(error),
    endpoint === 'capture-lead' && refusedCaptures[status],
    status < 400 && key !== undefined && expiresSoon(key, now) && 'keyExpiresSoon',
  ];
  isColdStart = false;
  return {
    dynamodbCalls: consumedCapacity.calls,
    readUnits: consumedCapacity.readUnits,
    writeUnits: consumedCapacity.writeUnits,
    ...Object.fromEntries(applying.flatMap((name) => (name ? [[name, 1]] : []))),
  };
}

/** A key with a lifetime under a day, such as the keys of `npm run verify`, is meant to expire and to be refused. */
const isTemporary = ({ createdAt, expiresAt }: Key): boolean =>
  expiresAt - Date.parse(createdAt) < dayMs;

const expiresSoon = (key: Key, now: number): boolean =>
  key.expiresAt - now < keyExpiresSoonDays * dayMs && !isTemporary(key);

/** Reasons that mean the form itself is out of date. A visitor's typo produces other reasons. */
const formReasons: ReadonlySet<unknown> = new Set<FieldReason>([
  'required',
  'unknown_field',
  'unknown_property',
  'not_accepted',
]);

/**
 * A refusal that repeats until someone acts, such as a revoked key still in use. Only a known key can cause it, so a robot cannot. It is
 * counted by itself, so that the alarm goes off however small its share of the traffic is.
 */
function lastingRefusal(
  { endpoint, key, code, details }: AnsweredRequest,
  now: number,
): MetricName | undefined {
  if (!key || isTemporary(key)) return undefined;
  const { revokedAt } = key;
  const isOld =
    revokedAt !== undefined && now - Date.parse(revokedAt) >= revokedKeyWatchedDays * dayMs;
  if ((code === 'UNAUTHORIZED' && !isOld) || code === 'FORBIDDEN') return 'knownKeyRefused';
  const reasons = code === 'VALIDATION_FAILED' ? Object.values(details?.reasons ?? {}) : [];
  const isOfForm = reasons.some((reason) => formReasons.has(reason));
  return isOfForm && endpoint === 'capture-lead' ? 'capturesMismatched' : undefined;
}

/** A chain of causes can be circular. */
const causesMax = 5;

/**
 * How the table failed a request, for the table's alarms. They do not use DynamoDB's own metrics, which report nothing instead of 0: AWS
 * documents in two ways whether an alarm then ends
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html, `TreatMissingData`). Errors are recognized by
 * name, because importing their classes would add code to every function.
 * @returns undefined if the table did not cause the error
 */
function tableFailure(error: unknown, depth = 0): MetricName | undefined {
  if (!(error instanceof Error) || depth > causesMax) return undefined;
  const {
    $metadata,
    CancellationReasons = [],
  }: Error & {
    $metadata?: { httpStatusCode?: number };
    CancellationReasons?: readonly { Code?: string }[];
  } = error;
  if (error.name === 'ContentionError') return 'contended';
  const isThrottled = CancellationReasons.some(({ Code }) => throttlingNames.has(Code));
  if (isThrottled || throttlingNames.has(error.name)) return 'tableThrottled';
  if (failedOperation(error) && ($metadata?.httpStatusCode ?? 500) >= 500) return 'tableFailed';
  return tableFailure(error.cause, depth + 1);
}
