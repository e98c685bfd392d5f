import { userInfo } from 'node:os';
import {
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { CheckError } from './command.ts';
import { asError, errorCode } from './error-code.ts';

/**
 * Settings of a command's AWS clients. The time-outs are longer than a function's: no caller waits, so a slow page or a throttled table
 * gets more time. HTTPS_PROXY applies, as it does for the CDK; the SDK's default agent ignores it.
 */
export const clientSettings = {
  maxAttempts: 5,
  requestHandler: {
    connectionTimeout: 3000,
    requestTimeout: 30_000,
    throwOnRequestTimeout: true,
    socketTimeout: 30_000,
    httpsAgent: { proxyEnv: process.env },
  },
};

/** The address of a DynamoDB other than AWS's, if the environment names one. */
export const endpointIn = (environment: NodeJS.ProcessEnv): string | undefined =>
  environment.AWS_ENDPOINT_URL_DYNAMODB || environment.AWS_ENDPOINT_URL || undefined;

/** Whether an address is on this machine. */
export const isLoopback = (address: string): boolean =>
  URL.canParse(address) &&
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(address).hostname);

/** Makes this process use a local service's table. Removes the AWS profile, which the SDK would prefer to that service's keys. */
export function useLocalTable(variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables);
  delete process.env.AWS_PROFILE;
}

/** @returns undefined if there is no such table */
export async function describedTable(
  client: Pick<DynamoDBClient, 'send'>,
  TableName: string,
): Promise<TableDescription | undefined> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    return Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/**
 * Explains why the AWS SDK got no credentials from a profile, in the SDK's words.
 * @returns undefined for any other error, or if there is no profile
 */
export function credentialIssue(
  error: unknown,
  { AWS_PROFILE: named }: NodeJS.ProcessEnv,
): CheckError | undefined {
  const { name, message } = asError(error);
  if (!['CredentialsProviderError', 'TokenProviderError'].includes(name)) return undefined;
  const profile = named ?? 'default';
  const list = `aws configure list --profile ${profile}`;
  if (message.startsWith('Could not load credentials from any providers'))
    return named === undefined
      ? undefined
      : new CheckError(
          `The AWS profile ${profile} has no credentials, or there is no such profile.`,
          list,
        );
  // With this command, the AWS CLI asks for the MFA code.
  const session = `aws configure export-credentials --profile ${profile} --format env`;
  const next = message.includes('aws sso login')
    ? `aws sso login --profile ${profile}`
    : message.includes('multi-factor')
      ? `eval "$(${session})" && unset AWS_PROFILE`
      : list;
  return new CheckError(`The AWS profile ${profile} gives no credentials: ${message}`, next);
}

/** Whether no server responded at an address. */
export const isUnreachable = (error: unknown): boolean =>
  /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EAI_AGAIN)$/.test(
    errorCode(error) ?? '',
  ) ||
  (error instanceof Error && error.name === 'TimeoutError');

/**
 * Explains an error of the AWS SDK in one sentence that a person can act on.
 * @param environment names the table and the place where the SDK looked for it
 */
export function awsFailure(error: unknown, environment: NodeJS.ProcessEnv): string {
  const { name, message } = asError(error);
  const { LEADS_TABLE: table, AWS_REGION, AWS_DEFAULT_REGION } = environment;
  const region = AWS_REGION ?? AWS_DEFAULT_REGION ?? 'of your AWS profile';
  const where = endpointIn(environment) ?? `region ${region}`;
  // A command aborts a write that takes too long, because its settings may be outdated by then.
  if (name === 'AbortError')
    return `DynamoDB did not respond in time at ${where}: run the command again, which continues where it stopped.`;
  if (name === 'TimeoutError')
    return `DynamoDB does not answer at ${where}: check that it runs, or AWS Health, then run the command again.`;
  if (isUnreachable(error))
    return `DynamoDB cannot be reached at ${where}: is the service running, and does AWS_ENDPOINT_URL_DYNAMODB have the value that it printed?`;
  if (name === 'ResourceNotFoundException')
    return `There is no table ${table} at ${where}: check LEADS_TABLE, AWS_REGION and AWS_ENDPOINT_URL_DYNAMODB.`;
  const credentials = credentialIssue(error, environment);
  if (credentials) return `${oneLine(credentials.message)} Next: ${credentials.next}`;
  if (name === 'CredentialsProviderError')
    return 'AWS credentials are missing: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.';
  if (/^Region (is missing|not accepted)/.test(message))
    return 'AWS_REGION is not set to a region: set it to the region of the table, such as ap-south-1.';
  if (
    /^(UnrecognizedClient|InvalidSignature|ExpiredToken)Exception$|^InvalidClientTokenId$/.test(
      name,
    )
  )
    return `AWS does not accept the credentials (${name}): renew them, or check AWS_PROFILE.`;
  if (name === 'AccessDeniedException')
    return `The credentials do not allow this on table ${table}: ${oneLine(message)}`;
  return `${name}: ${oneLine(message)}`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/**
 * Who runs a command: the AWS identity of the credentials, such as an assumed role. For a local table, or if AWS names no identity, it is
 * the user of this machine.
 */
export async function callerIdentity(
  environment: NodeJS.ProcessEnv,
  region: string | undefined,
): Promise<string> {
  const isLocal = region === undefined && endpointIn(environment) !== undefined;
  return (isLocal ? undefined : await awsIdentity(region)) ?? `user ${userName(environment)}`;
}

async function awsIdentity(region: string | undefined): Promise<string | undefined> {
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const timeouts = { connectionTimeout: 2000, requestTimeout: 3000 };
  const requestHandler = { ...clientSettings.requestHandler, ...timeouts };
  const client = new STSClient({ ...(region && { region }), maxAttempts: 2, requestHandler });
  try {
    return (await client.send(new GetCallerIdentityCommand({}))).Arn;
  } catch {
    return undefined; // The command runs anyway: the audit log then has the user of this machine.
  }
}

function userName(environment: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username;
  } catch {
    return environment.USER ?? 'unknown'; // A container's user may have no name.
  }
}
