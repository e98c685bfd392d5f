import { expect, test } from 'vitest';
import {
  createdBy,
  issuesOf,
  noStack,
  preflightWith,
  refusal,
  stack,
  stackName,
  stacksWithTables,
  tableName,
  useAccount,
} from './given-account.ts';

const replies = useAccount();
const isTableOf = (owner: string): string =>
  `tableName: the table ${tableName} belongs to the stack ${owner}: both stacks would change the same leads.`;

test('a table that the stack of another environment uses is refused', async () => {
  replies.DescribeStacks = stacksWithTables({
    'another-service': 'orders',
    'lead-service-test': tableName,
  });

  const checked = await preflightWith({ tableName });

  expect(issuesOf(checked)).toEqual([isTableOf('lead-service-test')]);
  expect(checked.failedChecks[0]?.next).toMatch(/^Set tableName to a table that no other stack/);
});

test('a table that another stack created is refused, even if no output names it', async () => {
  replies[`DescribeStackResources ${tableName}`] = createdBy('data', tableName);

  expect(issuesOf(await preflightWith({ tableName }))).toEqual([isTableOf('data')]);
});

test.each([
  ['that the stack itself uses', { DescribeStacks: stacksWithTables({ [stackName]: tableName }) }],
  [
    'that the stack itself created',
    { [`DescribeStackResources ${tableName}`]: createdBy(stackName, tableName) },
  ],
  ['that no stack has', { [`DescribeStackResources ${tableName}`]: noStack(tableName) }],
  [
    'that a deleted stack kept',
    { [`DescribeStackResources ${tableName}`]: createdBy('old', tableName, 'DELETE_SKIPPED') },
  ],
])('a table %s is not refused', async (_, known) => {
  replies[`DescribeStacks ${stackName}`] = stack(stackName, 'UPDATE_COMPLETE');
  Object.assign(replies, known);

  expect(await preflightWith({ tableName })).toMatchObject({ failedChecks: [], unknown: [] });
});

test('credentials that may not describe all stacks get a note', async () => {
  replies.DescribeStacks = [403, refusal('AccessDenied', 'not authorized')];

  expect(await preflightWith({ tableName })).toMatchObject({
    failedChecks: [],
    unknown: [
      expect.stringMatching(/^The CDK bootstrap of \d+ in \S+ could not be checked/),
      expect.stringMatching(/^The stack of the table leads-restored-1 could not be checked/),
    ],
  });
});

test('a deployment without tableName is refused if the stack uses a table that it did not create', async () => {
  replies[`DescribeStacks ${stackName}`] = stack(stackName, 'UPDATE_COMPLETE', {
    TableName: tableName,
  });

  const { failedChecks } = await preflightWith({ environment: 'production' });

  expect(failedChecks).toEqual([
    {
      issue: `tableName: is not set, but the service uses the table ${tableName}: the deployment would create an empty table.`,
      next: `Set environments.production.tableName to ${tableName} in cdk.json   (to begin with an empty table: npm run deploy -- --new-table)`,
    },
  ]);
  expect(issuesOf(await preflightWith({}, { allowsNewTable: true }))).toEqual([]);
});

test('a new table and tableName are refused together', async () => {
  expect(issuesOf(await preflightWith({ tableName }, { allowsNewTable: true }))).toEqual([
    '--new-table: tableName is set, so the service would use the table leads-restored-1.',
  ]);
});

test('a deployment without tableName passes if the stack created the table that it uses', async () => {
  replies[`DescribeStacks ${stackName}`] = stack(stackName, 'UPDATE_COMPLETE', {
    TableName: tableName,
  });
  replies[`DescribeStackResources ${tableName}`] = createdBy(stackName, tableName);

  expect(issuesOf(await preflightWith())).toEqual([]);
});
