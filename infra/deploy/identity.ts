import { createInterface } from 'node:readline/promises';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { clientTimeouts } from '../cli/aws.ts';
import { credentialIssue } from '../cli/credential-issue.ts';
import type { FailedCheck } from './failed-check.ts';

const noCredentials: FailedCheck = {
  issue: 'There are no AWS credentials in the environment or in a profile.',
  next: 'aws configure sso, then export AWS_PROFILE=NAME   (or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)',
};

/** @returns the account of the credentials, or why it is unknown */
export async function accountOf(region: string): Promise<string | FailedCheck> {
  const client = new STSClient({ region, ...clientTimeouts });
  try {
    const { Account } = await client.send(new GetCallerIdentityCommand({}));
    if (Account !== undefined) return Account;
    throw new Error('AWS returned no account for these credentials');
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    const issue = credentialIssue(error, process.env);
    if (issue) return issue;
    if (name === 'CredentialsProviderError') return noCredentials;
    return {
      issue: `Your AWS identity cannot be checked in ${region} (${name}: ${message}).`,
      next: `aws sts get-caller-identity --region ${region}   (renew the credentials, or check the name of the region and the network)`,
    };
  } finally {
    client.destroy();
  }
}

/** Asks for the code of an MFA device, by its serial number or ARN. */
export type AskForCode = (device: string) => Promise<string>;

export const askOnTerminal: AskForCode = async (device) => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Without this, a terminal that ends its input leaves the question open for ever.
  const closed = new AbortController();
  terminal.once('close', () => closed.abort(new Error('no code was given')));
  try {
    return (await terminal.question(`MFA code of ${device}: `, { signal: closed.signal })).trim();
  } finally {
    terminal.close();
  }
};

/**
 * If the AWS profile needs an MFA code, asks for it, and puts the session into the environment: the SDK's clients and the CDK would each
 * ask again. Leaves other profiles alone, also those that give no credentials: the preflight explains them.
 * @returns why there is no session with the code; undefined if there is one, or none is needed
 */
export async function openMfaSession(
  region: string,
  ask: AskForCode,
): Promise<FailedCheck | undefined> {
  let isAsked = false;
  const credentials = defaultProvider({
    clientConfig: { region, ...clientTimeouts },
    mfaCodeProvider: (device) => {
      isAsked = true;
      return ask(device);
    },
  });
  try {
    const { accessKeyId, secretAccessKey, sessionToken = '' } = await credentials();
    if (!isAsked) return undefined;
    Object.assign(process.env, {
      AWS_REGION: region, // of the profile, perhaps
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: sessionToken,
    });
    delete process.env.AWS_PROFILE;
    return undefined;
  } catch (error) {
    if (!isAsked) return undefined;
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    return {
      issue: `AWS opened no session with the MFA code (${name}: ${message}).`,
      next: 'Check the network, and run the command again with the next code of the device.',
    };
  }
}
