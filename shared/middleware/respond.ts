import type { APIGatewayProxyResult } from 'aws-lambda';
import { ApiError, errorBody } from '../errors.ts';
import { log } from '../log.ts';
import type { Call } from './call.ts';

/** What an endpoint answers. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An endpoint's answer as API Gateway wants it, with the headers of every response (contract, section 1). */
export function answerResponse(call: Call, { status, body, headers }: Answer): APIGatewayProxyResult {
  const { requestId, endpoint, caller, startedAt } = call;
  const ms = Date.now() - startedAt;
  log('info', 'answered', {
    requestId,
    endpoint: endpoint.name,
    organizationId: caller?.organizationId,
    keyId: caller?.keyId,
    status,
    ms,
  });
  return {
    statusCode: status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      ...call.responseHeaders,
      ...headers,
    },
    body: JSON.stringify(body),
  };
}

/** The one place where an error becomes a response: the contract's for an ApiError, INTERNAL for everything else, logged with its causes. */
export function errorResponse(call: Call, error: unknown): APIGatewayProxyResult {
  if (error instanceof ApiError) {
    return answerResponse(call, { status: error.status, body: errorBody(error.code, error.message, error.details) });
  }
  const { requestId, endpoint, caller } = call;
  log('error', 'failed', {
    requestId,
    endpoint: endpoint.name,
    organizationId: caller?.organizationId,
    keyId: caller?.keyId,
    error,
  });
  return answerResponse(call, { status: 500, body: errorBody('INTERNAL') });
}
