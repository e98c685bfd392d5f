import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test, vi } from 'vitest';
import { bundle } from '../../../../infra/bundle/bundle.ts';
import { listen } from '../../../../infra/cli/listen.ts';
import { useFolder } from '../../../infra/given-folder.ts';

const files = useFolder();

test("the benchmark's assembled stack reaches its table, with the middlewares that its libraries add", async ({
  onTestFinished,
}) => {
  const emptyTable = createServer((_, response) => response.end('{}'));
  onTestFinished(() => void emptyTable.close());
  const port = await listen(emptyTable, 0);
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${port}`);
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
    vi.stubEnv(name, 'local');
  onTestFinished(() => void vi.unstubAllEnvs());
  const source = JSON.stringify(join(import.meta.dirname, 'capture-lead.ts'));
  const { code } = await bundle(`export { handler } from ${source};`);
  const file = await files.write('capture-lead.mjs', Buffer.from(code));

  const { handler } = await import(pathToFileURL(file).href);
  const event = { headers: { Authorization: 'Bearer unknown' }, body: '{}' };
  const { statusCode } = await handler(event, {});

  expect(statusCode).toBe(401);
});
