import { describe, expect, test } from 'vitest';
import { useStandInAws } from '../../../support/aws/stand-in-aws.ts';

const hourMs = 3_600_000;
const requestId = '3f1c0f6e-6f0a-4f2b-9d4b-0a4c6a4f5f11';

const { aws, run } = useStandInAws();

test('request prints every line of a request by time, from all log groups and pages', async () => {
  const now = Date.now();
  const error = { name: 'TypeError', stack: 'TypeError: a\n  at b', cause: { stack: 'Error: c' } };
  const failed = { level: 'ERROR', message: 'failed', requestId, error };
  const answered = { level: 'INFO', message: 'answered', requestId, organizationId: 1, leadId: 5 };
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
    traces: [],
  });
  const forPeople = (await run('request', requestId, '--stack', 'leads')).stdout;
  expect(forPeople).toContain(`${at(300)}  logs-leads-capture-lead\n{\n  "level": "ERROR"`);
  expect(forPeople).toContain('}\nTypeError: a\n  at b\nError: c\n');
  expect(forPeople).toMatch(
    /\nIts lead: npm run admin -- lead timeline --organization 1 --lead 5 --stack leads\n$/,
  );
});

test('request also prints, once, what Lambda logged under its own ID', async () => {
  const lambdaId = 'c7d1f6aa-6f0a-4f2b-9d4b-0a4c6a4f5f11';
  const now = Date.now();
  aws().logs.set('logs-gateway', [
    { timestamp: now, message: JSON.stringify({ requestId, functionRequestId: lambdaId }) },
    { timestamp: now, message: JSON.stringify({ requestId, functionRequestId: '-' }) },
  ]);
  const timeOut = `RequestId: ${lambdaId} Task timed out after 10.00 seconds`;
  aws().logs.set('logs-leads-get-lead', [{ timestamp: now - 10, message: `${timeOut}\n` }]);

  const { stdout } = await run('request', requestId, '--stack', 'leads', '--json');

  expect(JSON.parse(stdout).lines).toMatchObject([
    { logGroup: 'logs-leads-get-lead', line: timeOut },
    { logGroup: 'logs-gateway' },
    { logGroup: 'logs-gateway' },
  ]);
});

describe('a request with a trace', () => {
  const traceId = '1-5759e988-bd862e3fe1be46a994272793';
  const givenLine = (): void => {
    const line = { level: 'INFO', requestId, xray_trace_id: traceId };
    aws().logs.set('logs-leads-get-lead', [
      { timestamp: Date.now(), message: JSON.stringify(line) },
      { timestamp: Date.now(), message: `REPORT Duration: 12 ms\tXRAY TraceId: ${traceId}` },
    ]);
  };

  const early = { name: 'leads', start_time: 1 };
  const late = { name: 'function', start_time: 2 };

  test('request prints the segments of X-Ray by time, and the line of Lambda that names the trace', async () => {
    givenLine();
    aws().traces.set(traceId, [late, early]);
    const retryId = traceId.replace('1-', '2-');
    const retry = JSON.stringify({ level: 'INFO', requestId, xray_trace_id: retryId });
    aws().logs.set('logs-leads-list-leads', [{ timestamp: Date.now(), message: retry }]);
    aws().traces.set(retryId, [late]);

    const { stdout } = await run('request', requestId, '--stack', 'leads', '--json');

    const { lines, traces } = JSON.parse(stdout) as { lines: unknown[]; traces: unknown };
    expect(lines).toHaveLength(3);
    expect(traces).toHaveLength(2);
    expect(traces).toContainEqual({ traceId, segments: [early, late] });
    expect((await run('request', requestId, '--stack', 'leads')).stdout).toContain(
      `Trace ${traceId}\n[\n  {\n    "name": "leads"`,
    );
  });

  test('request prints the lines and a sentence if this identity may not read traces', async () => {
    givenLine();
    aws().refused.add('xray');

    const { status, stdout, stderr } = await run('request', requestId, '--stack', 'leads');

    expect(status).toBe(0);
    expect(stdout).toContain('REPORT Duration');
    expect(stderr).toContain(`may not call xray:BatchGetTraces. The trace ID is ${traceId}.`);
  });
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
  [['request', requestId], 2, 'Name the deployed service with --stack NAME'],
  [['request', 'x" OR "y', '--stack', 'leads'], 1, 'is not a request ID'],
  [['request', requestId, '--stack', 'leads', '--hours', '0'], 2, 'integer from 1 to 87600'],
  [['request', '--stack', 'leads', '--', '-KJaXmPLvHcESHA='], 1, 'No log line of stack leads'],
  [['request', requestId, '--stack', 'leds'], 1, 'There is no stack leds'],
])('%s is refused with a sentence', async (args, status, sentence) => {
  const refused = await run(...args);

  expect(refused.status).toBe(status);
  expect(refused.stderr).toContain(sentence);
});
