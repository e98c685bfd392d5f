import { describe, expect, test } from 'vitest';
import { preflight } from '../../../infra/deploy/preflight.ts';
import {
  bootstrapped,
  issuesOf,
  notBootstrapped,
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
      unknown: [],
      target: { account: '123456789012', region: 'eu-central-1' },
    });
  });

  test('a preflight compares nothing but the account if the credentials are of another one', async () => {
    answers.DescribeStacks = notBootstrapped();

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
    const { failedChecks, target } = await preflight({ region: undefined, stackName });

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
    answers.GetCallerIdentity = [403, refusal(code, 'why')];

    const { failedChecks, target } = await preflightWith();

    expect(failedChecks).toEqual([
      { issue: expect.stringMatching(issue), next: expect.stringMatching(next) },
    ]);
    expect(target).toBeUndefined();
  });

  test('a preflight names the command for an account that is not bootstrapped', async () => {
    answers.DescribeStacks = notBootstrapped();

    expect((await preflightWith()).failedChecks).toEqual([
      {
        issue: 'The CDK is not bootstrapped in account 123456789012, region eu-central-1.',
        next: 'npx cdk bootstrap aws://123456789012/eu-central-1',
      },
    ]);
  });

  test('a preflight names the command for an account whose bootstrap stack is too old', async () => {
    answers.DescribeStacks = bootstrapped(5);

    expect((await preflightWith()).failedChecks).toEqual([
      {
        issue: expect.stringContaining('version 5'),
        next: 'npx cdk bootstrap aws://123456789012/eu-central-1',
      },
    ]);
  });

  test('a preflight passes with a note for credentials that may deploy but not describe stacks', async () => {
    answers[`DescribeStacks ${stackName}`] = [403, refusal('AccessDenied', 'not authorized')];

    expect(await preflightWith()).toMatchObject({
      failedChecks: [],
      unknown: [expect.stringContaining('AccessDenied: not authorized')],
    });
  });
});
