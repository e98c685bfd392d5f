import { randomBytes } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type EndpointName, endpointNamed, endpoints } from '../../shared/endpoints.ts';
import { isPlainObject, parseJson } from '../../shared/json.ts';
import { apiKeyRandomBytes, mintApiKey } from '../../shared/organization/api-key.ts';
import { eventFor } from '../local/event.ts';
import { routerFor } from '../local/routes.ts';

/** API Gateway's event of a request with an API key that no table has: admission runs, and nothing is written. */
export function unknownKeyEvent(name: EndpointName, requestId: string): APIGatewayProxyEvent {
  const { method, path, takesBody } = endpointNamed(name);
  const address = path.replace('{leadId}', '1');
  const route = routerFor(endpoints)(method, address);
  if (!route) throw new Error(`${method} ${address} is not routed.`);
  const { key } = mintApiKey(randomBytes(apiKeyRandomBytes));
  const headers = {
    Host: 'release-check',
    Authorization: `Bearer ${key}`,
    ...(takesBody && { 'Content-Type': 'application/json' }),
  };
  const request = {
    method,
    path: address,
    query: '',
    rawHeaders: Object.entries(headers).flat(),
    body: Buffer.from(takesBody ? '{}' : ''),
    sourceIp: '127.0.0.1',
    protocol: 'HTTP/1.1',
    requestId,
    extendedRequestId: requestId,
  };
  return eventFor(request, route);
}

/**
 * Why a function's result is not the contract's 401; undefined if it is. A 401 proves that the version starts, and that its role, its table
 * and the encryption key work: the key is looked up by a conditional update.
 * @param payload what Lambda returned, as JSON
 */
export function versionIssue(payload: string): string | undefined {
  const result = parseJson(payload);
  if (!isPlainObject(result) || !('statusCode' in result))
    return `returned no response: ${payload.slice(0, 500)}`;
  const { statusCode, headers, body } = result;
  const reply = typeof body === 'string' ? parseJson(body) : undefined;
  const error = isPlainObject(reply) ? reply.error : undefined;
  const code = isPlainObject(error) ? error.code : undefined;
  if (statusCode !== 401 || code !== 'UNAUTHORIZED')
    return `answered ${String(statusCode)} ${String(code)} to an unknown API key, not 401 UNAUTHORIZED`;
  if (!isPlainObject(headers) || !headers['X-Request-Id'])
    return 'answered 401 without the header X-Request-Id';
  return undefined;
}
