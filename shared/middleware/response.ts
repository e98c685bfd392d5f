import type { APIGatewayProxyResult } from 'aws-lambda';
import { ApiError, type ErrorCode, type ErrorDetails, errorBody } from '../contract/errors.ts';
import type { Refusal } from '../contract/refusals.ts';
import { failedOperation } from '../observability/failed-operation.ts';
import { type LogFields, log } from '../observability/log.ts';
import type { MetricName, RequestMetrics } from '../observability/metrics.ts';
import type { Organization } from '../organization/organization.ts';
import type { Caller } from '../store/organizations/admission.ts';
import { throttlingNames } from '../store/table/retry.ts';
import type { Call } from './call.ts';

export interface Reply {
  readonly status: number;
  /** Of a request that wrote or read one lead, for the log. */
  readonly leadId?: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Converts a reply to API Gateway's form, and writes the call's log line. */
export function replyResponse(call: Call, reply: Reply): APIGatewayProxyResult {
  logReply(call, reply.status, { leadId: reply.leadId });
  return responseOf(call, reply);
}

/** Converts an error to a response: an ApiError to the contract's, any other error to INTERNAL. The latter is logged with its causes. */
export function errorResponse(call: Call, error: unknown): APIGatewayProxyResult {
  const apiError = error instanceof ApiError ? error : new ApiError('INTERNAL');
  const { code, status, message, details } = apiError;
  if (apiError !== error) log('error', 'failed', { ...callFields(call), error });
  logReply(call, status, { code, details, tableFailure: tableFailureMetric(error) });
  return responseOf(call, { status, body: errorBody(code, message, details) });
}

/** The response with the headers of every response (contract, section 1). */
const responseOf = (call: Call, { status, body, headers }: Reply): APIGatewayProxyResult => ({
  statusCode: status,
  headers: {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Request-Id': call.requestId,
    ...call.responseHeaders,
    ...headers,
  },
  body: JSON.stringify(body),
});

const callFields = ({ requestId, endpoint, caller }: Call) => ({
  requestId,
  endpoint: endpoint.name,
  organizationId: caller?.organizationId,
  keyId: caller?.keyId,
});

/** Errors that an operator should look at when they become frequent. All other errors are for the caller to fix. */
const countedCodes: Partial<Record<ErrorCode, MetricName>> = {
  INTERNAL: 'failed',
  NOT_READY: 'notReady',
  IDEMPOTENCY_IN_PROGRESS: 'contended',
  RATE_LIMITED: 'rateLimited',
  UNAUTHORIZED: 'unauthorized',
};

/** Refused captures by status: behind each is an enquiry that may be lost. Others, such as 409, succeed when they are retried. */
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
/** How long the use of a revoked key sets the alarm off: time to switch every server, and an end to what a thief of the key can do. */
const revokedKeyWatchedDays = 7;
const dayMs = 86_400_000;

/** A key that was made for less than a day, such as one of `npm run verify`, is meant to expire and to be refused. */
const isTemporary = ({ createdAt, expiresAt }: Caller): boolean =>
  expiresAt - Date.parse(createdAt) < dayMs;

const expiresSoon = (caller: Caller, now: number): boolean =>
  caller.expiresAt - now < keyExpiresSoonDays * dayMs && !isTemporary(caller);

/** Why a known key got a 401: for the log, because the caller must not learn it. */
function keyRefusalOf(
  code: ErrorCode | undefined,
  caller: Caller | undefined,
): LogFields['keyRefusal'] {
  if (code !== 'UNAUTHORIZED' || !caller) return undefined;
  return caller.revokedAt === undefined ? 'expired' : 'revoked';
}

/** The reasons of a form whose fields are not those of the settings: a visitor who mistypes a value gets others. */
const formReasons: ReadonlySet<unknown> = new Set<Refusal['reason']>([
  'required',
  'unknown_field',
  'unknown_property',
  'not_accepted',
]);

/**
 * A refusal that an organization will not notice, and that continues until somebody acts. It has a known key, so no robot can cause it. It
 * is counted for an alarm that goes off however small its share of the traffic is.
 */
function lastingRefusal(
  { endpoint, caller }: Call,
  { code, details }: Partial<Pick<ApiError, 'code' | 'details'>>,
  now: number,
): MetricName | undefined {
  if (!caller || isTemporary(caller)) return undefined;
  const { revokedAt } = caller;
  const isOld =
    revokedAt !== undefined && now - Date.parse(revokedAt) >= revokedKeyWatchedDays * dayMs;
  if ((code === 'UNAUTHORIZED' && !isOld) || code === 'FORBIDDEN') return 'knownKeyRefused';
  const reasons = code === 'VALIDATION_FAILED' ? Object.values(details?.reasons ?? {}) : [];
  const isOfForm = reasons.some((reason) => formReasons.has(reason));
  return isOfForm && endpoint.name === 'capture-lead' ? 'capturesMismatched' : undefined;
}

/** The properties of request bodies, and the header: of these, and of the organization's field keys, a log line may name any. */
export const loggedNames: ReadonlySet<string> = new Set([
  'name',
  'phone',
  'email',
  'source',
  'pipelineId',
  'stageId',
  'notes',
  'fields',
  'attribution',
  'externalId',
  'text',
  'body',
  'Idempotency-Key',
]);

/** The names of what a request was refused for, without names of the caller's own making, which can be personal data. */
export function refusedFields(
  details: ErrorDetails | undefined,
  organization: Organization | undefined,
): string[] {
  const names = Object.keys(details?.reasons ?? {}).map((name) =>
    name.startsWith('attribution.') ? 'attribution' : name,
  );
  const isKnown = (name: string): boolean =>
    loggedNames.has(name) || organization?.fieldByKey.has(name) === true;
  return [...new Set(names.filter(isKnown))];
}

/** A chain of causes can be circular. */
const causesMax = 5;

/**
 * What the table did to a call that failed, for its alarms. They do not use DynamoDB's own metrics: those report nothing instead of 0, and
 * AWS documents in two ways whether an alarm on them then ends
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html, `TreatMissingData`).
 * Errors are known by their names: their classes would be code of every function.
 * @returns undefined for an error that is not the table's
 */
function tableFailureMetric(error: unknown, depth = 0): MetricName | undefined {
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
  return tableFailureMetric(error.cause, depth + 1);
}

let isColdStart = true;

/** Writes the one log line of a call. Free metrics are on every line; metrics that drive alarms are there only when they apply. */
function logReply(
  call: Call,
  status: number,
  outcome: Partial<Pick<ApiError, 'code' | 'details'>> & {
    readonly leadId?: number | undefined;
    readonly tableFailure?: MetricName | undefined;
  },
): void {
  const { endpoint, caller, startedAt, consumedCapacity } = call;
  const { code, details, leadId, tableFailure } = outcome;
  const now = Date.now();
  const applying: readonly (MetricName | false | undefined)[] = [
    isColdStart && 'coldStart',
    status >= 400 && status < 500 && 'refused',
    code && countedCodes[code],
    lastingRefusal(call, outcome, now),
    tableFailure,
    endpoint.name === 'capture-lead' && refusedCaptures[status],
    status < 400 && caller !== undefined && expiresSoon(caller, now) && 'keyExpiresSoon',
  ];
  const metrics: RequestMetrics = {
    dynamodbCalls: consumedCapacity.calls,
    readUnits: consumedCapacity.readUnits,
    writeUnits: consumedCapacity.writeUnits,
    ...Object.fromEntries(applying.flatMap((name) => (name ? [[name, 1]] : []))),
  };
  isColdStart = false;
  const refused = refusedFields(details, call.organization);
  const fields = {
    ...callFields(call),
    leadId,
    status,
    code,
    keyRefusal: keyRefusalOf(code, caller),
    ...(refused.length > 0 && { fields: refused }),
  };
  log('info', 'answered', { ...fields, ms: now - startedAt }, metrics);
}
