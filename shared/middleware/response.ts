import type { APIGatewayProxyResult } from 'aws-lambda';
import { ApiError, type ErrorDetails, errorBody } from '../contract/errors.ts';
import { type LogFields, log } from '../observability/log.ts';
import { type AnsweredRequest, requestMetrics } from '../observability/request-metrics.ts';
import type { Call, Reply, Step } from './call.ts';

/** Turns the reply or the error of the later steps into the response, and writes the call's log line. */
export const response = <Added>(): Step<Added> => ({
  after: ({ response: reply, context: call }) => reply && replyResponse(call, reply),
  onError: ({ error, context: call }) => errorResponse(call, error),
});

/** Converts a reply to API Gateway's form, and writes the call's log line. */
export function replyResponse(call: Call, reply: Reply): APIGatewayProxyResult {
  logAnswer(call, { status: reply.status }, reply.leadId);
  return responseOf(call, reply);
}

/** Converts an error to a response. An ApiError has its own response; any other error becomes INTERNAL and is logged with its causes. */
export function errorResponse(call: Call, error: unknown): APIGatewayProxyResult {
  const apiError = error instanceof ApiError ? error : new ApiError('INTERNAL');
  const { code, status, message, details } = apiError;
  if (apiError !== error) log('error', 'failed', { ...callFields(call), error });
  logAnswer(call, { status, code, details, error });
  return responseOf(call, { status, body: errorBody(code, message, details) });
}

/**
 * The response, with the headers that every response of a function has (contract, section 1). `infra/gateway/responses.ts` has the
 * responses that API Gateway sends by itself, and `infra/stack/firewall.ts` the firewall's.
 */
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

/** Why a known key got a 401. Only for the log: the caller must not learn the reason. */
const keyRefusalOf = ({ code }: Outcome, { caller }: Call): LogFields['keyRefusal'] => {
  if (code !== 'UNAUTHORIZED' || !caller) return undefined;
  return caller.revokedAt === undefined ? 'expired' : 'revoked';
};

/** The names of the refused fields and properties. Omits names that the caller made up, because they can be personal data. */
export function refusedFields(
  details: ErrorDetails | undefined,
  { properties, organization }: Pick<Call, 'properties' | 'organization'>,
): string[] {
  const names = Object.keys(details?.reasons ?? {}).map((name) =>
    name.startsWith('attribution.') ? 'attribution' : name,
  );
  const isKnown = (name: string): boolean =>
    properties?.has(name) === true || organization?.fieldByKey.has(name) === true;
  return [...new Set(names.filter(isKnown))];
}

type Outcome = Pick<AnsweredRequest, 'status' | 'code' | 'details' | 'error'>;

/** Writes the one log line of a call. */
function logAnswer(call: Call, outcome: Outcome, leadId?: number): void {
  const { endpoint, caller, startedAt, consumedCapacity } = call;
  const { status, code, details } = outcome;
  const now = Date.now();
  const request = { endpoint: endpoint.name, key: caller, consumedCapacity, ...outcome };
  const refused = refusedFields(details, call);
  const fields = {
    ...callFields(call),
    leadId,
    status,
    code,
    keyRefusal: keyRefusalOf(outcome, call),
    ...(refused.length > 0 && { fields: refused }),
  };
  log('info', 'answered', { ...fields, ms: now - startedAt }, requestMetrics(request, now));
}
