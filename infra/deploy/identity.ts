import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { clientSettings, credentialIssue } from '../cli/aws.ts';
import { CheckError } from '../cli/command.ts';
import { ask } from '../cli/confirm.ts';
import { asError, errorText } from '../cli/error-code.ts';

/** @returns the account of the credentials @throws CheckError if it is unknown */
export async function accountOf(region: string): Promise<string> {
  const client = new STSClient({ region, ...clientSettings });
  try {
    const { Account } = await client.send(new GetCallerIdentityCommand({}));
    if (Account !== undefined) return Account;
    throw new Error('AWS returned no account for these credentials');
  } catch (error) {
    const issue = credentialIssue(error, process.env);
    if (issue) throw issue;
    if (asError(error).name === 'CredentialsProviderError')
      throw new CheckError(
        'There are no AWS credentials in the environment or in a profile.',
        'aws configure sso, then export AWS_PROFILE=NAME   (or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)',
      );
    throw new CheckError(
      `Your AWS identity cannot be checked in ${region} (${errorText(error)}).`,
      `aws sts get-caller-identity --region ${region}   (renew the credentials, check the network, or the region: aws account get-region-opt-status --region-name ${region} says whether it is enabled)`,
    );
  }
}

/**
 * If the AWS profile needs an MFA code, asks for it once and puts the session into the environment. Otherwise each SDK client and the CDK
 * would ask again. Ignores all other profiles, even those without credentials: the preflight explains these.
 * @param askForCode receives the serial number or ARN of the MFA device
 * @throws CheckError if AWS opens no session with the code
 */
export async function openMfaSession(
  region: string,
  askForCode = (device: string): Promise<string> => ask(`MFA code of ${device}: `),
): Promise<void> {
  let isAsked = false;
  const credentials = defaultProvider({
    clientConfig: { region, ...clientSettings },
    mfaCodeProvider: (device) => {
      isAsked = true;
      return askForCode(device);
    },
  });
  try {
    const { accessKeyId, secretAccessKey, sessionToken = '' } = await credentials();
    if (!isAsked) return;
    Object.assign(process.env, {
      AWS_REGION: region, // may come from the profile
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: sessionToken,
    });
    delete process.env.AWS_PROFILE;
  } catch (error) {
    if (!isAsked) return;
    throw new CheckError(
      `AWS opened no session with the MFA code (${errorText(error)}).`,
      'Check the network, and run the command again with the next code of the device.',
    );
  }
}
