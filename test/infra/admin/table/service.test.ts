import { expect, test } from 'vitest';
import { endpoints } from '../../../../shared/contract/endpoints.ts';
import { standInFunctions, useStandInAws } from '../../../support/aws/stand-in-aws.ts';

const { aws, run } = useStandInAws();

test('service stop removes every function’s concurrency, and service start restores it', async () => {
  const stopped = await run('service', 'stop', '--stack', 'leads', '--json');

  expect(stopped).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(stopped.stdout)).toEqual({ stopped: endpoints.map(({ name }) => name) });
  expect([...aws().reserved]).toEqual(
    expect.arrayContaining(standInFunctions.map((name) => [name, 0])),
  );
  expect(aws().reserved.size).toBe(endpoints.length);

  const started = await run('service', 'start', '--stack', 'leads');

  expect(started).toEqual({
    status: 0,
    stdout: `Started: ${endpoints.length} functions of stack leads.\n`,
    stderr: '',
  });
  expect(aws().reserved.size).toBe(0);
});

test('service stop that Lambda refuses for one function ends with status 1, and a repeat finishes it', async () => {
  aws().refused.add(standInFunctions[3] ?? '');

  const { status, stderr } = await run('service', 'stop', '--stack', 'leads');

  expect(status).toBe(1);
  expect(stderr).toContain('not authorized');

  aws().refused.clear();
  expect((await run('service', 'stop', '--stack', 'leads')).status).toBe(0);
  expect(aws().reserved.size).toBe(endpoints.length);
});

test('service stop refuses a stack whose outputs name no functions', async () => {
  aws().outputs.set('Functions', '');

  const { status, stderr } = await run('service', 'stop', '--stack', 'leads');

  expect([status, stderr]).toEqual([1, expect.stringContaining('name no functions: run the')]);
});

test('service stop without a stack says how to name one, and how a local service stops', async () => {
  const { status, stderr } = await run('service', 'stop');

  expect(status).toBe(2);
  expect(stderr).toBe(
    'Name the deployed service with --stack NAME: a local service stops with Ctrl-C. See: npm run admin -- service stop --help\n',
  );
});
