import { expect, onTestFinished, test } from 'vitest';
import { inherited, node24, startProgram } from '../../../support/service-process.ts';

/** `open` in a process of its own. Its table is never asked before the page shows something. */
function startOpen(...options: readonly string[]) {
  const environment = {
    ...inherited(),
    ...{ LEADS_TABLE: 'leads', AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' },
    ...{ AWS_REGION: 'ap-south-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
  };
  const args = ['infra/admin/main.ts', 'open', ...options];
  const program = startProgram(node24, args, { env: environment });
  onTestFinished(() => void program.child.kill('SIGKILL'));
  return program;
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  'prints one line with the address, and ends with %s',
  async (signal) => {
    const { child, ended, ready } = startedOpen();
    const url = await ready;

    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/);
    const [first, second] = [await fetch(url), await fetch(url)];
    expect([first.status, second.status]).toEqual([500, 403]);
    expect(await first.text()).toContain('DynamoDB cannot be reached at http://127.0.0.1:1');
    child.kill(signal);

    const { status, stdout } = await ended;
    expect(status).toBe(0);
    expect(stdout).toBe(`${JSON.stringify({ ready: true, url })}\n`);
  },
);

function startedOpen() {
  const { child, ended } = startOpen('--port', '0', '--json');
  const ready = new Promise<string>((resolve) =>
    child.stdout?.on('data', (text) => resolve(JSON.parse(String(text)).url)),
  );
  return { child, ended, ready };
}

test('a port in use ends with status 1 and one sentence', async () => {
  const { ready } = startedOpen();
  const { port } = new URL(await ready);

  const { status, stderr } = await startOpen('--port', port).ended;

  expect(status).toBe(1);
  expect(stderr).toBe(
    `--port ${port}: the port is in use: name another port, or 0 for a free one: npm run admin -- open --port 0\n`,
  );
});
