import type { Stack } from '@aws-sdk/client-cloudformation';
import { awsFailure, clientSettings, endpointIn, isUnreachable } from './aws.ts';
import { CommandError } from './command.ts';

/** A deployed service. */
export interface ServiceLocation {
  /** The value of `--stack`. */
  readonly stack: string;
  /** The stack's name, without the ID of the service. */
  readonly stackName: string;
  readonly region: string;
  /** The table. */
  readonly name: string;
  /** The contract's `{base_url}`. */
  readonly baseUrl: string;
  /** The name of each endpoint's function. */
  readonly functions: ReadonlyMap<string, string>;
  /** What is deployed: the tag or commit, and the version with the commit (infra/stack/release.ts). */
  readonly release: string | undefined;
  readonly version: string | undefined;
}

/**
 * Finds a deployed service by the outputs of its stack: one call to CloudFormation.
 * @param stack `NAME`, or `NAME/ID` for one of several services of a stack
 * @param warn reports an address that is left over from a local run: the command would use other data than the user expects
 * @throws CommandError when there is no such service, or the stack has several
 */
export async function serviceOfStack(
  stack: string,
  warn: (sentence: string) => void,
): Promise<ServiceLocation> {
  // Imported only if --stack is given, because the package is large and nothing else uses it.
  const { CloudFormationClient, DescribeStacksCommand } = await import(
    '@aws-sdk/client-cloudformation'
  );
  // The ARN of a stack contains slashes.
  const [, stackName = stack, id] = /^(arn:.+|[^/]+)\/(\w+)$/.exec(stack) ?? [];
  const client = new CloudFormationClient(clientSettings);
  let region = '';
  try {
    region = await client.config.region();
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
    const service = locationOf({ stack, stackName, region }, id, Stacks[0]);
    const endpoint = endpointIn(process.env);
    if (endpoint)
      warn(
        `Warning: AWS_ENDPOINT_URL_DYNAMODB is set, so table ${service.name} of stack ${stack} is looked for at ${endpoint}, not in AWS.`,
      );
    return service;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(stackFailure(error, stackName, region), { cause: error });
  }
}

type Selected = Pick<ServiceLocation, 'stack' | 'stackName' | 'region'>;

/** @throws CommandError unless the stack has a single service, or one with the given ID */
function locationOf(
  selected: Selected,
  id: string | undefined,
  { Outputs = [], StackStatus }: Partial<Stack> = {},
): ServiceLocation {
  const values = new Map(
    Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
  );
  const ids = idsIn(values);
  const found = id === undefined && ids.length === 1 ? ids[0] : ids.find((one) => one === id);
  if (found === undefined)
    throw new CommandError(selectorIssue(selected, id, { ids, status: StackStatus ?? '' }));
  const value = (name: string): string | undefined => values.get(`${found}${name}`);
  return {
    ...selected,
    name: value('TableName') ?? '',
    baseUrl: value('BaseUrl') ?? '',
    functions: new Map(
      [...(value('Functions') ?? '').matchAll(/([\w-]+)=([\w-]+)/g)].map(
        ([, endpoint = '', functionName = '']) => [endpoint, functionName],
      ),
    ),
    release: value('Release'),
    version: value('Version'),
  };
}

/** The IDs of the services in a stack; an empty ID for a `LeadsStack`. Other outputs may have similar names, so two outputs must match. */
const idsIn = (outputs: ReadonlyMap<string, string>): string[] =>
  [...outputs.keys()].flatMap((key) => {
    const id = /^(.*)TableName$/.exec(key)?.[1];
    return id !== undefined && outputs.has(`${id}BaseUrl`) ? [id] : [];
  });

function selectorIssue(
  { stackName, region }: Selected,
  id: string | undefined,
  { ids, status }: { readonly ids: readonly string[]; readonly status: string },
): string {
  // "Stack output values aren't available when a stack status is in any of the IN_PROGRESS statuses" (CloudFormation user guide, "Outputs").
  if (ids.length === 0 && status.endsWith('IN_PROGRESS'))
    return `Stack ${stackName} is being changed (${status}), and CloudFormation may hide its outputs until the change is complete: run the command again afterwards.`;
  if (ids.length === 0)
    return `Stack ${stackName} in region ${region} has no outputs TableName and BaseUrl, so it is not a lead service: check --stack.`;
  const choices = ids.map((one) => (one === '' ? stackName : `${stackName}/${one}`)).join(' or ');
  return id === undefined
    ? `Stack ${stackName} has ${ids.length} lead services: name one with --stack ${choices}.`
    : `Stack ${stackName} has no lead service ${id}: did you mean --stack ${choices}?`;
}

function stackFailure(error: unknown, stackName: string, region: string): string {
  if (isUnreachable(error))
    return `CloudFormation cannot be reached in region ${region} to find stack ${stackName}: check the network and AWS_REGION.`;
  if (error instanceof Error && /does not exist/.test(error.message))
    return `There is no stack ${stackName} in region ${region}: check --stack, AWS_REGION and AWS_PROFILE.`;
  return awsFailure(error, process.env);
}
