import {
  type CloudFormationClient,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
  paginateDescribeStacks,
  type Stack,
} from '@aws-sdk/client-cloudformation';

/** Every stack of the region. */
export async function stacksOf(client: CloudFormationClient): Promise<Stack[]> {
  const stacks: Stack[] = [];
  for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {}))
    stacks.push(...Stacks);
  return stacks;
}

/** Asked by its name: credentials may be limited to it. @returns undefined if there is no such stack */
export async function stackNamed(
  client: CloudFormationClient,
  StackName: string,
): Promise<Stack | undefined> {
  const found = client.send(new DescribeStacksCommand({ StackName }));
  return (await found.catch(unlessMissing))?.Stacks?.[0];
}

/** The stack of which the table is a resource. A table that a stack kept when it was deleted has none. */
export async function stackThatCreated(
  client: CloudFormationClient,
  tableName: string,
): Promise<string | undefined> {
  const found = client.send(new DescribeStackResourcesCommand({ PhysicalResourceId: tableName }));
  const { StackResources = [] } = (await found.catch(unlessMissing)) ?? {};
  // The answer has at most 100 resources of the stack: the table may not be among them.
  const table = StackResources.find(({ PhysicalResourceId }) => PhysicalResourceId === tableName);
  return table?.ResourceStatus?.startsWith('DELETE_') ? undefined : StackResources[0]?.StackName;
}

/** CloudFormation has no error of its own for a stack that does not exist. */
function unlessMissing(error: unknown): undefined {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (name !== 'ValidationError' || !message.includes('does not exist')) throw error;
}

export const outputOf = (stack: Stack | undefined, name: string): string | undefined =>
  stack?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
