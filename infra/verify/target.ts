import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { serviceOfStack } from '../admin/stack.ts';
import { runningServices } from '../local/running-service.ts';

/** The variables that name a table: `LEADS_TABLE` and the AWS SDK's own. */
export type TableVariables = Readonly<Record<string, string>>;

/** What is verified. */
export interface Target {
  readonly baseUrl: string;
  readonly stack?: string;
  /** What the stack runs, as its outputs say. */
  readonly release?: string | undefined;
  readonly version?: string | undefined;
  /** Where the table is; undefined if it is not known, as for `--url` alone. */
  readonly variables?: TableVariables;
}

const loopbackHosts = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** What is wrong with a base URL, to follow the word "It"; undefined if nothing is. */
export function baseUrlIssue(text: string): string | undefined {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    return 'must be an address that begins with https://, or http:// for a service on this machine.';
  const { protocol, hostname, search, hash, username, password, pathname } = new URL(text);
  if (protocol === 'http:' && !loopbackHosts.has(hostname))
    return 'must begin with https://: an API key must not be sent over plain HTTP.';
  if (search || hash || username || password)
    return 'must be an address without a query, a fragment or a password.';
  if (/\/api(\/|$)/.test(pathname)) return 'must be the part of the address before /api/v1.';
  return undefined;
}

/**
 * The target of `--url`. Its table is the one that the environment names, or else that of the running local service.
 * @param folder of the local service's data
 */
export function targetOfUrl(url: string, environment: NodeJS.ProcessEnv, folder: string): Target {
  const baseUrl = url.replace(/\/+$/, '');
  if (environment.LEADS_TABLE) return { baseUrl, variables: tableVariablesIn(environment) };
  const running = runningServices(folder).find(
    (one) => originOf(one.baseUrl) === originOf(baseUrl),
  );
  return running ? { baseUrl, variables: running.environment } : { baseUrl };
}

/** Local addresses of one port are one service. */
function originOf(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  return `${protocol}//${loopbackHosts.has(hostname) ? 'localhost' : hostname}:${port}${pathname}`;
}

const tableVariablesIn = (environment: NodeJS.ProcessEnv): TableVariables =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && (name === 'LEADS_TABLE' || name.startsWith('AWS_'))
        ? [[name, value]]
        : [],
    ),
  );

/** The target of `--stack`: one call to CloudFormation. @throws CommandError */
export async function targetOfStack(stack: string): Promise<Target> {
  const { baseUrl, name, region, release, version } = await serviceOfStack(stack);
  return { baseUrl, stack, release, version, variables: { LEADS_TABLE: name, AWS_REGION: region } };
}

/** The client configuration that reaches the table: of a local engine all of it, of AWS only the region. */
export function clientConfigOf(variables: TableVariables): DynamoDBClientConfig {
  const { AWS_ENDPOINT_URL_DYNAMODB: endpoint, AWS_REGION: region } = variables;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = variables;
  const { AWS_SESSION_TOKEN: sessionToken } = variables;
  return {
    ...(endpoint && { endpoint }),
    ...(region && { region }),
    ...(accessKeyId &&
      secretAccessKey && {
        credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
      }),
  };
}
