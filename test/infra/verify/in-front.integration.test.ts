import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../infra/cli/listen.ts';
import { type CheckResult, Checks } from '../../../infra/verify/check.ts';
import { readOnlyChecks } from '../../../infra/verify/read-only-checks.ts';
import { apiErrors, type ErrorCode, errorBody } from '../../../shared/contract/errors.ts';
import { service } from '../../support/service.ts';
import { failedLines, linesOf } from './verify-run.ts';

/** A reply of the service, before a stand-in in front of it passes it on. */
interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
/** What a stand-in answers instead of a reply of the service: undefined closes the connection. */
type Alter = (request: IncomingMessage, reply: Reply) => Reply | undefined;

/** A gateway or a proxy in front of the service. Its fault can be mended while it runs. */
async function givenInFront(fault: Alter) {
  const { baseUrl } = service();
  const underWay = { now: 0, most: 0 };
  const standIn = { alter: fault, underWay, baseUrl: '' };
  const server = createServer({ maxHeaderSize: 65_536 }, (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    underWay.now += 1;
    underWay.most = Math.max(underWay.most, underWay.now);
    outgoing.on('close', () => {
      underWay.now -= 1;
    });
    // A connection that is used again may just have been closed by the service.
    const options = { method, headers, agent: false } as const;
    const forwarded = request(`${baseUrl}${url}`, options, async (reply) => {
      const { statusCode: status = 500 } = reply;
      const { 'content-length': _, ...headers } = reply.headers;
      const passedOn = { status, headers, body: await text(reply) };
      const altered = standIn.alter(incoming, passedOn);
      if (altered) outgoing.writeHead(altered.status, altered.headers).end(altered.body);
      else outgoing.destroy();
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  standIn.baseUrl = `http://127.0.0.1:${await listen(server, 0)}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return standIn;
}

async function resultsOf(baseUrl: string): Promise<readonly CheckResult[]> {
  const checks = new Checks(() => undefined, new AbortController().signal);
  await readOnlyChecks(checks, baseUrl);
  return checks.results;
}

const bytesOf = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? 0);
const megabyte = 1024 * 1024;
const html = { 'content-type': 'text/html' };
const page = (status: number) => (): Reply => ({ status, headers: html, body: '<h1>No</h1>' });
const contractError = (code: ErrorCode) => ({
  status: apiErrors[code].status,
  body: JSON.stringify(errorBody(code)),
});
const answers = (code: ErrorCode) => (reply: Reply) => ({ ...reply, ...contractError(code) });
const withHeaders = (headers: IncomingHttpHeaders) => (reply: Reply) => ({
  ...reply,
  headers: { ...reply.headers, ...headers },
});

test('a gateway that answers like API Gateway gets a note for each of its own bodies, and no failure', async () => {
  const { baseUrl } = await givenInFront((incoming, reply) => {
    const [bytes, head] = [bytesOf(incoming), incoming.url?.length ?? 0];
    if (bytes > 10 * megabyte)
      return {
        status: 413,
        headers: { 'content-type': 'text; charset=utf-8' },
        body: 'HTTP content length exceeded 10485760 bytes.',
      };
    if (bytes > 6 * megabyte)
      return { ...reply, status: 413, body: '{"message":"Request Too Long"}' };
    return head > 10_240 ? page(414)() : reply;
  });

  const lines = linesOf(await resultsOf(baseUrl));

  expect(failedLines({ lines })).toEqual([]);
  expect(lines.filter((line) => line.includes('. Note: '))).toEqual([
    expect.stringMatching(
      /^✓ A body of 7 MB.*: 413, .*Request Too Long.*\. Note: API Gateway answers this by itself/,
    ),
    expect.stringMatching(/^✓ A request line .*: 414, .*<h1>No<\/h1>.*\. Note: API Gateway/),
  ]);
  expect(lines).toContainEqual(expect.stringMatching(/^✓ A body of 11 MB, [^:]*: 413$/));
});

/** Faults in front of the service: the check that must fail, the request that meets the fault, what comes instead, and the advice. */
const faults: readonly [
  check: RegExp,
  meets: (request: IncomingMessage) => boolean,
  instead: (reply: Reply) => Reply | undefined,
  next: RegExp,
][] = [
  [
    /^DELETE \/api\/v1\/leads, an unknown address/,
    ({ method }) => method === 'DELETE',
    (reply) => ({ ...reply, status: 403, body: '{"message":"Missing Authentication Token"}' }),
    /use the domain\..* restore them in API Gateway and deploy the stage\. Deploy again only if an older release runs\.$/,
  ],
  [
    /^GET \/, an unknown address/,
    at('GET /'),
    page(404),
    /^Does a proxy .* Verify the output BaseUrl/,
  ],
  [/^GET \/api\/v1\/lead-fields with/, at('GET /api/v1/lead-fields'), page(502), /^Does a proxy /],
  [
    /^GET \/api\/v1\/pipelines with/,
    at('GET /api/v1/pipelines'),
    answers('INTERNAL'),
    /^Find the error by its X-Request-Id.* ran out of time or may not be invoked/,
  ],
  [
    /^GET \/api\/v1\/users with/,
    at('GET /api/v1/users'),
    answers('NOT_FOUND'),
    /Is the method deployed\?$/,
  ],
  [
    /^GET \/api\/v1\/lead-sources with/,
    at('GET /api/v1/lead-sources'),
    answers('FORBIDDEN'),
    /See WAF and the resource policy/,
  ],
  [
    /^GET \/api\/v1\/lead-stages with/,
    at('GET /api/v1/lead-stages'),
    answers('RATE_LIMITED'),
    /raise requestsPerSecond/,
  ],
  [
    /^GET \/api\/v1\/leads\/\{leadId\} with/,
    at('GET /api/v1/leads/1'),
    ({ headers: { 'x-request-id': _, ...headers }, ...reply }) => ({ ...reply, headers }),
    /Does a proxy or CDN .* remove headers/,
  ],
  [
    /^A request line of more/,
    ({ url = '' }) => url.length > 10_240,
    ({ headers: { 'x-request-id': _, ...headers }, ...reply }) => ({ ...reply, headers }),
    /Does a proxy or CDN .* remove headers/,
  ],
  [
    /^POST .*\/notes with/,
    at('POST /api/v1/leads/1/notes'),
    withHeaders(html),
    /Does something other than the API answer/,
  ],
  [
    /^PATCH /,
    at('PATCH /api/v1/leads/1'),
    withHeaders({ 'access-control-allow-origin': '*' }),
    /^Remove CORS/,
  ],
  [
    /^(GET \/api\/v1\/nothing|OPTIONS)/,
    (request) => /nothing|OPTIONS/.test(`${request.method} ${request.url}`),
    withHeaders({ 'x-request-id': 'cached' }),
    /^Does a cache answer/,
  ],
  [
    /^A body of 100001 bytes/,
    (request) => bytesOf(request) === 100_001,
    answers('UNAUTHORIZED'),
    /^Is the deployed version .* without a proxy/,
  ],
  [/^A body of 7 MB/, (request) => bytesOf(request) === 7 * megabyte, page(504), /^Does a proxy/],
  [
    /^A body of 11 MB/,
    (request) => bytesOf(request) === 11 * megabyte,
    () => undefined,
    /a proxy or a firewall drops this request/,
  ],
];

function at(address: string) {
  return ({ method, url }: IncomingMessage): boolean => `${method} ${url}` === address;
}

test('each fault in front of the service fails a check of its own, whose advice fixes the fault', async () => {
  const standIn = await givenInFront((incoming, reply) => {
    const [, , instead] = faults.find(([, meets]) => meets(incoming)) ?? [];
    return instead ? instead(reply) : reply;
  });

  const results = await resultsOf(standIn.baseUrl);
  standIn.alter = (_, reply) => reply;
  const mended = linesOf(await resultsOf(standIn.baseUrl));

  const failed = results.filter(({ passed }) => !passed);
  for (const [check, , , next] of faults)
    expect(
      failed.filter((one) => check.test(one.check)),
      String(check),
    ).toEqual([expect.objectContaining({ next: expect.stringMatching(next) })]);
  expect(failed).toHaveLength(faults.length);
  expect(standIn.underWay.most).toBe(5);
  expect(failedLines({ lines: mended })).toEqual([]);
});
