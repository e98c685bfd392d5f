import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listen } from '../../../infra/cli/listen.ts';
import { recordRunningService } from '../../../infra/local/running-service.ts';
import { plainHttp } from '../../../infra/verify/read-only-checks.ts';
import { baseUrlIssue, localVariables } from '../../../infra/verify/target.ts';
import { errorBody } from '../../../shared/contract/errors.ts';
import { useFolder } from '../given-folder.ts';
import { verify } from './verify-run.ts';

const files = useFolder();

test.each([
  [[], 'Name what to verify: --url BASE_URL or --stack NAME.'],
  [['--url', 'https://a.example', '--stack', 'b'], 'Name either --url or --stack, not both.'],
])('verify refuses wrong usage in one sentence, status 2: %j', async (args, sentence) => {
  const { status, lines, stderr } = await verify(args);

  expect({ status, lines }).toEqual({ status: 2, lines: [''] });
  expect(stderr).toContain(sentence);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test.each([
  [
    'leads.example.com',
    'must be an address that begins with https://, or http:// for a service on this machine',
  ],
  ['http://leads.example.com', 'must not be sent over plain HTTP.'],
  ['https://a.example/live/api/v1', 'the part of the address before /api/v1.'],
  ['https://a.example?key=1', 'without a query, a fragment or a password.'],
])('%s is not a base URL', (url, issue) => {
  expect(baseUrlIssue(url)).toContain(issue);
});

test('verify --write without a table says where to get it, and sends nothing', async () => {
  const reply = await verify(['--url', 'http://127.0.0.1:1', '--write']);

  expect(reply).toMatchObject({ status: 1, lines: [''] });
  expect(reply.stderr).toMatch(/^--write needs the table of .*: set LEADS_TABLE/);
});

test('the table of a running local service is found by its address, until it ends', () => {
  const folder = files.path();
  const environment = { LEADS_TABLE: 'leads', AWS_REGION: 'ap-south-1' };
  const baseUrl = 'http://127.0.0.1:4010';

  const forget = recordRunningService(folder, { baseUrl, environment });

  expect(localVariables('http://localhost:4010', folder)).toEqual(environment);
  expect(localVariables('http://127.0.0.1:4011', folder)).toBeUndefined();
  forget();
  expect(localVariables(baseUrl, folder)).toBeUndefined();
});

/** What verify says of an https address whose port answers plain HTTP in this way. */
async function answering(status: number, body: object = {}): Promise<string> {
  const server = createServer((_, response) =>
    response.writeHead(status).end(JSON.stringify(body)),
  );
  try {
    return await plainHttp(`https://127.0.0.1:${await listen(server, 0)}`);
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

test('a missing reply is accepted for plain HTTP', async () => {
  expect(await plainHttp('https://127.0.0.1:1')).toContain('no reply');
});

test('a reply of a function to plain HTTP is named', async () => {
  await expect(answering(401, errorBody('UNAUTHORIZED'))).rejects.toMatchObject({
    name: 'CheckError',
    message: expect.stringContaining('401 UNAUTHORIZED; expected no reply'),
    next: expect.stringContaining('accepts plain HTTP'),
  });
});
