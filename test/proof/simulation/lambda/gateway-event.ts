import type { APIGatewayProxyEvent } from 'aws-lambda';
import { eventFor } from '../../../../infra/gateway/event.ts';
import { routerFor } from '../../../../infra/gateway/routes.ts';
import {
  type EndpointName,
  endpointNamed,
  endpoints,
} from '../../../../shared/contract/endpoints.ts';

/** A request as a caller means it. */
export interface CallerRequest {
  readonly endpoint: EndpointName;
  readonly apiKey: string;
  readonly leadId?: number;
  readonly query?: Readonly<Record<string, string | number>>;
  /** Sent as JSON. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const route = routerFor(endpoints);

/** The event that API Gateway hands to the function, at a moment of simulated time. */
export function gatewayEvent(
  request: CallerRequest,
  requestId: string,
  now: number,
): APIGatewayProxyEvent {
  const { method, path } = endpointNamed(request.endpoint);
  const address = path.replace('{leadId}', String(request.leadId));
  const found = route(method, address);
  if (!found) throw new Error(`${method} ${address} is not routed.`);
  const { body, query = {} } = request;
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const headers = {
    Host: 'api.example.com',
    Authorization: `Bearer ${request.apiKey}`,
    'X-Amzn-Trace-Id': `Root=${requestId}`,
    ...(body && { 'Content-Type': 'application/json' }),
    ...request.headers,
  };
  const event = eventFor(
    {
      method,
      path: address,
      query: search.toString(),
      rawHeaders: Object.entries(headers).flat(),
      body: Buffer.from(body ? JSON.stringify(body) : ''),
      sourceIp: '198.51.100.7',
      protocol: 'HTTP/1.1',
      requestId,
      extendedRequestId: requestId,
    },
    found,
  );
  event.requestContext.requestTimeEpoch = now;
  event.requestContext.requestTime = new Date(now).toISOString();
  return event;
}
