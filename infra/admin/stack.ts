import { CommandError } from './context.ts';
import { isUnreachable } from './failures.ts';

/** Where a deployed table is. */
export interface TableLocation {
  readonly name: string;
  readonly region: string;
}

/** Finds the table of a deployed stack by its outputs: one call of CloudFormation. @throws CommandRefused when there is none */
export async function tableOfStack(stackName: string): Promise<TableLocation> {
  // Loaded by those who name a stack alone: it is large, and no part of the service.
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const client = new CloudFormationClient({});
  try {
    const region = await client.config.region();
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stackName })).catch((error: Error) => {
      const cause = { cause: error };
      if (isUnreachable(error)) {
        throw new CommandError(
          `CloudFormation cannot be reached in region ${region} to find stack ${stackName}: check the network and AWS_REGION.`,
          cause,
        );
      }
      if (!/does not exist/.test(error.message)) throw error;
      throw new CommandError(
        `There is no stack ${stackName} in region ${region}: check --stack, AWS_REGION and AWS_PROFILE.`,
        cause,
      );
    });
    const name = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'TableName')?.OutputValue;
    if (!name) {
      throw new CommandError(
        `Stack ${stackName} in region ${region} has no output TableName, which a deployed lead service has: check --stack.`,
      );
    }
    return { name, region };
  } finally {
    client.destroy();
  }
}
