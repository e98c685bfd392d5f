import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { node24, projectFolder } from '../../support/service-process.ts';
import {
  concurrentExecutions,
  jsonRefusal,
  lastRequests,
  region,
  stack,
  stackName,
  stacksWithTables,
  tableName,
  useAccount,
  withTable,
} from './given-account.ts';

const replies = useAccount();

const check = (...args: readonly string[]) => deploy('--check', ...args);

async function deploy(...args: readonly string[]): Promise<{ status: unknown; lines: string[] }> {
  const child = spawn(node24, ['infra/deploy/deploy.ts', ...args], {
    cwd: projectFolder,
    env: { ...process.env, AWS_REGION: region },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { status, lines: stderr.trim().split('\n') };
}

test('npm run deploy -- --check prints what is unknown, what should change and the target, by the options that it was given', async () => {
  replies[`DescribeStacks ${stackName}`] = stacksWithTables({ [stackName]: tableName });
  replies[`ListStackResources ${stackName}`] = withTable('leads-of-the-stack');
  replies['GET /2016-08-19/account-settings'] = concurrentExecutions(10);
  replies.GetParameter = jsonRefusal('AccessDeniedException');

  const { status, lines } = await check(
    '--new-table',
    '-c',
    '@aws-cdk/core:bootstrapQualifier=team1',
  );

  expect(status).toBe(0);
  expect(lines).toEqual([
    expect.stringMatching(/^\? The CDK bootstrap of 123456789012 in eu-central-1 could not be/),
    expect.stringMatching(/^! The functions of the account can run 10 times at once/),
    expect.stringMatching(/^ {2}Next: aws service-quotas/),
    `✓ ${stackName} will be deployed to account 123456789012, region eu-central-1.`,
    expect.stringMatching(/^Release: \S+\.$/),
  ]);
  expect(lastRequests.get('GetParameter')?.body).toContain('/cdk-bootstrap/team1/version');
});

test('npm run deploy -- --check has the status 1 if a check failed', async () => {
  replies.DescribeTable = jsonRefusal('ResourceNotFoundException');

  const { status, lines } = await check('-c', `tableName=${tableName}`);

  expect({ status, first: lines[0] }).toEqual({
    status: 1,
    first: `✗ tableName: there is no table ${tableName} in eu-central-1: every request would fail.`,
  });
});

test('npm run deploy whose verification fails ends with the command that goes back', async () => {
  replies[`DescribeStacks ${stackName}`] = stack(stackName, 'UPDATE_COMPLETE', {
    Release: 'v1.0.0',
    TableName: tableName,
    BaseUrl: 'http://127.0.0.1:1',
  });
  replies[`ListStackResources ${stackName}`] = withTable(tableName);

  // cdk deploy --help deploys nothing, and ends with status 0.
  const { status, lines } = await deploy('--', '--help');

  const wayBack = 'To go back: git switch --detach v1.0.0 && npm run deploy -- -- --help';
  expect(status).toBe(1);
  expect(lines.filter((line) => line === wayBack)).toHaveLength(2);
  expect(lines.at(-1)).toBe(wayBack);
});
