import { describe, expect, test } from 'vitest';
import {
  concurrentExecutions,
  json,
  jsonRefusal,
  lastRequests,
  preflightWith,
  useAccount,
} from './given-account.ts';

const replies = useAccount();

describe('the CDK bootstrap of an account', () => {
  test('is found by its parameter, whatever the name of its stack, in a signed request', async () => {
    expect((await preflightWith()).failedChecks).toEqual([]);

    const { headers, body } = lastRequests.get('GetParameter') ?? {};
    expect(JSON.parse(body ?? '')).toEqual({ Name: '/cdk-bootstrap/hnb659fds/version' });
    expect(headers?.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/eu-central-1\/ssm\/aws4_request, SignedHeaders=[\w;-]*host[\w;-]*, Signature=[0-9a-f]{64}$/,
    );
  });

  test('with another qualifier has a parameter of its own', async () => {
    replies.GetParameter = jsonRefusal('ParameterNotFound');

    const { failedChecks } = await preflightWith({}, { qualifier: 'team1' });

    expect(JSON.parse(lastRequests.get('GetParameter')?.body ?? '')).toEqual({
      Name: '/cdk-bootstrap/team1/version',
    });
    expect(failedChecks[0]?.next).toBe(
      'npx cdk bootstrap aws://123456789012/eu-central-1 --qualifier team1',
    );
  });

  test('is unknown, not missing, to credentials that may not read the parameter', async () => {
    replies.GetParameter = jsonRefusal('AccessDeniedException');

    expect(await preflightWith()).toMatchObject({
      failedChecks: [],
      unknown: [
        'The CDK bootstrap of 123456789012 in eu-central-1 could not be checked (AccessDeniedException: not authorized).',
      ],
    });
  });
});

test('an account whose functions can run only ten times at once gets a warning, with the command that requests more', async () => {
  replies['GET /2016-08-19/account-settings'] = concurrentExecutions(10);

  expect(await preflightWith()).toMatchObject({
    failedChecks: [],
    warnings: [
      {
        issue: expect.stringMatching(/can run 10 times at once in eu-central-1/),
        next: expect.stringMatching(/^aws service-quotas request-service-quota-increase/),
      },
    ],
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
  });
});
