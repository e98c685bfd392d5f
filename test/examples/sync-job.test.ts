import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { node24, projectFolder } from '../support/service-process.ts';

test.each([401, 403])(
  'a sync job that is refused with %d ends with status 1 and one line',
  { timeout: 60_000 },
  async (status) => {
    const body = '{"error":{"code":"REFUSED","message":"The API key is wrong."}}';
    const service = createServer((_, response) => response.writeHead(status).end(body));
    service.listen(0, '127.0.0.1');
    await once(service, 'listening');
    const LEADS_URL = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const FOLDER = await mkdtemp(join(tmpdir(), 'sync-job-'));

    const job = spawn(node24, [join(projectFolder, 'test', 'examples', 'sync-job.ts')], {
      env: { ...process.env, LEADS_URL, LEADS_API_KEY: 'leads_live_wrong', FOLDER },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [stderr] = await Promise.all([text(job.stderr), once(job, 'exit')]);

    service.close();
    await rm(FOLDER, { recursive: true });
    expect({ status: job.exitCode, stderr }).toEqual({
      status: 1,
      stderr: `${LEADS_URL} answers ${status}: ${body}\n`,
    });
  },
);
