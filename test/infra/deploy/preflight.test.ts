import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { preflight } from '../../../infra/deploy/preflight.ts';
import {
  bootstrapVersion,
  cdkVersion,
  issuesOf,
  jsonRefusal,
  preflightWith,
  refusal,
  stack,
  stackName,
  useAccount,
} from './given-account.ts';

const answers = useAccount();

describe('a preflight', () => {
  test('a preflight passes for a first deployment, and returns its target', async () => {
    expect(await preflightWith()).toEqual({
      failedChecks: [],
      warnings: [],
      unknown: [],
      target: { account: '123456789012', region: 'eu-central-1' },
    });
  });

  test('a preflight compares nothing but the account if the credentials are of another one', async () => {
    answers.GetParameter = jsonRefusal('ParameterNotFound');

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
    answers[`DescribeStacks ${stackName}`] = stack(stackName, 'UPDATE_ROLLBACK_COMPLETE');

    expect((await preflightWith()).failedChecks).toEqual([]);
  });

  test('a preflight needs a region, because the CDK would use one of its own', async () => {
    const { failedChecks, target } = await preflight({ region: undefined, stackName, cdkVersion });

    expect(failedChecks).toEqual([
      {
        issue: expect.stringMatching(/^No region is set/),
        next: expect.stringMatching(/^export AWS_REGION=/),
      },
    ]);
    expect(target).toBeUndefined();
  });

  test.each([
    ['ExpiredToken', /have expired/, /^aws sso login/],
    ['InvalidClientTokenId', /does not know these credentials/, /^aws sts get-caller-identity/],
    ['SignatureDoesNotMatch', /signature/, /^aws sts get-caller-identity/],
    [
      'SomethingElse',
      /identity cannot be checked in eu-central-1 \(SomethingElse: why\)/,
      /^aws sts get-caller-identity --region eu-central-1/,
    ],
  ])('a preflight says what to do about credentials refused with %s', async (code, issue, next) => {
    answers.GetCallerIdentity = [403, refusal(code, 'why')];

    const { failedChecks, target } = await preflightWith();

    expect(failedChecks).toEqual([
      { issue: expect.stringMatching(issue), next: expect.stringMatching(next) },
    ]);
    expect(target).toBeUndefined();
  });

  test('a preflight names the command for an account that is not bootstrapped', async () => {
    answers.GetParameter = jsonRefusal('ParameterNotFound');

    expect((await preflightWith()).failedChecks).toEqual([
      {
        issue: 'The CDK is not bootstrapped in account 123456789012, region eu-central-1.',
        next: 'npx cdk bootstrap aws://123456789012/eu-central-1',
      },
    ]);
  });

  test('a preflight names the command for an account whose bootstrap stack is too old', async () => {
    answers.GetParameter = bootstrapVersion(5);

    expect((await preflightWith()).failedChecks).toEqual([
      {
        issue: expect.stringContaining('version 5'),
        next: 'npx cdk bootstrap aws://123456789012/eu-central-1',
      },
    ]);
  });

  test.each([
    ['ROLLBACK_COMPLETE', /The first deployment of the stack .* failed/, /delete-stack/],
    ['UPDATE_IN_PROGRESS', /is being changed/, /wait stack-update-complete/],
    ['CREATE_IN_PROGRESS', /is being changed/, /wait stack-create-complete/],
    ['ROLLBACK_IN_PROGRESS', /is being changed/, /wait stack-create-complete/],
    ['UPDATE_ROLLBACK_IN_PROGRESS', /is being changed/, /wait stack-rollback-complete/],
    ['UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS', /is being/, /wait stack-rollback-complete/],
    ['UPDATE_COMPLETE_CLEANUP_IN_PROGRESS', /is being changed/, /wait stack-update-complete/],
    ['DELETE_IN_PROGRESS', /is being changed/, /wait stack-delete-complete/],
    ['IMPORT_IN_PROGRESS', /is being changed/, /wait stack-import-complete/],
    ['DELETE_FAILED', /could not be deleted/, /delete-stack/],
    ['UPDATE_ROLLBACK_FAILED', /its rollback failed too/, /continue-update-rollback/],
  ])('a preflight says what to do about a stack in %s', async (status, issue, next) => {
    answers[`DescribeStacks ${stackName}`] = stack(stackName, status);

    expect((await preflightWith()).failedChecks).toEqual([
      { issue: expect.stringMatching(issue), next: expect.stringMatching(next) },
    ]);
  });

  test('a preflight passes with a note for credentials that may deploy but not describe stacks', async () => {
    answers[`DescribeStacks ${stackName}`] = [403, refusal('AccessDenied', 'not authorized')];

    expect(await preflightWith()).toMatchObject({
      failedChecks: [],
      unknown: [expect.stringContaining('AccessDenied: not authorized')],
    });
  });

  test('a preflight needs the version of the CDK that the lock file has', async () => {
    const { failedChecks } = await preflight({
      region: 'eu-central-1',
      stackName,
      cdkVersion: { installed: '3.0.0', required: '2.1148.1' },
    });

    expect(failedChecks).toEqual([
      {
        issue: 'The CDK command has version 3.0.0, but this project needs 2.1148.1.',
        next: 'npm ci',
      },
    ]);
  });

  test('a preflight refuses ARNs of another region, and a certificate of another account, before anything is deployed', async () => {
    const { failedChecks } = await preflight({
      region: 'eu-central-1',
      stackName,
      cdkVersion,
      options: {
        certificateArn: 'arn:aws:acm:eu-central-1:999999999999:certificate/1',
        alarmTopicArn: 'arn:aws:sns:eu-west-1:123456789012:alarms',
        kmsKey: 'arn:aws:kms:eu-central-1:999999999999:key/1',
      },
    });

    expect(failedChecks.map(({ issue }) => issue)).toEqual([
      'certificateArn belongs to account 999999999999, but the deployment is in 123456789012.',
      'alarmTopicArn is in region eu-west-1, but the deployment is in eu-central-1.',
    ]);
  });

  test('every waiter that it names is one that AWS has', async () => {
    const source = await readFile(
      new URL('../../../infra/deploy/stack-checks.ts', import.meta.url),
      'utf8',
    );
    const known = Object.keys(await import('@aws-sdk/client-cloudformation'));

    for (const [, name = ''] of source.matchAll(/'stack-(\w+)-complete'/g))
      expect(known).toContain(
        `waitUntilStack${name.charAt(0).toUpperCase()}${name.slice(1)}Complete`,
      );
  });
});
