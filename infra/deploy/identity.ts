import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { credentialIssue } from '../cli/credential-issue.ts';
import { clientTimeouts, type FailedCheck } from './failed-check.ts';

/** What to do about the errors of STS, by name. */
const credentialFailures: Readonly<Record<string, FailedCheck>> = {
  CredentialsProviderError: {
    issue: 'There are no AWS credentials in the environment or in a profile.',
    next: 'aws configure sso, then export AWS_PROFILE=NAME   (or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)',
  },
  ExpiredToken: {
    issue: 'The AWS credentials have expired.',
    next: 'aws sso login   (or fetch new temporary credentials)',
  },
  InvalidClientTokenId: {
    issue: 'AWS does not know these credentials.',
    next: 'aws sts get-caller-identity, until it names your account',
  },
  SignatureDoesNotMatch: {
    issue:
      'AWS does not accept the signature: the secret key does not belong to the access key, or the clock of this machine is wrong.',
    next: 'aws sts get-caller-identity, until it names your account',
  },
};
const sameAs: Readonly<Record<string, string>> = {
  ExpiredTokenException: 'ExpiredToken',
  UnrecognizedClientException: 'InvalidClientTokenId',
};

/** @returns the account of the credentials, or why it is unknown */
export async function accountOf(region: string): Promise<string | FailedCheck> {
  const client = new STSClient({ region, ...clientTimeouts });
  try {
    const { Account } = await client.send(new GetCallerIdentityCommand({}));
    return (
      Account ?? {
        issue: 'AWS returned no account for these credentials.',
        next: 'aws sts get-caller-identity',
      }
    );
  } catch (error) {
    const { name, message } = error as Error;
    return (
      credentialIssue(error, process.env) ??
      credentialFailures[sameAs[name] ?? name] ?? {
        issue: `Your AWS identity cannot be checked in ${region} (${name}: ${message}).`,
        next: `aws sts get-caller-identity --region ${region}   (check the name of the region and the network)`,
      }
    );
  } finally {
    client.destroy();
  }
}
