import { randomBytes } from 'node:crypto';
import { inParallel } from '../../shared/base/batches.ts';
import { endpoints, takesBody } from '../../shared/contract/endpoints.ts';
import { apiErrors, type ErrorCode } from '../../shared/contract/errors.ts';
import { limits } from '../../shared/contract/limits.ts';
import { apiKeyRandomBytes, mintApiKey } from '../../shared/organization/api-key.ts';
import { localRequestTimeoutMs, requestTimeoutMs } from '../../shared/store/table/client.ts';
import { CheckError } from '../cli/command.ts';
import type { Checks } from './check.ts';
import {
  codeOf,
  nextFor,
  type Request,
  replyText,
  type SentReply,
  send,
  versionNext,
} from './reply.ts';

/**
 * API Gateway's quota for a request line with its headers. Its quota for a body is 10 MB (developer guide, "Quotas"), and Lambda's for an
 * event is 6 MB.
 */
const gatewayHeadMaxBytes = 10_240;
const megabyte = 1024 * 1024;
/** How long to wait for a reply over plain HTTP: API Gateway does not listen on port 80, and a firewall may drop the request. */
const plainReplyWithinMs = 5000;
const leadsPath = '/api/v1/leads';
const listLeads = { method: 'GET', path: leadsPath };
/** A new AWS account allows 10 concurrent executions. */
const checksAtOnce = 5;

/** A row in the table of checks. */
interface ReadOnlyCheck extends Request {
  readonly check: string;
  /**
   * The expected codes. There are several if either the gateway or the function may refuse first. Empty if the contract's body is not
   * expected.
   */
  readonly codes: readonly ErrorCode[];
  /** Also accepted: the gateway may refuse the request itself, with a body that no deployment can change. */
  readonly orByGateway?: '413' | '4xx';
}
type SentRequest = Omit<ReadOnlyCheck, 'check' | 'codes'>;
const row = (check: string, code: ErrorCode, request: SentRequest): ReadOnlyCheck => ({
  check,
  codes: [code],
  ...request,
});

/** A key with a valid form and checksum that is not in any table. */
const unknownKey = (): string => mintApiKey(randomBytes(apiKeyRandomBytes)).key;
const plainHttpText = 'A request over plain HTTP';
const json = { 'Content-Type': 'application/json' };

/** All checks of an address. They write nothing, because every key is unknown. */
function checksOf(baseUrl: string): ReadOnlyCheck[] {
  const headers = { Authorization: `Bearer ${unknownKey()}` };
  const get = { ...listLeads, headers };
  const withWrongKey = { ...get, headers: { Authorization: 'Bearer leads_live_wrong' } };
  const withKeyInUrl = { ...get, headers: {}, path: `${leadsPath}?api_key=${unknownKey()}` };
  const longFilter = encodeURIComponent('[]'.padEnd(gatewayHeadMaxBytes + 1000, ' '));
  const overHttp = { ...get, headers: { ...headers, 'X-Forwarded-Proto': 'http' } };
  return [
    // Admission is a conditional update of the table: a 401 proves the route, the function, its role, the table and the encryption key.
    ...endpoints.map(({ method, path }) =>
      row(`${method} ${path} with an unknown key`, 'UNAUTHORIZED', {
        method,
        path: path.replace('{leadId}', '1'),
        ...(takesBody({ method }) ? { headers: { ...headers, ...json }, body: '{}' } : { headers }),
      }),
    ),
    row(`GET ${leadsPath} without a key`, 'UNAUTHORIZED', { ...get, headers: {} }),
    row(`GET ${leadsPath} with a key of a wrong form`, 'UNAUTHORIZED', withWrongKey),
    ...['GET /api/v1/nothing', 'GET /', 'DELETE /api/v1/leads', 'OPTIONS /api/v1/leads'].map(
      (address) => {
        const [method = '', path = ''] = address.split(' ');
        return row(`${address}, an unknown address`, 'NOT_FOUND', { method, path, headers });
      },
    ),
    row(`GET ${leadsPath} with a key in the URL`, 'KEY_IN_URL', withKeyInUrl),
    ...bodyChecks(headers),
    {
      ...get,
      check: `A request line of more than ${gatewayHeadMaxBytes} bytes`,
      // API Gateway documents the limit, but not its response. If an address accepts the line, the service refuses the key.
      codes: ['INVALID_QUERY', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'UNAUTHORIZED'],
      orByGateway: '4xx',
      path: `${leadsPath}?filter=${longFilter}`,
    },
    // The local gateway treats this header as plain HTTP. A deployed address is checked over real plain HTTP.
    ...(baseUrl.startsWith('http:') ? [row(plainHttpText, 'HTTPS_REQUIRED', overHttp)] : []),
  ];
}

/** These requests go to create-lead: on a service with few captures, refused captures would set off the alarm for lost enquiries. */
function bodyChecks(authorization: Request['headers']): ReadOnlyCheck[] {
  const { bodyMaxBytes } = limits;
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const post = (body: string | Buffer, type = json) => ({
    method: 'POST',
    path: leadsPath,
    body,
    headers: { ...authorization, ...type },
  });
  const ofBytes = (length: number) => post(Buffer.alloc(length, '{'));
  // API Gateway documents that it reads bodies as UTF-8, but not what it does with other bytes.
  const notUtf8 = Buffer.from('{"name":"Ren\u00e9"}', 'latin1');
  const needsJson = 'A body without Content-Type: application/json';
  const tooLong = `A body of ${bodyMaxBytes + 1} bytes`;
  const overLambda = 'A body of 7 MB, more than Lambda accepts';
  const overGateway = 'A body of 11 MB, more than API Gateway accepts';
  return [
    row('A body that is not JSON', 'INVALID_JSON', post('{"name":')),
    row('A body that is not UTF-8', 'INVALID_JSON', post(notUtf8)),
    row(needsJson, 'UNSUPPORTED_MEDIA_TYPE', post('name=Asha', form)),
    row(tooLong, 'PAYLOAD_TOO_LARGE', ofBytes(bodyMaxBytes + 1)),
    row(overLambda, 'PAYLOAD_TOO_LARGE', { ...ofBytes(7 * megabyte), orByGateway: '413' }),
    // API Gateway answers in plain text and without its usual headers (https://github.com/koki-develop/lgtm-generator/issues/10).
    { check: overGateway, codes: [], ...ofBytes(11 * megabyte), orByGateway: '413' },
  ];
}

const notThisService =
  'Check the base URL. If it is right, a firewall or a proxy may answer instead. An API with a custom domain answers 403 at its execute-api address.';

/** Runs the checks that need no valid key and change nothing. @returns whether the service answers at the address */
export async function readOnlyChecks(checks: Checks, baseUrl: string): Promise<boolean> {
  // If the address does not answer, every further check would fail the same way. If DynamoDB is silent, each would also wait.
  const isReached = await checks.passes(`GET ${baseUrl}${leadsPath}`, async () => {
    const reply = await send(baseUrl, listLeads);
    if (codeOf(reply)) return replyText(reply);
    throw new CheckError(`${replyText(reply)}, not this service`, notThisService);
  });
  if (!isReached || !(await checks.passes('DynamoDB answers', () => databaseReply(baseUrl))))
    return isReached;
  const requestIds = new Set<string>();
  const run = async (one: ReadOnlyCheck): Promise<void> => {
    await checks.passes(one.check, async () => {
      const reply = await sendTwice(baseUrl, one);
      const difference = differenceOf(reply, one);
      assertNew(reply, requestIds);
      return difference ? { came: difference, note: byGatewayNote } : replyText(reply);
    });
  };
  await Promise.all([
    baseUrl.startsWith('https:') && checks.passes(plainHttpText, () => plainHttp(baseUrl)),
    inParallel(checksOf(baseUrl), checksAtOnce, run),
  ]);
  return true;
}

/** @throws CheckError if a warm function fails only after the three attempts of a DynamoDB call have timed out */
async function databaseReply(baseUrl: string): Promise<string> {
  const headers = { Authorization: `Bearer ${unknownKey()}` };
  const reply = await send(baseUrl, { ...listLeads, headers });
  const timeoutMs = baseUrl.startsWith('https:') ? requestTimeoutMs : localRequestTimeoutMs;
  if (reply.status >= 500 && reply.ms >= 3 * timeoutMs)
    throw new CheckError(
      `${replyText(reply)}, after ${Math.round(reply.ms / 1000)} s`,
      'DynamoDB does not answer. In AWS, see AWS Health and the log of the functions; locally, start the service again.',
    );
  return replyText(reply);
}

/** Repeats a request after a server error, as every caller does. */
async function sendTwice(baseUrl: string, request: Request): Promise<SentReply> {
  const reply = await send(baseUrl, request);
  return reply.status >= 500 ? send(baseUrl, request) : reply;
}

const byGatewayNote =
  'API Gateway answers this by itself, and no deployment changes it: callers can rely on the status alone.';

/**
 * @returns how a refusal by the gateway differs from the contract, if the check allows that
 * @throws CheckError for any other wrong reply
 */
function differenceOf(reply: SentReply, check: ReadOnlyCheck): string | undefined {
  const { codes, orByGateway } = check;
  const family = `${Math.floor(reply.status / 100)}xx`;
  const isByGateway = orByGateway === (orByGateway === '4xx' ? family : `${reply.status}`);
  if (isByGateway && codes.length === 0) return undefined;
  try {
    assertReply(reply, check);
    return undefined;
  } catch (error) {
    if (isByGateway && !codeOf(reply) && error instanceof CheckError) return error.message;
    throw error;
  }
}

/** @throws CheckError unless the reply has an expected code, the code's status, and the contract's body and headers */
function assertReply(reply: SentReply, { codes, orByGateway }: ReadOnlyCheck): void {
  const code = codeOf(reply);
  const rightCodes = codes.map((one) => `${apiErrors[one].status} ${one}`);
  const expected = rightCodes.join(' or ') || orByGateway;
  if (code === undefined) {
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
    throw new CheckError(
      `${replyText(reply)}, without the contract's error body: ${text.slice(0, 160) || '(empty)'}; expected ${expected}`,
      nextFor(reply),
    );
  }
  if (!codes.includes(code) || reply.status !== apiErrors[code].status)
    // Every key here is unknown on purpose, so a 401 says nothing about the table.
    throw new CheckError(
      `${replyText(reply)}; expected ${expected}`,
      reply.status === 401 ? versionNext : nextFor(reply),
    );
  assertHeaders(reply);
}

function assertHeaders({ headers }: SentReply): void {
  if (!headers.get('x-request-id'))
    throw new CheckError(
      'the header X-Request-Id is missing',
      'Does a proxy or CDN in front of the API remove headers? Otherwise see infra/gateway/responses.ts and shared/middleware/response.ts.',
    );
  const type = headers.get('content-type') ?? 'missing';
  if (!/^application\/json\b/.test(type))
    throw new CheckError(
      `the Content-Type is ${type}; expected application/json`,
      'Does something other than the API answer at this address? Check the base URL.',
    );
  const cors = [...headers.keys()].find((name) => name.startsWith('access-control-'));
  if (cors !== undefined)
    throw new CheckError(
      `the header ${cors} allows calls from browsers, which the contract excludes`,
      'Remove CORS from the API or from the proxy in front of it.',
    );
}

function assertNew({ requestId = '' }: SentReply, requestIds: Set<string>): void {
  if (requestIds.has(requestId))
    throw new CheckError(
      `the X-Request-Id ${requestId} was used before`,
      'Does a cache answer in front of the API? Responses have Cache-Control: no-store.',
    );
  if (requestId) requestIds.add(requestId);
}

/**
 * Sends a request over plain HTTP to the host of an https address. Accepts no reply, a redirect or a refusal. A 401 means that something in
 * front of the API passed the request on.
 * @returns the result
 * @throws CheckError
 */
export async function plainHttp(baseUrl: string): Promise<string> {
  const plain = baseUrl.replace(/^https:/, 'http:');
  const reply = await send(plain, listLeads, plainReplyWithinMs).catch(() => undefined);
  if (!reply) return 'no reply: the address does not serve plain HTTP';
  const isRedirect = reply.status >= 300 && reply.status < 400;
  if (isRedirect || [400, 403, 404].includes(reply.status)) return replyText(reply);
  throw new CheckError(
    `${replyText(reply)}; expected no reply, a redirect to HTTPS, or 403 HTTPS_REQUIRED`,
    'Something in front of the API accepts plain HTTP and passes it on as HTTPS: switch its port 80 off.',
  );
}
