import {
  type CloudFormationClient,
  DescribeStackResourcesCommand,
  paginateDescribeStacks,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { namesInStack } from '../admin/stack.ts';
import type { FailedCheck } from './failed-check.ts';
import { outputOf } from './stack-checks.ts';

/** The table that a stack of the service uses; undefined if it has none yet. */
export const tableInUse = (stack: Stack | undefined): string | undefined =>
  outputOf(stack, 'TableName');

/**
 * Refuses a table that another stack created, or that another stack of the service uses: both services would change the same leads.
 * One request per page of stacks, and one for the table.
 */
export async function failedOwnerChecks(
  client: CloudFormationClient,
  { stackName, tableName }: { readonly stackName: string; readonly tableName: string },
): Promise<FailedCheck[]> {
  const owner =
    (await otherStackWith(client, tableName, stackName)) ??
    (await stackThatCreated(client, tableName));
  if (owner === undefined || owner === stackName) return [];
  return [
    {
      issue: `tableName: the table ${tableName} belongs to the stack ${owner}: both stacks would change the same leads.`,
      next: `Set tableName to a table that no other stack uses, or remove it   (aws cloudformation describe-stacks --stack-name ${owner})`,
    },
  ];
}

/**
 * Refuses a deployment without `tableName` if the stack uses a table that it did not create: CloudFormation would create an empty one, and
 * every API key would be unknown.
 */
export async function failedForgottenTableChecks(
  stack: Stack | undefined,
  environment: string,
  region: string,
): Promise<FailedCheck[]> {
  const tableName = tableInUse(stack);
  if (tableName === undefined) return [];
  const created = await namesInStack(stack?.StackName ?? '', 'AWS::DynamoDB::Table', region);
  if (created.includes(tableName)) return [];
  return [
    {
      issue: `tableName: is not set, but the service uses the table ${tableName}: the deployment would create an empty table.`,
      next: `Set environments.${environment}.tableName to ${tableName} in cdk.json   (to begin with an empty table: npm run deploy -- --new-table)`,
    },
  ];
}

/** @returns the first stack besides `stackName` that has the table as an output */
async function otherStackWith(
  client: CloudFormationClient,
  tableName: string,
  stackName: string,
): Promise<string | undefined> {
  for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {})) {
    const user = Stacks.find(
      (stack) =>
        stack.StackName !== stackName &&
        // Of a service inside a stack, the name of the output begins with its ID.
        stack.Outputs?.some(
          ({ OutputKey, OutputValue }) =>
            OutputKey?.endsWith('TableName') && OutputValue === tableName,
        ),
    );
    if (user) return user.StackName;
  }
  return undefined;
}

/** The stack of which the table is a resource. A table that a stack kept when it was deleted has none. */
async function stackThatCreated(
  client: CloudFormationClient,
  tableName: string,
): Promise<string | undefined> {
  try {
    const { StackResources = [] } = await client.send(
      new DescribeStackResourcesCommand({ PhysicalResourceId: tableName }),
    );
    // The answer has at most 100 resources of the stack: the table may not be among them.
    const table = StackResources.find(({ PhysicalResourceId }) => PhysicalResourceId === tableName);
    return table?.ResourceStatus?.startsWith('DELETE_') ? undefined : StackResources[0]?.StackName;
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'ValidationError' && message.includes('does not exist')) return undefined;
    throw error;
  }
}
