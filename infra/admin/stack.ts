import { type RateLimits, rateLimitsIn, rateLimitVariables } from '../../shared/rate-limits.ts';
import { CommandError } from './context.ts';
import { isUnreachable } from './failures.ts';

/** Where a deployed table is. */
export interface TableLocation {
  readonly name: string;
  readonly region: string;
  /** The contract's `{base_url}`, as the stack says it. */
  readonly baseUrl: string | undefined;
  /** The hourly limits, as far as the stack says them: earlier versions do not. */
  readonly rateLimits: Partial<RateLimits>;
}

/** Finds the table of a deployed stack by its outputs: one call to CloudFormation. @throws CommandError when there is no such table */
export async function tableOfStack(stackName: string): Promise<TableLocation> {
  // Imported only for --stack: the package is large, and the service does not use it.
  const { CloudFormationClient, DescribeStacksCommand } = await import(
    '@aws-sdk/client-cloudformation'
  );
  const client = new CloudFormationClient({});
  try {
    const region = await client.config.region();
    const { Stacks = [] } = await client
      .send(new DescribeStacksCommand({ StackName: stackName }))
      .catch((error: unknown) => Promise.reject(stackError(error, stackName, region)));
    const outputs = Stacks[0]?.Outputs ?? [];
    const output = (key: string): string | undefined =>
      outputs.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
    const name = output('TableName');
    if (!name) {
      throw new CommandError(
        `Stack ${stackName} in region ${region} has no output TableName, so it is not a lead service: check --stack.`,
      );
    }
    const rateLimits = rateLimitsIn({
      [rateLimitVariables.requestsPerKeyPerWindow]: output('RequestsPerKeyPerHour'),
      [rateLimitVariables.requestsPerOrganizationPerWindow]: output(
        'RequestsPerOrganizationPerHour',
      ),
    });
    return { name, region, baseUrl: output('BaseUrl'), rateLimits };
  } finally {
    client.destroy();
  }
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
