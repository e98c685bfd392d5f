import { describe, expect, test } from 'vitest';
import policy from '../../../infra/policies/check-deployment.json' with { type: 'json' };
import {
  bootstrapped,
  createdBy,
  issuesOf,
  json,
  lastRequests,
  notBootstrapped,
  preflightWith,
  refusal,
  stack,
  stackName,
  tableName,
  useAccount,
} from './given-account.ts';

const replies = useAccount();

describe('a preflight', () => {
  test('a preflight passes for a first deployment, and returns its target', async () => {
    expect(await preflightWith()).toEqual({
      failedChecks: [],
      unknown: [],
      target: { account: '123456789012', region: 'eu-central-1' },
    });
  });

  test('a preflight compares nothing but the account if the credentials are of another one', async () => {
    replies.DescribeStacks = notBootstrapped();

    const options = { account: '210987654321', environment: 'production' };
    const { failedChecks, target } = await preflightWith(options);

    expect(failedChecks).toEqual([
      {
        issue:
          'The credentials are of account 123456789012, but the environment production belongs to account 210987654321.',
        next: expect.stringContaining('AWS_PROFILE'),
      },
    ]);
    expect(target).toBeUndefined();
    expect(issuesOf(await preflightWith({ ...options, account: '123456789012' }))).toEqual([
      expect.stringContaining('not bootstrapped'),
    ]);
  });

  test('a preflight passes for an update', async () => {
    replies[`DescribeStacks ${stackName}`] = stack(stackName, 'UPDATE_ROLLBACK_COMPLETE');

    expect((await preflightWith()).failedChecks).toEqual([]);
  });

  test('a preflight needs a region, because the CDK would use one of its own', async () => {
    const { failedChecks, target } = await preflightWith({}, { region: undefined });

    expect(failedChecks).toEqual([
      {
        issue: expect.stringMatching(/^No region is set/),
        next: expect.stringMatching(/^export AWS_REGION=/),
      },
    ]);
    expect(target).toBeUndefined();
  });

  test.each([
    [
      'ExpiredToken',
      /identity cannot be checked in eu-central-1 \(ExpiredToken: why\)/,
      /^aws sts get-caller-identity --region eu-central-1/,
    ],
  ])('a preflight says what to do about credentials refused with %s', async (code, issue, next) => {
    replies.GetCallerIdentity = [403, refusal(code, 'why')];

    const { failedChecks, target } = await preflightWith();

    expect(failedChecks).toEqual([
      { issue: expect.stringMatching(issue), next: expect.stringMatching(next) },
    ]);
    expect(target).toBeUndefined();
  });

  test('a preflight names the command for an account that is not bootstrapped', async () => {
    replies.DescribeStacks = notBootstrapped();

    expect((await preflightWith()).failedChecks).toEqual([
      {
        issue: 'The CDK is not bootstrapped in account 123456789012, region eu-central-1.',
        next: 'npx cdk bootstrap aws://123456789012/eu-central-1',
      },
    ]);
  });

  test('a preflight names the command for an account whose bootstrap stack is too old', async () => {
    replies.DescribeStacks = bootstrapped(5);

    expect((await preflightWith()).failedChecks).toEqual([
      {
        issue: expect.stringContaining('version 5'),
        next: 'npx cdk bootstrap aws://123456789012/eu-central-1',
      },
    ]);
  });

  test('a preflight passes with a note for credentials that may deploy but not describe stacks', async () => {
    replies[`DescribeStacks ${stackName}`] = [403, refusal('AccessDenied', 'not authorized')];

    expect(await preflightWith()).toMatchObject({
      failedChecks: [],
      unknown: [expect.stringContaining('AccessDenied: not authorized')],
    });
  });
});

test('the look before a deployment finds the release that runs, in the outputs of the stack', async () => {
  expect((await preflightWith()).releaseBefore).toBeUndefined();

  replies[`DescribeStacks ${stackName}`] = stack(stackName, 'UPDATE_COMPLETE', {
    Release: 'v1.0.0',
  });

  expect((await preflightWith()).releaseBefore).toBe('v1.0.0');
});

describe('the CDK bootstrap of an account', () => {
  test('with another qualifier is another stack', async () => {
    const { failedChecks } = await preflightWith({}, { qualifier: 'team1' });

    expect(failedChecks[0]?.next).toBe(
      'npx cdk bootstrap aws://123456789012/eu-central-1 --qualifier team1',
    );
  });

  test('is unknown, not missing, to credentials that may not list the stacks', async () => {
    replies.DescribeStacks = [403, refusal('AccessDenied', 'not authorized')];

    expect(await preflightWith()).toMatchObject({
      failedChecks: [],
      unknown: [
        'The CDK bootstrap of 123456789012 in eu-central-1 could not be checked (AccessDenied: not authorized).',
      ],
    });
  });
});

describe('the role of API Gateway for CloudWatch', () => {
  test('is needed only with accessLogs', async () => {
    replies['GET /account'] = json({ throttleSettings: {} });

    expect((await preflightWith()).failedChecks).toEqual([]);
    expect((await preflightWith({ accessLogs: true })).failedChecks).toEqual([
      {
        issue: expect.stringMatching(/^accessLogs: API Gateway has no role for CloudWatch/),
        next: expect.stringMatching(/^aws apigateway update-account/),
      },
    ]);
  });

  test('passes if the account has one', async () => {
    expect(await preflightWith({ accessLogs: true })).toMatchObject({
      failedChecks: [],
      unknown: [],
    });
    expect(lastRequests.get('GET /account')?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/eu-central-1\/apigateway\/aws4_request, SignedHeaders=[\w;-]*host[\w;-]*, Signature=[0-9a-f]{64}$/,
    );
  });
});

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
