import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { parseJson } from '../../shared/base/json.ts';
import { keysOf } from '../../shared/base/maps.ts';
import { apiErrors, type ErrorCode } from '../../shared/contract/errors.ts';
import { CheckError } from '../cli/command.ts';
import { errorText } from '../cli/error-code.ts';

/** A reply of the service. */
export interface Reply {
  readonly status: number;
  readonly requestId?: string | undefined;
  /** The parsed body, or its text if it is not JSON. */
  readonly body?: unknown;
}

const errorBody = v.strictObject({
  error: v.strictObject({
    code: v.picklist(keysOf(apiErrors)),
    message: v.string(),
    details: v.exactOptional(v.looseObject({})),
  }),
});

/** The code of a body in the contract's error shape; undefined for any other body. */
export function codeOf({ body }: Reply): ErrorCode | undefined {
  const parsed = v.safeParse(errorBody, body);
  return parsed.success ? parsed.output.error.code : undefined;
}

/** A reply in a few words: `401 UNAUTHORIZED, X-Request-Id …`. */
export function replyText(reply: Reply): string {
  const text = [reply.status, codeOf(reply)].filter(Boolean).join(' ');
  return reply.requestId === undefined ? text : `${text}, X-Request-Id ${reply.requestId}`;
}

/** The next thing to look at after an unexpected reply. */
export function nextFor(reply: Reply): string {
  if (reply.status >= 400 && codeOf(reply) === undefined) return gatewayNext(reply);
  if (reply.status >= 500) return functionNext;
  return nextByStatus[reply.status] ?? versionNext;
}

export const versionNext =
  'Is the deployed version the one that this command comes with, and its address without a proxy? If so, report this line as a defect.';

const functionNext =
  'Find the error by its X-Request-Id: npm run admin -- request ID --stack NAME, or the terminal of a local service. AccessDeniedException: the role lacks an action, or the encryption key. ' +
  'ResourceNotFoundException: LEADS_TABLE names no table of the region. ValidationException: the table lacks an index. ' +
  'Without a line of that request, the function crashed, ran out of time or may not be invoked: see its log, and the permission of the API to invoke it.';

const nextByStatus: Readonly<Record<number, string>> = {
  401: 'The service does not know the key. Its functions use another table or region than this command (LEADS_TABLE of the function, TableName of the stack).',
  403: 'Does the firewall or a policy of the API refuse this caller, or a proxy send X-Forwarded-Proto: http? See WAF and the resource policy of the API.',
  404: 'Is the base URL right, with the stage (…/live) or the custom domain? Is the method deployed?',
  429: 'A limit of the deployment is too low for a verification: raise requestsPerSecond (5 at once), or for --write requestsPerOrganizationPerHour (about 100). If other callers use it up, run the command later.',
};

/** CloudFormation does not touch a gateway response that somebody changed by hand, so deploying the same release again would not help. */
function gatewayNext({ status }: Reply): string {
  const ofDomain =
    status === 403
      ? 'If the API has a custom domain, its execute-api address answers 403: use the domain. A firewall or a proxy may refuse the request, too. '
      : '';
  return `${ofDomain}Does a proxy in front of the API answer instead? Verify the output BaseUrl of the stack. If that fails too, the responses of the gateway are not those of infra/gateway/responses.ts: restore them in API Gateway and deploy the stage. Deploy again only if an older release runs.`;
}

export interface Request {
  readonly method: string;
  /** The path with its query string, which follows the base URL. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface SentReply extends Reply {
  readonly headers: Headers;
  readonly ms: number;
}

/** A gateway waits 29 s for a function. */
const replyWithinMs = 35_000;

/**
 * Sends a request and returns any reply. Follows no redirects. A reply may arrive before the whole body is sent.
 * @throws CheckError when there is no reply
 */
export async function send(
  baseUrl: string,
  { method, path, headers = {}, body = '' }: Request,
  withinMs = replyWithinMs,
): Promise<SentReply> {
  const replied = new AbortController();
  const startedAt = performance.now();
  try {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      redirect: 'manual',
      duplex: 'half',
      headers,
      ...(body.length > 0 && {
        headers: { 'Content-Length': String(Buffer.byteLength(body)), ...headers },
        body: ReadableStream.from(inParts(Buffer.from(body))),
      }),
      signal: AbortSignal.any([replied.signal, AbortSignal.timeout(withinMs)]),
    });
    const text = await response.text();
    const id = response.headers.get('x-request-id') ?? response.headers.get('x-amzn-requestid');
    return {
      status: response.status,
      headers: response.headers,
      ms: performance.now() - startedAt,
      requestId: id ?? undefined,
      body: parseJson(text) ?? text,
    };
  } catch (error) {
    // fetch wraps the error that has the reason.
    const cause = error instanceof TypeError && error.cause ? error.cause : error;
    throw new CheckError(
      `no reply (${errorText(cause)})`,
      'Check the base URL, the network, and that the service is running. If other checks pass, a proxy or a firewall drops this request: verify the output BaseUrl of the stack.',
    );
  } finally {
    replied.abort();
  }
}

const firstPartBytes = 65_536;
/** How long to wait before the rest of a body: a gateway that refuses its length answers at once. */
const restAfterMs = 2000;

/**
 * Sends a large body in two parts, with a pause. A gateway that refuses its length replies and closes the connection, and writing to a
 * closed connection would lose the reply.
 */
async function* inParts(body: Buffer): AsyncGenerator<Buffer> {
  const isLarge = body.length > 2 * firstPartBytes;
  yield isLarge ? body.subarray(0, firstPartBytes) : body;
  if (!isLarge) return;
  await pause(restAfterMs);
  yield body.subarray(firstPartBytes);
}
