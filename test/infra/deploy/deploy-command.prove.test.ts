import { expect, test } from 'vitest';
import { jsonRefusal } from '../../support/aws/aws-server.ts';
import { node24, runProgram } from '../../support/service-process.ts';
import { createdBy, region, stack, stackName, tableName, useAccount } from './given-account.ts';

const replies = useAccount();

const check = (...args: readonly string[]) => deployWith('--check', ...args);

const deployWith = (...args: readonly string[]) => deployIn(region, ...args);

async function deployIn(
  AWS_REGION: string,
  ...args: readonly string[]
): Promise<{ status: unknown; lines: string[] }> {
  const { status, stderr } = await runProgram(node24, ['infra/deploy/deploy.ts', ...args], {
    env: { ...process.env, AWS_REGION },
  });
  return { status, lines: stderr.trim().split('\n') };
}

test('npm run deploy refuses an option that the region lacks, before it asks AWS', async () => {
  const budget = ['-c', 'alarmEmail=ops@example.com', '-c', 'monthlyBudget=50'];

  const { status, lines } = await deployIn('eu-north-1', ...budget);

  expect(status).toBe(1);
  expect(lines[1]).toMatch(/^ {2}monthlyBudget: CloudFormation has no budgets in eu-north-1: /);
});

test('npm run deploy -- --check prints what is unknown and the target, by its options', async () => {
  replies.ListTables = jsonRefusal('AccessDeniedException');

  const { status, lines } = await check();

  expect(status).toBe(0);
  expect(lines).toEqual([
    `? The stack ${stackName} could not be checked (AccessDeniedException: not authorized).`,
    `✓ ${stackName} will be deployed to account 123456789012, region eu-central-1.`,
    expect.stringMatching(/^Release: \S+\.$/),
  ]);
});

test('npm run deploy -- --check looks for the bootstrap of the qualifier in the context', async () => {
  const { status, lines } = await check('-c', '@aws-cdk/core:bootstrapQualifier=team1');

  expect({ status, next: lines[1] }).toEqual({
    status: 1,
    next: '  Next: npx cdk bootstrap aws://123456789012/eu-central-1 --qualifier team1',
  });
});

test('npm run deploy whose verification fails ends with the command that goes back', async () => {
  replies[`DescribeStacks ${stackName}`] = stack(stackName, 'UPDATE_COMPLETE', {
    Release: 'v1.0.0',
    TableName: tableName,
    BaseUrl: 'http://127.0.0.1:1',
  });
  replies[`DescribeStackResources ${tableName}`] = createdBy(stackName, tableName);

  // cdk deploy --help deploys nothing, and ends with status 0.
  const { status, lines } = await deployWith('--', '--help');

  const wayBack = 'To go back: git switch --detach v1.0.0 && npm run deploy -- -- --help';
  expect(status).toBe(1);
  expect(lines.filter((line) => line === wayBack)).toHaveLength(2);
  expect(lines.at(-1)).toBe(wayBack);
});

test.each([
  [['--dry-run'], 2, /^Unknown option '--dry-run'\. See: /],
  [['-c', 'alarmEmail'], 2, /It must be NAME=VALUE/],
  [['-c', 'alarmEmial=x'], 1, /alarmEmial: is not an option: did you mean alarmEmail\?/],
])(
  'npm run deploy does not go on with %j, and has the status %i',
  async (args, status, sentence) => {
    expect(await deployWith(...args)).toEqual({
      status,
      lines: expect.toSatisfy((lines: string[]) => sentence.test(lines.join('\n'))),
    });
  },
);
