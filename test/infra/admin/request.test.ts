import { expect, test } from 'vitest';
import { useStandInAws } from '../../support/admin-on-stand-in-aws.ts';

const hourMs = 3_600_000;
const requestId = '3f1c0f6e-6f0a-4f2b-9d4b-0a4c6a4f5f11';

const { aws, run } = useStandInAws();

test('request prints every line of a request by time, from all log groups and pages', async () => {
  const now = Date.now();
  const failed = { level: 'ERROR', message: 'failed', requestId, error: { name: 'TypeError' } };
  const answered = { level: 'INFO', message: 'answered', requestId, status: 500 };
  const event = (timestamp: number, line: unknown) => ({
    timestamp,
    message: typeof line === 'string' ? line : JSON.stringify(line),
  });
  aws().logs.set('logs-leads-list-leads', [event(now, { ...answered, requestId: 'another-one' })]);
  aws().logs.set('logs-leads-capture-lead', [
    event(now - 500, { ...answered, requestId: 'another-one' }),
    event(now - 200, answered),
    event(now - 300, failed),
  ]);
  aws().logs.set('logs-leads-publish-events', [event(now - 100, `no JSON: ${requestId}\n`)]);

  const { status, stdout, stderr } = await run('request', requestId, '--stack', 'leads', '--json');

  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const at = (ms: number) => new Date(now - ms).toISOString();
  expect(JSON.parse(stdout)).toEqual({
    requestId,
    lines: [
      { at: at(300), logGroup: 'logs-leads-capture-lead', line: failed },
      { at: at(200), logGroup: 'logs-leads-capture-lead', line: answered },
      { at: at(100), logGroup: 'logs-leads-publish-events', line: `no JSON: ${requestId}` },
    ],
  });
  expect((await run('request', requestId, '--stack', 'leads')).stdout).toContain(
    `${at(300)}  logs-leads-capture-lead\n{\n  "level": "ERROR"`,
  );
});

test('request that finds no line says how far it looked, and finds it with more hours', async () => {
  aws().logs.set('logs-leads-get-lead', [
    { timestamp: Date.now() - 30 * hourMs, message: JSON.stringify({ requestId }) },
  ]);

  const { status, stderr } = await run('request', requestId, '--stack', 'leads');

  expect(status).toBe(1);
  expect(stderr).toContain(
    `No log line of stack leads has the request ID ${requestId} in the last 24 hours.`,
  );
  expect(stderr).toContain('--hours');
  expect((await run('request', requestId, '--stack', 'leads', '--hours', '48')).status).toBe(0);
});

test.each([
  [['request', requestId], 1, 'Name the deployed service with --stack NAME'],
  [['request', 'x" OR "y', '--stack', 'leads'], 1, 'is not a request ID'],
  [['request', requestId, '--stack', 'leads', '--hours', '0'], 2, 'integer from 1 to 87600'],
  [['request', requestId, '--stack', 'leds'], 1, 'There is no stack leds'],
])('%s is refused with a sentence', async (args, status, sentence) => {
  const refused = await run(...args);

  expect(refused.status).toBe(status);
  expect(refused.stderr).toContain(sentence);
});
