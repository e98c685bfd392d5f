import { userInfo } from 'node:os';

/**
 * Who runs a command: the AWS identity that its credentials stand for; where nobody can tell, as on a local table, the user of this
 * machine.
 */
export async function callerIdentity(environment: NodeJS.ProcessEnv, region: string | undefined): Promise<string> {
  const isLocal = region === undefined && (environment.AWS_ENDPOINT_URL_DYNAMODB ?? environment.AWS_ENDPOINT_URL) !== undefined;
  return (isLocal ? undefined : await awsIdentity(region)) ?? `user ${userName(environment)}`;
}

async function awsIdentity(region: string | undefined): Promise<string | undefined> {
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const requestHandler = { connectionTimeout: 2000, requestTimeout: 3000, throwOnRequestTimeout: true };
  const client = new STSClient({ ...(region && { region }), maxAttempts: 2, requestHandler });
  try {
    return (await client.send(new GetCallerIdentityCommand({}))).Arn;
  } catch {
    return undefined; // a command is not refused because nobody can say who gave it
  } finally {
    client.destroy();
  }
}

function userName(environment: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username;
  } catch {
    return environment.USER ?? 'unknown'; // a container's user may have no name
  }
}
