import {
  type CloudFormationClient,
  DescribeStackResourcesCommand,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { outputOf } from './account-checks.ts';
import type { FailedCheck } from './failed-check.ts';

/**
 * Refuses a table that another stack created, or that another stack of the service uses: both services would change the same leads.
 * @param stacks of the region
 */
export async function failedOwnerChecks(
  client: CloudFormationClient,
  stacks: readonly Stack[],
  { stackName, tableName }: { readonly stackName: string; readonly tableName: string },
): Promise<FailedCheck[]> {
  const user = stacks.find(
    (stack) =>
      stack.StackName !== stackName &&
      // Of a service inside a stack, the name of the output begins with its ID.
      stack.Outputs?.some(
        ({ OutputKey, OutputValue }) =>
          OutputKey?.endsWith('TableName') && OutputValue === tableName,
      ),
  );
  const owner = user?.StackName ?? (await stackThatCreated(client, tableName));
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
  client: CloudFormationClient,
  stack: Stack | undefined,
  environment: string,
): Promise<FailedCheck[]> {
  const tableName = outputOf(stack, 'TableName');
  if (tableName === undefined) return [];
  if ((await stackThatCreated(client, tableName)) === stack?.StackName) return [];
  return [
    {
      issue: `tableName: is not set, but the service uses the table ${tableName}: the deployment would create an empty table.`,
      next: `Set environments.${environment}.tableName to ${tableName} in cdk.json   (to begin with an empty table: npm run deploy -- --new-table)`,
    },
  ];
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
    if (isMissingStack(error)) return undefined;
    throw error;
  }
}

/** CloudFormation has no error of its own for it. */
export const isMissingStack = (error: unknown): boolean =>
  error instanceof Error &&
  error.name === 'ValidationError' &&
  error.message.includes('does not exist');
