import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { handler } from '../../functions/heartbeat.ts';
import { listen } from '../../infra/cli/listen.ts';
import { ApiError } from '../../shared/errors.ts';
import { errorResponse } from '../../shared/middleware/respond.ts';
import { newCall } from '../shared/middleware/event.ts';
import { keepLines, logged } from '../shared/middleware/logged-lines.ts';

keepLines();

const pem = (kind: string, base64: string): string =>
  `-----BEGIN ${kind}-----\n${base64.trim()}\n-----END ${kind}-----\n`;
/** A certificate of localhost for these tests alone, signed by itself, valid until the end of 2049. */
const certificate = {
  key: pem(
    'PRIVATE KEY',
    `
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgRQj6N0qUr2IZjQqOk1BBnCZECIKxw6MiFOxqf+sqcE
GhRANCAAQDmyjb5oYaep2g6VRFd6vsa4FgrJZlOHPyYRHkyZwSRFirNgWpHw1X299Ht506g0VevZ0qTNO2J5RtaB5U
BIKJ`,
  ),
  cert: pem(
    'CERTIFICATE',
    `
MIIBMDCCANWgAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwHhcNMjAwMTAxMDAwMDAwWh
cNNDkxMjMxMDAwMDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQDmyjb
5oYaep2g6VRFd6vsa4FgrJZlOHPyYRHkyZwSRFirNgWpHw1X299Ht506g0VevZ0qTNO2J5RtaB5UBIKJoxgwFjAUBg
NVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwIDSQAwRgIhAI9P4nM3sG1/nJew8RKARLyGk+y53pb7YuzEflol
Aj32AiEAsOVcW2nJoPobs3paa7aKQwWsrMtUWxPfmD4YkQq5u68=`,
  ),
};

const trusted = getCACertificates();

const servers: Server[] = [];
const portOf = (server: Server): Promise<number> => {
  servers.push(server);
  return listen(server, 0);
};
const plain = async (answer: RequestListener): Promise<string> =>
  `http://localhost:${await portOf(createServer(answer))}/live`;
const secure = async (): Promise<string> =>
  `https://localhost:${await portOf(createTlsServer(certificate, own401))}`;

/** The response of the service itself to a request without a key. */
const own401: RequestListener = (_, response) => {
  const { statusCode, headers, body } = errorResponse(
    newCall('list-users'),
    new ApiError('UNAUTHORIZED'),
  );
  response.writeHead(statusCode, { ...(headers as Record<string, string>) }).end(body);
};
const changed =
  (status: number, headers: Record<string, string>, body: string): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(body);

beforeEach(() => void vi.stubEnv('SERVICE_NAME', 'lead-service-test'));
afterEach(() => {
  setDefaultCACertificates(trusted);
  vi.useRealTimers();
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** The line that a heartbeat logs, without what every line has. @param ms until Lambda would end the function */
async function beat(baseUrl: string, ms = 6000) {
  vi.stubEnv('HEARTBEAT_BASE_URL', baseUrl);
  await handler({}, { awsRequestId: 'invocation-1', getRemainingTimeInMillis: () => ms });
  const line = logged().findLast(({ message }) => message === 'heartbeat') ?? {};
  const { _aws, ...fields } = line as Record<string, unknown> & {
    _aws: { CloudWatchMetrics: { Metrics: { Name: string }[] }[] };
  };
  const metrics = _aws.CloudWatchMetrics[0]?.Metrics.map(({ Name }) => [Name, fields[Name]]) ?? [];
  return { line: fields, metrics: Object.fromEntries(metrics) as Record<string, unknown> };
}

describe('a heartbeat that is answered', () => {
  test('asks an endpoint below the base URL without a key, and reports success and latency', async () => {
    const asked: unknown[] = [];
    const baseUrl = await plain((request, response) => {
      asked.push([request.method, request.url, request.headers.authorization]);
      own401(request, response);
    });

    const { line, metrics } = await beat(baseUrl);

    expect(asked).toEqual([['GET', '/live/api/v1/users', undefined]]);
    expect(line).toMatchObject({
      level: 'INFO',
      requestId: 'invocation-1',
      endpoint: 'heartbeat',
      status: 401,
    });
    expect(metrics).toEqual({ heartbeatAnswered: 1, heartbeatMs: expect.any(Number) });
  });

  test('reports how many days the certificate of a domain is still valid, on a connection of its own', async () => {
    setDefaultCACertificates([...trusted, certificate.cert]);
    const baseUrl = await secure();
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2049-12-11T06:00:00Z') });
    const withoutDomain = (await beat(baseUrl)).metrics;
    vi.stubEnv('HEARTBEAT_WATCHES_CERTIFICATE', 'true');

    const twice = [(await beat(baseUrl)).metrics, (await beat(baseUrl)).metrics];

    expect(withoutDomain).toEqual({ heartbeatAnswered: 1, heartbeatMs: expect.any(Number) });
    expect(twice.map(({ certificateDays }) => certificateDays)).toEqual([19, 19]); // whole days
  });
});

describe('a heartbeat that is not answered as it should be', () => {
  const right = {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Request-Id': 'request-1',
  };
  const error = (code: string): string => JSON.stringify({ error: { code, message: 'No.' } });
  const without = (name: keyof typeof right) => ({ ...right, [name]: '' });
  test.each<[string, RequestListener, string]>([
    ['200', changed(200, right, '{"items":[]}'), 'The status is 200; expected 401.'],
    ['500', changed(500, right, error('INTERNAL')), 'The status is 500; expected 401.'],
    ['a redirect', changed(301, { Location: '/' }, ''), 'The status is 301; expected 401.'],
    [
      'a body of another service',
      changed(401, right, '<h1>Log in, Asha</h1>'),
      "The body is not the contract's error UNAUTHORIZED.",
    ],
    [
      'another code',
      changed(401, right, error('FORBIDDEN')),
      "The body is not the contract's error UNAUTHORIZED.",
    ],
    [
      'no X-Request-Id',
      changed(401, without('X-Request-Id'), error('UNAUTHORIZED')),
      'The header x-request-id is missing or wrong.',
    ],
    [
      'a response that may be cached',
      changed(401, without('Cache-Control'), error('UNAUTHORIZED')),
      'The header cache-control is missing or wrong.',
    ],
    [
      'another content type',
      changed(401, { ...right, 'Content-Type': 'text/html' }, error('UNAUTHORIZED')),
      'The header content-type is missing or wrong.',
    ],
  ])('is reported with its reason: %s', async (_, answer, message) => {
    const { line, metrics } = await beat(await plain(answer));

    expect(metrics).toEqual({ heartbeatAnswered: 0 });
    expect(line).toMatchObject({ level: 'ERROR', error: { message } });
    expect(JSON.stringify(line)).not.toContain('Asha');
  });

  test.each<[string, RequestListener]>([
    ['no response', () => undefined],
    ['a body that stalls', (_, response) => void response.writeHead(401, right).write('{')],
  ])('ends before the function does: %s', async (_, answer) => {
    const startedAt = performance.now();

    const { line, metrics } = await beat(await plain(answer), 1200);

    expect(performance.now() - startedAt).toBeLessThan(1200);
    expect([line.level, metrics]).toEqual(['ERROR', { heartbeatAnswered: 0 }]);
  });

  test.each<[string, () => Promise<string>, RegExp]>([
    ['a name that does not exist', async () => 'https://nothing.invalid', /nothing\.invalid/],
    ['nobody listens', async () => 'http://127.0.0.1:9', /ECONNREFUSED/],
    ['no address is set', async () => '', /Invalid URL/],
    ['the certificate is not trusted', secure, /self-signed certificate/],
  ])('is reported as a failure with what the network says: %s', async (_, given, message) => {
    const { line, metrics } = await beat(await given());

    expect(metrics).toEqual({ heartbeatAnswered: 0 });
    expect(line).toMatchObject({
      level: 'ERROR',
      error: { message: expect.stringMatching(message) },
    });
  });
});
