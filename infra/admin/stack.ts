import type { Output } from '@aws-sdk/client-cloudformation';
import { rateLimitsIn, rateLimitVariables } from '../../shared/rate-limits.ts';
import { CommandError, type ServiceLocation } from './context.ts';
import { isUnreachable } from './failures.ts';

/**
 * Finds a deployed service by the outputs of its stack: one call to CloudFormation.
 * @param stack `NAME`, or `NAME/ID` for one of several services of a stack
 * @throws CommandError when there is no such service, or the stack has several
 */
export async function serviceOfStack(stack: string): Promise<ServiceLocation> {
  // Imported only for --stack: the package is large, and the service does not use it.
  const { CloudFormationClient, DescribeStacksCommand } = await import(
    '@aws-sdk/client-cloudformation'
  );
  // The ARN of a stack has slashes of its own.
  const [, stackName = stack, id] = /^(arn:.+|[^/]+)\/(\w+)$/.exec(stack) ?? [];
  const client = new CloudFormationClient({});
  try {
    const region = await client.config.region();
    const { Stacks = [] } = await client
      .send(new DescribeStacksCommand({ StackName: stackName }))
      .catch((error: unknown) => Promise.reject(stackError(error, stackName, region)));
    const { Outputs: outputs = [], StackStatus: status } = Stacks[0] ?? {};
    return locationOf({ stack, stackName, region, id, status }, outputs);
  } finally {
    client.destroy();
  }
}

interface Selector {
  readonly stack: string;
  readonly stackName: string;
  readonly region: string;
  readonly id: string | undefined;
  readonly status: string | undefined;
}

function locationOf(selector: Selector, outputs: readonly Output[]): ServiceLocation {
  const { stack, stackName, region, id } = selector;
  const values = new Map(
    outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
  );
  const ids = idsIn(values);
  const found = id === undefined && ids.length === 1 ? ids[0] : ids.find((one) => one === id);
  if (found === undefined) throw new CommandError(selectorIssue(selector, ids));
  const value = (name: string): string | undefined => values.get(`${found}${name}`);
  return {
    stack,
    stackName,
    name: value('TableName') ?? '',
    region,
    baseUrl: value('BaseUrl') ?? '',
    rateLimits: rateLimitsIn({
      [rateLimitVariables.requestsPerKeyPerWindow]: value('RequestsPerKeyPerHour'),
      [rateLimitVariables.requestsPerOrganizationPerWindow]: value(
        'RequestsPerOrganizationPerHour',
      ),
    }),
    functions: new Map(
      [...(value('Functions') ?? '').matchAll(/([\w-]+)=([\w-]+)/g)].map(
        ([, endpoint = '', functionName = '']) => [endpoint, functionName],
      ),
    ),
    release: value('Release'),
    version: value('Version'),
  };
}

/** The IDs of the services of a stack; that of a stack of its own is empty. Other outputs may have similar names, so it takes two. */
const idsIn = (outputs: ReadonlyMap<string, string>): string[] =>
  [...outputs.keys()].flatMap((key) => {
    const id = /^(.*)TableName$/.exec(key)?.[1];
    return id !== undefined && outputs.has(`${id}BaseUrl`) ? [id] : [];
  });

function selectorIssue(
  { stackName, region, id, status = '' }: Selector,
  ids: readonly string[],
): string {
  // "Stack output values aren't available when a stack status is in any of the IN_PROGRESS statuses" (CloudFormation user guide, "Outputs").
  if (ids.length === 0 && status.endsWith('IN_PROGRESS'))
    return `Stack ${stackName} is being changed (${status}), and CloudFormation may hide its outputs until then: run the command again after it.`;
  if (ids.length === 0)
    return `Stack ${stackName} in region ${region} has no outputs TableName and BaseUrl, so it is not a lead service: check --stack.`;
  const choices = ids.map((one) => (one === '' ? stackName : `${stackName}/${one}`)).join(' or ');
  return id === undefined
    ? `Stack ${stackName} has ${ids.length} lead services: name one with --stack ${choices}.`
    : `Stack ${stackName} has no lead service ${id}: did you mean --stack ${choices}?`;
}

/** Explains what a person can correct; returns any other error as it is. */
function stackError(error: unknown, stackName: string, region: string): unknown {
  if (isUnreachable(error)) {
    return new CommandError(
      `CloudFormation cannot be reached in region ${region} to find stack ${stackName}: check the network and AWS_REGION.`,
      { cause: error },
    );
  }
  if (!(error instanceof Error && /does not exist/.test(error.message))) return error;
  return new CommandError(
    `There is no stack ${stackName} in region ${region}: check --stack, AWS_REGION and AWS_PROFILE.`,
    {
      cause: error,
    },
  );
}

/**
 * The names of a stack's resources of one type: one request to CloudFormation per 100 resources.
 * @param region by default that of the environment or profile
 */
export async function namesInStack(
  stackName: string,
  resourceType: string,
  region?: string,
): Promise<string[]> {
  const { CloudFormationClient, paginateListStackResources } = await import(
    '@aws-sdk/client-cloudformation'
  );
  const client = new CloudFormationClient(region ? { region } : {});
  try {
    const names: string[] = [];
    for await (const { StackResourceSummaries = [] } of paginateListStackResources(
      { client },
      { StackName: stackName },
    )) {
      for (const { ResourceType: type, PhysicalResourceId: name } of StackResourceSummaries)
        if (type === resourceType && name) names.push(name);
    }
    return names;
  } finally {
    client.destroy();
  }
}
