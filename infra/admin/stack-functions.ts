import type { LambdaClient } from '@aws-sdk/client-lambda';
import { type Endpoint, endpoints } from '../../shared/endpoints.ts';
import { CommandError } from './context.ts';

/** A function of a deployed stack that serves an endpoint. */
export interface StackFunction {
  readonly endpoint: Endpoint;
  readonly functionName: string;
}

/**
 * Finds the functions of a stack that serve endpoints, by the descriptions that the stack gives them (`POST /api/v1/leads`). One request to
 * CloudFormation per 100 resources, and one to Lambda per function.
 * @throws CommandError when the stack has none
 */
export async function functionsOfStack(
  stackName: string,
  lambda: LambdaClient,
): Promise<StackFunction[]> {
  const { GetFunctionConfigurationCommand } = await import('@aws-sdk/client-lambda');
  const found: StackFunction[] = [];
  for (const functionName of await namesInStack(stackName, 'AWS::Lambda::Function')) {
    const { Description: description } = await lambda.send(
      new GetFunctionConfigurationCommand({ FunctionName: functionName }),
    );
    const endpoint = endpoints.find(({ method, path }) => `${method} ${path}` === description);
    if (endpoint) found.push({ endpoint, functionName });
  }
  if (found.length === 0)
    throw new CommandError(
      `Stack ${stackName} has no function that serves an endpoint: check --stack.`,
    );
  return found;
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
