import { SettingsFileError } from '../../shared/organization/settings.ts';
import { RestoreError } from '../../shared/store/maintenance/restore/restore-origin.ts';
import { ApiKeyError } from '../../shared/store/organizations/api-keys.ts';
import { SettingsRejectedError } from '../../shared/store/organizations/apply-settings.ts';
import { ContentionError } from '../../shared/store/table/retry.ts';
import { ThrottledError, UnknownOutcomeError } from '../../shared/store/table/transact.ts';
import { endpointIn } from '../cli/aws.ts';
import { credentialIssue } from '../cli/credential-issue.ts';
import { errorCode } from '../cli/error-code.ts';
import { CommandError } from './context.ts';

const unreachableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EAI_AGAIN',
]);
const refusedCredentials = new Set([
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'ExpiredTokenException',
  'InvalidClientTokenId',
]);

/** Whether no server responded at an address. */
export const isUnreachable = (error: unknown): boolean =>
  unreachableCodes.has(errorCode(error) ?? '') ||
  (error instanceof Error && error.name === 'TimeoutError');

/**
 * Explains a failure in one sentence that a person can act on. A refused settings file has one more line per issue. Never a stack trace.
 * @param environment names the table and where it was looked for
 */
export function failureLines(error: unknown, environment: NodeJS.ProcessEnv): string[] {
  if (error instanceof SettingsFileError || error instanceof SettingsRejectedError) {
    return [error.message, ...error.issues.map(({ path, message }) => `  ${path} ${message}`)];
  }
  if (
    error instanceof CommandError ||
    error instanceof ApiKeyError ||
    error instanceof RestoreError
  )
    return [error.message];
  if (error instanceof ContentionError)
    return ['Other requests kept changing the same items: run the command again in a moment.'];
  if (error instanceof ThrottledError)
    return ['DynamoDB throttles the table: run the command again in a few minutes.'];
  if (error instanceof UnknownOutcomeError)
    return [
      'The last write may have been carried out: DynamoDB did not answer it, and throttles the table, or other requests are in the way, or the settings have changed since. Look whether it was, and run the command again in a few minutes.',
    ];
  return [awsFailure(error, environment)];
}

/** Explains an error of the AWS SDK. */
function awsFailure(error: unknown, environment: NodeJS.ProcessEnv): string {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const where =
    endpointIn(environment) ??
    `region ${environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION ?? 'of your AWS profile'}`;
  // A command gives up a write that takes too long, because its settings may be outdated by then.
  if (name === 'AbortError')
    return `DynamoDB did not respond in time at ${where}: run the command again, which continues where it stopped.`;
  if (name === 'TimeoutError')
    return `DynamoDB does not answer at ${where}: check that it runs, or AWS Health, then run the command again.`;
  if (isUnreachable(error)) {
    return `DynamoDB cannot be reached at ${where}: is the service running, and does AWS_ENDPOINT_URL_DYNAMODB have the value that it printed?`;
  }
  if (name === 'ResourceNotFoundException') {
    return `There is no table ${environment.LEADS_TABLE} at ${where}: check LEADS_TABLE, AWS_REGION and AWS_ENDPOINT_URL_DYNAMODB.`;
  }
  const credentials = credentialIssue(error, environment);
  if (credentials) return `${oneLine(credentials.issue)} Next: ${credentials.next}`;
  if (name === 'CredentialsProviderError') {
    return 'AWS credentials are missing: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.';
  }
  if (/^Region (is missing|not accepted)/.test(message)) {
    return 'AWS_REGION is not set to a region: set it to the region of the table, such as ap-south-1.';
  }
  if (refusedCredentials.has(name))
    return `AWS does not accept the credentials (${name}): renew them, or check AWS_PROFILE.`;
  if (name === 'AccessDeniedException') {
    return `The credentials do not allow this on table ${environment.LEADS_TABLE}: ${oneLine(message)}`;
  }
  return `${name}: ${oneLine(message)}`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
