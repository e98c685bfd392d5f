import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../infra/cli/listen.ts';
import { routerFor } from '../../../infra/gateway/routes.ts';
import type { InvocationResult } from '../../../infra/local/functions.ts';
import { createGateway } from '../../../infra/local/gateway.ts';
import project from '../../../package.json' with { type: 'json' };
import { endpoints } from '../../../shared/contract/endpoints.ts';
import { requestIdForm } from '../../support/described.ts';
import { projectFolder } from '../../support/service-process.ts';

const ok: InvocationResult = { returned: { statusCode: 200, body: '{}' } };

/** A gateway whose functions all do the same; the events they were given. */
async function givenGateway(result: InvocationResult = ok) {
  const events: APIGatewayProxyEvent[] = [];
  const invoke = async (_: string, event: unknown): Promise<InvocationResult> => {
    events.push(event as APIGatewayProxyEvent);
    return result;
  };
  const server = createGateway({ route: routerFor(endpoints), invoke });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const port = await listen(server, 0);
  return { events, port, baseUrl: `http://127.0.0.1:${port}` };
}

/** Sends bytes as they are and reads until the server closes the connection. */
async function sendRaw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

test.each<[string, InvocationResult]>([
  ['crashes', { response: 'INTEGRATION_FAILURE', reason: 'crashed' }],
  ['hangs', { response: 'INTEGRATION_TIMEOUT', reason: 'did not return' }],
  ['returns what is not a response', { returned: { oops: true } }],
])('sends an error body when a function %s', async (_, result) => {
  const { baseUrl } = await givenGateway(result);

  const response = await fetch(`${baseUrl}/api/v1/leads`);

  expect(response.status).toBe(500);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('x-request-id')).toMatch(requestIdForm);
  expect(await response.json()).toEqual({
    error: { code: 'INTERNAL', message: expect.any(String) },
  });
});

test('the gateway keeps the connection for the next request', async () => {
  const { baseUrl } = await givenGateway();

  const response = await fetch(`${baseUrl}/api/v1/leads`);

  expect(response.headers.get('connection')).toBe('keep-alive');
});

test('the gateway accepts a body of 10 MB and refuses one byte more, with or without a Content-Length', async () => {
  const { baseUrl, events } = await givenGateway();
  const post = (body: Uint8Array | ReadableStream) =>
    fetch(`${baseUrl}/api/v1/leads`, { method: 'POST', body, duplex: 'half' } as RequestInit);
  const bytes = 10 * 1024 * 1024;
  const chunked = () => new Blob([new Uint8Array(bytes + 1)]).stream();

  expect((await post(new Uint8Array(bytes))).status).toBe(200);
  expect(events[0]?.body).toHaveLength(bytes);
  expect((await post(new Uint8Array(bytes + 1))).status).toBe(413);
  const refused = await post(chunked());
  expect(refused.status).toBe(413);
  // As API Gateway does, whatever its gateway responses are.
  expect([...refused.headers.keys()]).not.toContainEqual(expect.stringMatching(/^x-/));
  expect(refused.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(await refused.text()).toBe('HTTP content length exceeded 10485760 bytes.');
  expect(events).toHaveLength(1);
});

test('the gateway sends an error body for bytes that are not HTTP', async () => {
  const { port } = await givenGateway();

  const reply = await sendRaw(port, 'NONSENSE\r\n\r\n');

  expect(reply).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(reply).toMatch(/\r\nX-Request-Id: [\w-]{15}=\r\n/);
  expect(JSON.parse(reply.split('\r\n\r\n')[1]!)).toMatchObject({
    error: { message: expect.any(String) },
  });
});

test.each([
  ['a request without a host', 'GET /api/v1/leads HTTP/1.1\r\nConnection: close\r\n\r\n', 404],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', 404],
  [
    'an unknown expectation',
    'GET /api/v1/leads HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n',
    200,
  ],
  [
    'a whole address as the target',
    'GET http://x/api/v1/leads HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    200,
  ],
  ['HTTP/1.0', 'GET /api/v1/leads HTTP/1.0\r\n\r\n', 200],
])('responds to %s', async (_, bytes, status) => {
  const { port } = await givenGateway();

  expect(await sendRaw(port, bytes)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

test('a client that disconnects in the middle of its body does not affect other requests', async () => {
  const { port, baseUrl } = await givenGateway();
  const leaving = request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/api/v1/leads',
    headers: { 'Content-Length': 100 },
  });
  leaving.on('error', () => undefined);
  leaving.write('half');
  await new Promise((done) => setTimeout(done, 50));
  leaving.destroy();

  expect((await fetch(`${baseUrl}/api/v1/leads`)).status).toBe(200);
});

test('a browser that opens the root gets one page without further files, which names the commands', async () => {
  const { baseUrl } = await givenGateway();

  const response = await fetch(baseUrl, {
    headers: { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' },
  });
  const page = await response.text();

  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
  expect(page).not.toMatch(/\b(?:src|href)=/);
  for (const command of page.matchAll(/npm run ([a-z]+)/g))
    expect(Object.keys(project.scripts)).toContain(command[1]);
  for (const [, guide] of page.matchAll(/<code>([a-z-]+\.md)<\/code>/g))
    expect(existsSync(join(projectFolder, 'infra/guides', guide ?? ''))).toBe(true);
});

test.each([
  ['without Accept', 'GET', '/', ''],
  ['that takes anything', 'GET', '/', '*/*'],
  ['for JSON', 'GET', '/', 'application/json'],
  ['for a media type that begins like HTML', 'GET', '/', 'text/html5'],
  ['for the page of an endpoint', 'GET', '/api/v1/', 'text/html'],
  ['that sends a form', 'POST', '/', 'text/html'],
  ['for the headers alone', 'HEAD', '/', 'text/html'],
])('a request of the root %s gets the 404 of the API', async (_, method, path, accept) => {
  const { baseUrl } = await givenGateway();

  const response = await fetch(`${baseUrl}${path}`, { method, headers: { accept } });

  expect(response.status).toBe(404);
  if (method !== 'HEAD') expect(await response.json()).toHaveProperty('error.code', 'NOT_FOUND');
});
