import { describe, expect, test } from 'vitest';
import { json, lastRequests, preflightWith, refusal, useAccount } from './given-account.ts';

const replies = useAccount();

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
