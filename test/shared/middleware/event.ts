import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type EndpointName, endpointNamed } from '../../../shared/contract/endpoints.ts';
import type { Call } from '../../../shared/middleware/call.ts';

export type EventParts = Partial<Omit<APIGatewayProxyEvent, 'headers'>> & {
  readonly headers?: Record<string, string> | null;
};

/** A request as API Gateway's REST proxy integration hands it over. */
export function requestEvent(parts: EventParts = {}): APIGatewayProxyEvent {
  const headers =
    parts.headers === undefined
      ? { 'X-Forwarded-Proto': 'https', 'Content-Type': 'application/json' }
      : parts.headers;
  return {
    httpMethod: 'POST',
    path: '/api/v1/leads/capture',
    resource: '/api/v1/leads/capture',
    headers,
    multiValueHeaders:
      headers &&
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    stageVariables: null,
    body: '{}',
    isBase64Encoded: false,
    requestContext: { requestId: 'chosen-by-the-caller', extendedRequestId: 'request-1' },
    ...parts,
  } as APIGatewayProxyEvent;
}

/** A call of an endpoint that has read nothing yet. Its table is undefined: no test that uses it touches the table. */
export const newCall = (name: EndpointName = 'capture-lead', more: Partial<Call> = {}): Call => ({
  endpoint: endpointNamed(name),
  table: undefined as never,
  consumedCapacity: { calls: 0, readUnits: 0, writeUnits: 0 },
  requestId: 'request-1',
  startedAt: Date.now(),
  responseHeaders: {},
  ...more,
});
