import type { APIGatewayProxyResult } from 'aws-lambda';
import { ApiError, type ErrorCode, errorBody } from '../errors.ts';
import { log } from '../log.ts';
import type { MetricName, RequestMetrics } from '../metrics.ts';
import type { Call } from './call.ts';

/** What an endpoint answers. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An endpoint's answer as API Gateway wants it, with the headers of every response (contract, section 1). */
export async function replyResponse(
  call: Call,
  { status, body, headers }: Reply,
  code?: ErrorCode,
): Promise<APIGatewayProxyResult> {
  await logReply(call, status, code);
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

/** The one place where an error becomes a response: the contract's for an ApiError, INTERNAL for everything else, logged with its causes. */
export async function errorResponse(call: Call, error: unknown): Promise<APIGatewayProxyResult> {
  if (error instanceof ApiError) {
    return replyResponse(call, { status: error.status, body: errorBody(error.code, error.message, error.details) }, error.code);
  }
  const { requestId, endpoint, caller } = call;
  await log('error', 'failed', {
    requestId,
    endpoint: endpoint.name,
    organizationId: caller?.organizationId,
    keyId: caller?.keyId,
    error,
  });
  return replyResponse(call, { status: 500, body: errorBody('INTERNAL') }, 'INTERNAL');
}

/** Refusals that somebody should look at when they pile up. All others are the caller's own affair. */
const countedCodes: Partial<Record<ErrorCode, MetricName>> = {
  INTERNAL: 'failed',
  NOT_READY: 'notReady',
  IDEMPOTENCY_IN_PROGRESS: 'contended',
  RATE_LIMITED: 'rateLimited',
};

/** Time enough to make the successor of a key and switch a server to it. */
const keyExpiresSoonDays = 14;
const dayMs = 86_400_000;

let isColdStart = true;

/** The one line of a call. What costs nothing extra is on every line; what somebody is to be woken for is there only then. */
async function logReply(call: Call, status: number, code: ErrorCode | undefined): Promise<void> {
  const { requestId, endpoint, caller, startedAt, consumedCapacity } = call;
  const now = Date.now();
  const counted = code && countedCodes[code];
  const keyExpires = status < 400 && caller !== undefined && caller.expiresAt - now < keyExpiresSoonDays * dayMs;
  const metrics: RequestMetrics = {
    dynamodbCalls: consumedCapacity.calls,
    readUnits: consumedCapacity.readUnits,
    writeUnits: consumedCapacity.writeUnits,
    ...(isColdStart && { coldStart: 1 }),
    ...(counted && { [counted]: 1 }),
    ...(keyExpires && { keyExpiresSoon: 1 }),
  };
  isColdStart = false;
  const organizationId = caller?.organizationId;
  const fields = { requestId, endpoint: endpoint.name, organizationId, keyId: caller?.keyId, status, ...(code && { code }) };
  await log('info', 'answered', { ...fields, ms: now - startedAt }, metrics);
}
