import { expect, test } from 'vitest';
import policy from '../../../infra/policies/check-deployment.json' with { type: 'json' };
import { json, noStack, refusal } from '../../support/aws/aws-server.ts';
import {
  type AwsReplies,
  account,
  bootstrapped,
  createdBy,
  expectPreflight,
  lastRequests,
  notBootstrapped,
  type PreflightCase,
  preflightWith,
  region,
  stack,
  stackName,
  tableName,
  useAccount,
} from './given-account.ts';

const replies = useAccount();

const stackUses = (table: string): AwsReplies => ({
  [`DescribeStacks ${stackName}`]: stack(stackName, 'UPDATE_COMPLETE', { TableName: table }),
});
const leftTable = `${stackName}-ServiceTable1-X`;
const denied = [403, refusal('AccessDenied', 'not authorized')] as const;

test.each<PreflightCase>([
  {
    what: 'without a region, because the CDK would use one of its own',
    more: { region: undefined },
    refused: [/^No region is set/, /^export AWS_REGION=/],
  },
  {
    what: 'with credentials of another account than that of the environment',
    aws: { DescribeStacks: notBootstrapped() },
    options: { account: '210987654321' },
    refused: [
      /^The credentials are of account 123456789012, but the environment production belongs to account 210987654321\.$/,
      /AWS_PROFILE/,
    ],
  },
  {
    what: 'with credentials that have expired',
    aws: { GetCallerIdentity: [403, refusal('ExpiredToken', 'why')] },
    refused: [
      /identity cannot be checked in eu-central-1 \(ExpiredToken: why\)/,
      /^aws sts get-caller-identity --region eu-central-1/,
    ],
  },
  {
    what: 'in a region that the account has not enabled, where AWS knows no credentials',
    aws: { GetCallerIdentity: [403, refusal('InvalidClientTokenId', 'why')] },
    refused: [
      /in eu-central-1 \(InvalidClientTokenId: why\)/,
      /aws account get-region-opt-status --region-name eu-central-1 says whether it is enabled/,
    ],
  },
  {
    what: 'of a new table with tableName',
    options: { tableName },
    more: { allowsNewTable: true },
    refused: [
      /^--new-table: tableName is set, so the service would use the table leads-restored-1\.$/,
      /^Remove tableName/,
    ],
  },
])('a deployment cannot begin $what', async (one) => {
  expect(await expectPreflight(replies, one)).toBeUndefined();
});

test.each<PreflightCase>([
  {
    what: 'in an account that is not bootstrapped',
    aws: { DescribeStacks: notBootstrapped() },
    refused: [
      /^The CDK is not bootstrapped in account 123456789012, region eu-central-1\.$/,
      /^npx cdk bootstrap aws:\/\/123456789012\/eu-central-1$/,
    ],
  },
  {
    what: 'in an account whose bootstrap is too old',
    aws: { DescribeStacks: bootstrapped(5) },
    refused: [/version 5/, /^npx cdk bootstrap /],
  },
  {
    what: 'without tableName of a stack that uses a table that it did not create',
    aws: stackUses(tableName),
    refused: [
      /^tableName: is not set, but the service uses the table leads-restored-1: the deployment would create an empty table\.$/,
      /^Set environments\.production\.tableName to leads-restored-1 in cdk\.json .*--new-table/,
    ],
  },
  {
    what: 'of a stack whose table was left by an earlier stack of that name',
    aws: { ListTables: json({ TableNames: ['a', leftTable] }) },
    refused: [
      /^An earlier stack lead-service-production left the table lead-service-production-S/,
      /^Set environments\.production\.tableName to lead-.*-ServiceTable1-X .*--new-table/,
    ],
  },
])('a deployment is refused $what', async (one) => {
  expect(await expectPreflight(replies, one)).toEqual({ account, region });
});

test.each<PreflightCase>([
  { what: 'that is the first one' },
  {
    what: 'that is an update',
    aws: { [`DescribeStacks ${stackName}`]: stack(stackName, 'UPDATE_ROLLBACK_COMPLETE') },
  },
  { what: 'to the account that the environment names', options: { account } },
  {
    what: 'of a stack that created the table that it uses',
    aws: {
      ...stackUses(tableName),
      [`DescribeStackResources ${tableName}`]: createdBy(stackName, tableName),
    },
  },
  {
    what: 'that may create a new table',
    aws: stackUses(tableName),
    more: { allowsNewTable: true },
  },
  {
    what: 'of a stack whose table was left by an earlier stack, if a new one is allowed',
    aws: { ListTables: json({ TableNames: [leftTable] }) },
    more: { allowsNewTable: true },
  },
  {
    what: 'although its credentials may not describe the stack, with a note',
    aws: { [`DescribeStacks ${stackName}`]: denied },
    unknown: [/^The stack .* could not be checked \(AccessDenied: not authorized\)\.$/],
  },
])('a deployment passes $what', async (one) => {
  expect(await expectPreflight(replies, one)).toEqual({ account, region });
});

/** The action that IAM asks for, by the name of a request. Anybody may ask who they are. */
const actions: Readonly<Record<string, string>> = {
  DescribeContinuousBackups: 'dynamodb:DescribeContinuousBackups',
  DescribeKey: 'kms:DescribeKey',
  DescribeStackResources: 'cloudformation:DescribeStackResources',
  DescribeStacks: 'cloudformation:DescribeStacks',
  DescribeTable: 'dynamodb:DescribeTable',
  ListTables: 'dynamodb:ListTables',
};

test('the policy for checking a deployment allows every request of the checks, and no more', async () => {
  Object.assign(replies, stackUses(tableName));
  replies[`DescribeStackResources ${tableName}`] = createdBy(stackName, tableName);
  lastRequests.clear();

  await preflightWith();
  await preflightWith({ tableName });
  replies[`DescribeStacks ${stackName}`] = noStack(stackName);
  await preflightWith();

  const sent = [...lastRequests.keys()]
    .filter((name) => name !== 'GetCallerIdentity')
    .map((name) => actions[name] ?? actions[name.split(' ')[0] ?? ''] ?? name);
  expect([...new Set(sent)].sort()).toEqual(
    policy.Statement.flatMap(({ Action }) => Action).sort(),
  );
  expect(lastRequests.get('DescribeKey')?.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/eu-central-1\/kms\/aws4_request, SignedHeaders=[\w;-]*host[\w;-]*, Signature=[0-9a-f]{64}$/,
  );
});
