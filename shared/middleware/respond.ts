import type { APIGatewayProxyResult } from 'aws-lambda';
import { ApiError, type ErrorCode, errorBody } from '../errors.ts';
import { log } from '../log.ts';
import type { MetricName, RequestMetrics } from '../metrics.ts';
import type { Caller } from '../store/organizations/admission.ts';
import { tableFailureMetric } from '../store/table/failure-metric.ts';
import type { Call } from './call.ts';
import { refusedFields } from './refused-fields.ts';

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the log line says of an error. */
type Refused = Pick<ApiError, 'code'> &
  Partial<Pick<ApiError, 'details'>> & { readonly tableFailure?: MetricName | undefined };

/** Converts a reply to API Gateway's form, with the headers of every response (contract, section 1), and writes the call's log line. */
export function replyResponse(
  call: Call,
  { status, body, headers }: Reply,
  error?: Refused,
): APIGatewayProxyResult {
  logReply(call, status, error);
  return {
    statusCode: status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'X-Request-Id': call.requestId,
      ...call.responseHeaders,
      ...headers,
    },
    body: JSON.stringify(body),
  };
}

/** Converts an error to a response: an ApiError to the contract's, any other error to INTERNAL. The latter is logged with its causes. */
export function errorResponse(call: Call, error: unknown): APIGatewayProxyResult {
  if (error instanceof ApiError) {
    return replyResponse(
      call,
      { status: error.status, body: errorBody(error.code, error.message, error.details) },
      error,
    );
  }
  const { requestId, endpoint, caller } = call;
  log('error', 'failed', {
    requestId,
    endpoint: endpoint.name,
    organizationId: caller?.organizationId,
    keyId: caller?.keyId,
    error,
  });
  const tableFailure = tableFailureMetric(error);
  return replyResponse(
    call,
    { status: 500, body: errorBody('INTERNAL') },
    { code: 'INTERNAL', tableFailure },
  );
}

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
const dayMs = 86_400_000;

/** A key that was made for less than a day, such as one of `npm run verify`, is meant to expire. */
const expiresSoon = ({ createdAt, expiresAt }: Caller, now: number): boolean =>
  expiresAt - now < keyExpiresSoonDays * dayMs && expiresAt - Date.parse(createdAt) >= dayMs;

let isColdStart = true;

/** Writes the one log line of a call. Free metrics are on every line; metrics that drive alarms are there only when they apply. */
function logReply(
  call: Call,
  status: number,
  { code, details, tableFailure }: Partial<Refused> = {},
): void {
  const { requestId, endpoint, caller, startedAt, consumedCapacity } = call;
  const now = Date.now();
  const counted = code && countedCodes[code];
  const refusedCapture = endpoint.name === 'capture-lead' ? refusedCaptures[status] : undefined;
  const keyExpires = status < 400 && caller !== undefined && expiresSoon(caller, now);
  const metrics: RequestMetrics = {
    dynamodbCalls: consumedCapacity.calls,
    readUnits: consumedCapacity.readUnits,
    writeUnits: consumedCapacity.writeUnits,
    ...(isColdStart && { coldStart: 1 }),
    ...(counted && { [counted]: 1 }),
    ...(tableFailure && { [tableFailure]: 1 }),
    ...(refusedCapture && { [refusedCapture]: 1 }),
    ...(keyExpires && { keyExpiresSoon: 1 }),
  };
  isColdStart = false;
  const organizationId = caller?.organizationId;
  const refused = refusedFields(details, call.admitted?.organization);
  const fields = {
    requestId,
    endpoint: endpoint.name,
    organizationId,
    keyId: caller?.keyId,
    status,
    ...(code && { code }),
    ...(refused.length > 0 && { fields: refused }),
  };
  log('info', 'answered', { ...fields, ms: now - startedAt }, metrics);
}
