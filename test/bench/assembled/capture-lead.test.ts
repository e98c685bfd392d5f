import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test, vi } from 'vitest';
import { bundle } from '../../../infra/bundle/bundle.ts';
import { listen } from '../../../infra/cli/listen.ts';

test("the benchmark's assembled stack reaches its table, with the middlewares that its libraries add", async ({
  onTestFinished,
}) => {
  const emptyTable = createServer((_, response) => response.end('{}'));
  onTestFinished(() => void emptyTable.close());
  const port = await listen(emptyTable, 0);
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${port}`);
  vi.stubEnv('AWS_REGION', 'local');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  onTestFinished(() => void vi.unstubAllEnvs());
  const folder = await mkdtemp(join(tmpdir(), 'assembled-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'capture-lead.mjs');
  const source = JSON.stringify(join(import.meta.dirname, 'capture-lead.ts'));
  await writeFile(file, (await bundle(`export { handler } from ${source};`)).code);

  const { handler } = await import(pathToFileURL(file).href);
  const event = { headers: { Authorization: 'Bearer unknown' }, body: '{}' };
  const { statusCode } = await handler(event, {});

  expect(statusCode).toBe(401);
});
