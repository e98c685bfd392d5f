import { userInfo } from 'node:os';
import { clientSettings, endpointIn } from '../cli/aws.ts';

/**
 * Who runs a command: the AWS identity of the credentials, such as an assumed role. On a local table, or when AWS does not name an
 * identity, the user of this machine.
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
    return environment.USER ?? 'unknown'; // The user of a container may have no name.
  }
}
