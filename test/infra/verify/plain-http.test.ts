import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { plainHttp } from '../../../infra/verify/read-only-checks.ts';
import { errorBody } from '../../../shared/errors.ts';

/** What verify says of an https address whose port answers plain HTTP in this way. */
async function answering(status: number, body: object = {}): Promise<string> {
  const server = createServer((_, response) =>
    response.writeHead(status).end(JSON.stringify(body)),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await plainHttp(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test.each([
  ['a redirect to HTTPS', 301, {}, '301'],
  ['the refusal of the contract', 403, errorBody('HTTPS_REQUIRED'), '403 HTTPS_REQUIRED'],
])('%s is right for plain HTTP', async (_, status, body, came) => {
  expect(await answering(status, body)).toBe(came);
});

test('no reply is right for plain HTTP', async () => {
  expect(await plainHttp('https://127.0.0.1:1')).toContain('no reply');
});

test('a reply of a function to plain HTTP is named', async () => {
  await expect(answering(401, errorBody('UNAUTHORIZED'))).rejects.toMatchObject({
    name: 'CheckError',
    message: expect.stringContaining('401 UNAUTHORIZED; expected no reply'),
    next: expect.stringContaining('accepts plain HTTP'),
  });
});
