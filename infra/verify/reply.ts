import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { apiErrors, type ErrorCode } from '../../shared/errors.ts';
import { parseJson } from '../../shared/json.ts';
import { keysOf } from '../../shared/keys-of.ts';
import { CheckError } from '../cli/command.ts';
import { errorText } from '../cli/error-code.ts';

/** What the service answered. */
export interface Reply {
  readonly status: number;
  readonly requestId?: string | undefined;
  /** Parsed; the text itself if it is not JSON. */
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

/** The next thing to look at after a reply that is not the expected one. */
export function nextFor(reply: Reply): string {
  if (reply.status >= 400 && codeOf(reply) === undefined)
    return `The gateway's own responses are not the contract's: deploy again, so that the API has the responses of infra/gateway/responses.ts${gatewayNext(reply)}`;
  if (reply.status >= 500) return functionNext;
  return (
    nextByStatus[reply.status] ??
    'Is the deployed version the one that this command comes with? If so, report this line as a defect.'
  );
}

const functionNext =
  'Find the error by its X-Request-Id: npm run admin -- request ID --stack NAME, or the terminal of a local service. AccessDeniedException: the role lacks an action, or the encryption key. ' +
  'ResourceNotFoundException: LEADS_TABLE names no table of the region. ValidationException: the table lacks an index.';

const nextByStatus: Readonly<Record<number, string>> = {
  401: 'The service does not know the key. Its functions use another table or region than this command (LEADS_TABLE of the function, TableName of the stack).',
  403: 'Does the firewall or a policy of the API refuse this caller? See WAF and the resource policy of the API.',
  404: 'Is the base URL right, with the stage (…/live) or the custom domain? Is the method deployed?',
  429: 'The limit of the API or of the deployment is reached: wait for the seconds in Retry-After, or compare requestsPerOrganizationPerHour with the requests of --write (about 100).',
};

function gatewayNext({ status }: Reply): string {
  if (status === 403)
    return '. If the API has a custom domain, its execute-api address answers 403: use the domain. A firewall or a proxy may answer, too.';
  if (status >= 500)
    return '. The function crashed, ran out of time or may not be invoked: see its log, and the permission of the API to invoke it.';
  return ', and check that no proxy in front of it answers instead.';
}

export interface Request {
  readonly method: string;
  /** With the query string; the base URL comes before it. */
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
 * Sends a request and returns whatever comes back. Follows no redirect. A reply may come before the whole body is sent.
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
    // fetch wraps the error that says why.
    const cause = error instanceof TypeError && error.cause ? error.cause : error;
    throw new CheckError(
      `no reply (${errorText(cause)})`,
      'Check the base URL, the network, and that the service is running.',
    );
  } finally {
    replied.abort();
  }
}

const firstPartBytes = 65_536;
/** A gateway that refuses a length answers at once. */
const restAfterMs = 2000;

/**
 * Sends a large body in two parts, with a pause: a gateway that refuses the length closes the connection after its reply, and a
 * write to a closed connection would lose the reply.
 */
async function* inParts(body: Buffer): AsyncGenerator<Buffer> {
  const isLarge = body.length > 2 * firstPartBytes;
  yield isLarge ? body.subarray(0, firstPartBytes) : body;
  if (!isLarge) return;
  await pause(restAfterMs);
  yield body.subarray(firstPartBytes);
}
