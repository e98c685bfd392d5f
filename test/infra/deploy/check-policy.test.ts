import { expect, test } from 'vitest';
import policy from '../../../infra/policies/check-deployment.json' with { type: 'json' };
import {
  createdBy,
  lastRequests,
  preflightWith,
  stack,
  stackName,
  tableName,
  useAccount,
} from './given-account.ts';

const replies = useAccount();

/** The action that IAM asks for, by the name of a request. Anybody may ask who they are. */
const actions: Readonly<Record<string, string>> = {
  DescribeContinuousBackups: 'dynamodb:DescribeContinuousBackups',
  DescribeKey: 'kms:DescribeKey',
  DescribeStackResources: 'cloudformation:DescribeStackResources',
  DescribeStacks: 'cloudformation:DescribeStacks',
  DescribeTable: 'dynamodb:DescribeTable',
  'GET /account': 'apigateway:GET',
};

test('the policy for checking a deployment allows every request of the checks, and no more', async () => {
  replies[`DescribeStacks ${stackName}`] = stack(stackName, 'UPDATE_COMPLETE', {
    TableName: tableName,
  });
  replies[`DescribeStackResources ${tableName}`] = createdBy(stackName, tableName);
  lastRequests.clear();

  const results = [await preflightWith({ accessLogs: true }), await preflightWith({ tableName })];

  expect(results.map(({ failedChecks, unknown }) => [failedChecks, unknown])).toEqual([
    [[], []],
    [[], []],
  ]);
  const sent = [...lastRequests.keys()]
    .filter((name) => name !== 'GetCallerIdentity')
    .map((name) => actions[name] ?? actions[name.split(' ')[0] ?? ''] ?? name);
  expect([...new Set(sent)].sort()).toEqual(
    policy.Statement.flatMap(({ Action }) => Action).sort(),
  );
});
