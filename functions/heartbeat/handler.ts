import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { get as httpsGet } from 'node:https';
import { text } from 'node:stream/consumers';
import { TLSSocket } from 'node:tls';
import { parseJson } from '../../shared/base/json.ts';
import type { ErrorBody, ErrorCode } from '../../shared/contract/errors.ts';
import { log } from '../../shared/observability/log.ts';
import { heartbeatVariables } from '../../shared/observability/metrics.ts';

const heartbeat = 'heartbeat';
/** An endpoint that reads: without a key, its function refuses the request before it calls DynamoDB. */
const path = '/api/v1/users';
const expectedCode: ErrorCode = 'UNAUTHORIZED';
/** The time that is left to write the log line after the request has timed out. */
const logReserveMs = 1000;
const dayMs = 86_400_000;

interface InvocationContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/**
 * Calls the public address without an API key and expects the service's own 401, which proves that DNS, certificate, gateway and function
 * work. Not an endpoint: with `heartbeat: true`, EventBridge calls it every five minutes. It never throws: its log line has the result as a
 * metric.
 */
export const handler = async (_event: unknown, context: InvocationContext): Promise<void> => {
  const {
    [heartbeatVariables.baseUrl]: baseUrl = '',
    [heartbeatVariables.watchesCertificate]: watchesCertificate,
  } = process.env;
  const line = { requestId: context.awsRequestId, endpoint: heartbeat };
  const startedAt = performance.now();
  try {
    const withinMs = context.getRemainingTimeInMillis() - logReserveMs;
    const { status, certificateDays } = await beat(`${baseUrl}${path}`, withinMs);
    const ms = Math.round(performance.now() - startedAt);
    const metrics = {
      heartbeatAnswered: 1,
      heartbeatMs: ms,
      ...(watchesCertificate && certificateDays !== undefined && { certificateDays }),
    };
    log('info', heartbeat, { ...line, status, ms }, metrics);
  } catch (error) {
    const ms = Math.round(performance.now() - startedAt);
    log('error', heartbeat, { ...line, ms, error }, { heartbeatAnswered: 0 });
  }
};

interface Reply {
  readonly status: number;
  /** Whole days; undefined without TLS. */
  readonly certificateDays: number | undefined;
}

/** @throws Error that explains the failure: the network's own error if there is no response */
async function beat(url: string, withinMs: number): Promise<Reply> {
  const get = url.startsWith('https:') ? httpsGet : httpGet;
  // Opens a new connection: a reused one would prove neither DNS nor the certificate, and has no certificate to read.
  const request = get(url, { agent: false, signal: AbortSignal.timeout(withinMs) });
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (!response) throw new Error('There is no response.');
  const { socket } = response;
  const validTo = socket instanceof TLSSocket ? socket.getPeerCertificate().valid_to : undefined;
  assertOwn401(response, await text(response));
  return {
    status: response.statusCode ?? 0,
    certificateDays:
      validTo === undefined ? undefined : Math.floor((Date.parse(validTo) - Date.now()) / dayMs),
  };
}

/** @throws Error unless the response is the contract's 401 (sections 1 and 7). Never quotes the body: another server may have sent it. */
function assertOwn401({ statusCode, headers }: IncomingMessage, body: string): void {
  if (statusCode !== 401) throw new Error(`The status is ${statusCode}; expected 401.`);
  const { error } = (parseJson(body) ?? {}) as Partial<ErrorBody>;
  if (error?.code !== expectedCode || typeof error.message !== 'string')
    throw new Error(`The body is not the contract's error ${expectedCode}.`);
  const wrong = Object.entries({
    'content-type': /^application\/json\b/,
    'cache-control': /^no-store$/,
    'x-request-id': /./,
  }).find(([name, right]) => !right.test(String(headers[name] ?? '')));
  if (wrong) throw new Error(`The header ${wrong[0]} is missing or wrong.`);
}
