import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { handler } from '../../functions/heartbeat/handler.ts';
import { listen } from '../../infra/cli/listen.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import { errorResponse } from '../../shared/middleware/response.ts';
import { newCall } from '../shared/middleware/event.ts';
import { keepLines, logged } from '../shared/middleware/logged-lines.ts';

keepLines();

/** DER, as X.509 is written (RFC 5280, section 4.1; ITU-T X.690). */
const der = (tag: number, ...parts: readonly (Uint8Array | string)[]): Buffer => {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = content;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const ecdsaWithSha256 = sequence(Buffer.from('06082a8648ce3d040302', 'hex'));
const commonName = Buffer.from('0603550403', 'hex');
const subjectAltName = Buffer.from('0603551d11', 'hex');
const utcTime = (at: number): Buffer =>
  der(0x17, `${new Date(at).toISOString().replace(/\D/g, '').slice(2, 14)}Z`);

/** A certificate of localhost, signed by itself, which ends after so many days. */
function certificateFor(days: number): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, 'localhost'))));
  const now = Date.now();
  const alternatives = der(0x04, sequence(der(0x82, 'localhost')));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(utcTime(now - 86_400_000), utcTime(now + days * 86_400_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(subjectAltName, alternatives))),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', toBeSigned, privateKey));
  const body = sequence(toBeSigned, ecdsaWithSha256, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
  };
}

const certificate = certificateFor(20);
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

    vi.stubEnv('HEARTBEAT_WATCHES_CERTIFICATE', 'true'); // plain HTTP has none
    const startedAt = performance.now();

    const { line, metrics } = await beat(baseUrl);

    expect(metrics.heartbeatMs).toBeLessThanOrEqual(performance.now() - startedAt + 1);
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
    const withoutDomain = (await beat(baseUrl)).metrics;
    vi.stubEnv('HEARTBEAT_WATCHES_CERTIFICATE', 'true');

    const twice = [(await beat(baseUrl)).metrics, (await beat(baseUrl)).metrics];

    expect(withoutDomain).toEqual({ heartbeatAnswered: 1, heartbeatMs: expect.any(Number) });
    expect(twice.map(({ certificateDays }) => certificateDays)).toEqual([19, 19]); // whole days: 20 end in less than 20
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
      'an error without a message',
      changed(401, right, '{"error":{"code":"UNAUTHORIZED"}}'),
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
    ...['text/html', 'text/application/json', 'application/jsonp'].map(
      (type): [string, RequestListener, string] => [
        `the content type ${type}`,
        changed(401, { ...right, 'Content-Type': type }, error('UNAUTHORIZED')),
        'The header content-type is missing or wrong.',
      ],
    ),
    ...['public, no-store', 'no-store, public'].map((cached): [string, RequestListener, string] => [
      `Cache-Control: ${cached}`,
      changed(401, { ...right, 'Cache-Control': cached }, error('UNAUTHORIZED')),
      'The header cache-control is missing or wrong.',
    ]),
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
