/** Why there are no credentials, and the command that helps. */
export interface CredentialIssue {
  readonly issue: string;
  readonly next: string;
}

/**
 * Explains why the AWS SDK got no credentials from a profile, in its own words.
 * @returns undefined for any other error, and if there are neither credentials nor a profile
 */
export function credentialIssue(
  error: unknown,
  { AWS_PROFILE: named }: NodeJS.ProcessEnv,
): CredentialIssue | undefined {
  const { name, message } = error instanceof Error ? error : new Error();
  if (!['CredentialsProviderError', 'TokenProviderError'].includes(name)) return undefined;
  const profile = named ?? 'default';
  const next = `aws configure list --profile ${profile}`;
  if (message.startsWith('Could not load credentials from any providers'))
    return named === undefined
      ? undefined
      : {
          issue: `The AWS profile ${profile} has no credentials, or there is no such profile.`,
          next,
        };
  const issue = `The AWS profile ${profile} gives no credentials: ${message}`;
  if (message.includes('aws sso login'))
    return { issue, next: `aws sso login --profile ${profile}` };
  if (message.includes('multi-factor'))
    // The AWS CLI asks for the code.
    return {
      issue,
      next: `eval "$(aws configure export-credentials --profile ${profile} --format env)" && unset AWS_PROFILE`,
    };
  return { issue, next };
}
