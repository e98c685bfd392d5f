import { createServer } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { listen } from '../../../infra/cli/listen.ts';
import { serviceOfStack } from '../../../infra/cli/stack.ts';
import { openMfaSession } from '../../../infra/deploy/identity.ts';
import { refusal } from '../../support/aws/aws-server.ts';
import { useFolder } from '../given-folder.ts';
import { account, lastRequests, preflightWith, region, useAccount } from './given-account.ts';

const credentialVariables = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];
const device = `arn:aws:iam::${account}:mfa/asha`;
const profiles = `
[profile base]
aws_access_key_id = base-id
aws_secret_access_key = base-secret
[profile mfa]
role_arn = arn:aws:iam::${account}:role/deployer
source_profile = base
mfa_serial = ${device}
region = ${region}
[profile sso]
sso_start_url = https://example.awsapps.com/start
sso_region = ${region}
sso_account_id = ${account}
sso_role_name = Deployer
region = ${region}
[sso-session company]
sso_start_url = https://example.awsapps.com/start
sso_region = ${region}
[profile sso-session]
sso_session = company
sso_account_id = ${account}
sso_role_name = Deployer
region = ${region}
`;

const files = useFolder();
let config: string;
beforeAll(async () => {
  config = await files.write('config', profiles);
});
afterEach(() => void vi.unstubAllEnvs());

describe('a profile without a session', () => {
  beforeEach(() => {
    vi.stubEnv('AWS_CONFIG_FILE', config);
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/dev/null');
    vi.stubEnv('AWS_REGION', region);
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    for (const name of credentialVariables) vi.stubEnv(name, undefined);
  });

  test.each([
    [
      'mfa',
      /Profile mfa requires multi-factor authentication/,
      'aws configure export-credentials --profile mfa --format env',
    ],
    ['nosuch', /The AWS profile nosuch has no credentials/, 'aws configure list --profile nosuch'],
    ['sso', /SSO session/, 'aws sso login --profile sso'],
    ['sso-session', /SSO/, 'aws sso login --profile sso-session'],
  ])(
    '%s: deploy, and commands with --stack, say why in the words of the SDK, and what helps',
    async (profile, words, next) => {
      vi.stubEnv('AWS_PROFILE', profile);

      expect((await preflightWith()).failedChecks).toMatchObject([
        { message: expect.stringMatching(words), next: expect.stringContaining(next) },
      ]);
      const refused = await serviceOfStack('leads', () => undefined).catch(String);
      expect(refused).toMatch(words);
      expect(refused).toContain(next);
    },
  );
});

test('requests to AWS go through the proxy of HTTPS_PROXY', async () => {
  const asked: unknown[] = [];
  const proxy = createServer().on('connect', ({ url }, socket) => {
    asked.push(url);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  const port = await listen(proxy, 0);
  for (const name of ['NO_PROXY', 'no_proxy', 'https_proxy', 'AWS_ENDPOINT_URL', 'AWS_PROFILE'])
    vi.stubEnv(name, undefined);
  vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${port}`);
  for (const name of credentialVariables) vi.stubEnv(name, 'any');

  const { failedChecks } = await preflightWith();

  proxy.close();
  expect(failedChecks).toMatchObject([{ message: expect.stringMatching(/cannot be checked/) }]);
  expect(asked).toContain(`sts.${region}.amazonaws.com:443`);
});

describe('with a terminal', () => {
  const replies = useAccount();
  beforeEach(() => {
    vi.stubEnv('AWS_CONFIG_FILE', config);
    vi.stubEnv('AWS_PROFILE', 'mfa');
    for (const name of [...credentialVariables, 'AWS_REGION']) vi.stubEnv(name, undefined);
  });
  const session = `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>session-id</AccessKeyId><SecretAccessKey>session-secret</SecretAccessKey><SessionToken>session-token</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;
  const credentials = () => {
    const { AWS_PROFILE, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } =
      process.env;
    return [AWS_PROFILE, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN];
  };

  test('the code of the MFA device is asked for once, and the session is handed on in the environment', async () => {
    replies.AssumeRole = [200, session];
    const ask = vi.fn(async () => '123456');

    expect(await openMfaSession(region, ask)).toBeUndefined();

    expect(ask.mock.calls).toEqual([[device]]);
    const form = new URLSearchParams(lastRequests.get('AssumeRole')?.body);
    expect([form.get('SerialNumber'), form.get('TokenCode')]).toEqual([device, '123456']);
    expect(credentials()).toEqual([
      undefined,
      region,
      'session-id',
      'session-secret',
      'session-token',
    ]);
  });

  test('a wrong code ends with a sentence, and changes no credentials', async () => {
    replies.AssumeRole = [403, refusal('AccessDenied', 'MultiFactorAuthentication failed')];
    const before = credentials();

    await expect(openMfaSession(region, async () => '000000')).rejects.toMatchObject({
      message: expect.stringContaining('MultiFactorAuthentication failed'),
      next: expect.stringContaining('next code'),
    });
    expect(credentials()).toEqual(before);
  });

  test.each(['base', 'absent'])('nothing is asked for the profile %s', async (profile) => {
    vi.stubEnv('AWS_PROFILE', profile);
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    const before = credentials();
    const ask = vi.fn();

    expect(await openMfaSession(region, ask)).toBeUndefined();
    expect(ask).not.toHaveBeenCalled();
    expect(credentials()).toEqual(before);
  });
});
