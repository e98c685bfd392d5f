import {
  GetAliasCommand,
  type LambdaClient,
  paginateListVersionsByFunction,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda';
import { CommandError } from '../admin/context.ts';
import { functionsOfStack } from '../admin/stack-functions.ts';

/** The alias that the API calls (endpoint-function.ts). */
const alias = 'live';

/** A function whose alias goes back to the version before. */
export interface Step {
  readonly endpoint: string;
  readonly functionName: string;
  readonly from: number;
  readonly to: number;
}

/**
 * What `npm run deploy -- --back` does: for each function of the stack, the version before the one that the API calls now. A function that
 * has no earlier version keeps its own.
 * @throws CommandError while CodeDeploy moves an alias, and when no function has an earlier version
 */
export async function stepsBack(stackName: string, lambda: LambdaClient): Promise<Step[]> {
  const steps: Step[] = [];
  for (const { endpoint, functionName } of await functionsOfStack(stackName, lambda)) {
    const { FunctionVersion: version, RoutingConfig: routing } = await lambda.send(
      new GetAliasCommand({ FunctionName: functionName, Name: alias }),
    );
    if (Object.keys(routing?.AdditionalVersionWeights ?? {}).length > 0) {
      throw new CommandError(
        `A release of ${functionName} is under way. Stop it, which rolls it back: aws deploy stop-deployment --auto-rollback-enabled --deployment-id ID   (aws deploy list-deployments --include-only-statuses InProgress shows the ID)`,
      );
    }
    const from = Number(version);
    const to = Math.max(...(await versionsOf(functionName, lambda)).filter((one) => one < from));
    if (Number.isFinite(to)) steps.push({ endpoint: endpoint.name, functionName, from, to });
  }
  if (steps.length === 0)
    throw new CommandError(`No function of stack ${stackName} has an earlier version.`);
  return steps;
}

/** Moves one alias. @throws CommandError when Lambda refuses: the functions before stay where they are now */
export async function goBack({ functionName, to }: Step, lambda: LambdaClient): Promise<void> {
  try {
    await lambda.send(
      new UpdateAliasCommand({
        FunctionName: functionName,
        Name: alias,
        FunctionVersion: String(to),
        RoutingConfig: { AdditionalVersionWeights: {} },
      }),
    );
  } catch (error) {
    const { name, message } = error as Error;
    throw new CommandError(
      `Lambda did not return ${functionName} to version ${to} (${name}: ${message}). To move this one by hand: aws lambda update-alias --function-name ${functionName} --name ${alias} --function-version ${to}`,
      { cause: error },
    );
  }
}

async function versionsOf(functionName: string, client: LambdaClient): Promise<number[]> {
  const versions: number[] = [];
  for await (const { Versions = [] } of paginateListVersionsByFunction(
    { client },
    { FunctionName: functionName },
  )) {
    for (const { Version: version } of Versions)
      if (version !== undefined && version !== '$LATEST') versions.push(Number(version));
  }
  return versions;
}
