import {
  CloudFormationClient,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
  paginateDescribeStacks,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { DefaultStackSynthesizer } from 'aws-cdk-lib';
import { clientSettings } from '../cli/aws.ts';
import { CheckError } from '../cli/command.ts';
import { asError, errorText } from '../cli/error-code.ts';
import type { ServiceOptions } from '../stack/service-options.ts';
import { accountOf } from './identity.ts';
import { assertNoTableLeft, checkTable, type RunCheck, setTableName } from './table-checks.ts';

export interface Deployment {
  readonly region: string | undefined;
  readonly options: ServiceOptions;
  /** Whether the stack may create an empty table although it uses another table now. */
  readonly allowsNewTable: boolean;
  /** The qualifier of the CDK bootstrap. */
  readonly qualifier: string;
}

export interface Preflight {
  /** The problems that would make the deployment fail or lose data. */
  readonly failedChecks: readonly CheckError[];
  /** Sentences about subjects that could not be checked. They do not stop a deployment. */
  readonly unknown: readonly string[];
  readonly target: { readonly account: string; readonly region: string };
  /** The release that the stack runs now; undefined if it names none, or if there is no stack. */
  readonly releaseBefore: string | undefined;
}

/**
 * Checks whatever protects data, and problems that CloudFormation would report only after minutes. CloudFormation names all other problems.
 * Changes nothing. Sends a few read requests to AWS.
 * @throws CheckError for a deployment that cannot begin
 */
export async function preflight(deployment: Deployment): Promise<Preflight> {
  const target = await targetOf(deployment);
  const { options, allowsNewTable, qualifier } = deployment;
  const { serviceName: stackName, tableName } = options;
  const client = new CloudFormationClient({ region: target.region, ...clientSettings });
  const failedChecks: CheckError[] = [];
  const unknown: string[] = [];
  const run: RunCheck = async (subject, check) => {
    try {
      return await check();
    } catch (error) {
      if (error instanceof CheckError) failedChecks.push(error);
      else unknown.push(`${subject} could not be checked (${errorText(error)}).`);
      return undefined;
    }
  };
  const stacks = stacksOf(client);
  await run(`The CDK bootstrap of ${target.account} in ${target.region}`, async () =>
    assertBootstrap(await stacks, target, qualifier),
  );
  let releaseBefore: string | undefined;
  await run(`The stack ${stackName}`, async () => {
    const own = await stackNamed(client, stackName);
    releaseBefore = outputOf(own, 'Release');
    if (tableName === undefined && !allowsNewTable)
      await assertOwnTable(client, own, target.region, options);
  });
  if (tableName !== undefined) {
    await run(`The stack of the table ${tableName}`, async () =>
      assertOwner(client, await stacks, stackName, tableName),
    );
    await checkTable(run, target.region, tableName, options);
  }
  return { failedChecks, unknown, target, releaseBefore };
}

/** @throws CheckError */
async function targetOf({
  region,
  options,
  allowsNewTable,
}: Deployment): Promise<Preflight['target']> {
  if (!region)
    throw new CheckError(
      'No region is set: the CDK would use us-east-1 without asking.',
      'export AWS_REGION=eu-central-1   (the region of your choice)',
    );
  const account = await accountOf(region);
  const { account: expected = account, environment, tableName } = options;
  if (account !== expected)
    throw new CheckError(
      `The credentials are of account ${account}, but the environment ${environment} belongs to account ${expected}.`,
      `export AWS_PROFILE=NAME   (a profile of account ${expected}; or correct the option account)`,
    );
  if (allowsNewTable && tableName !== undefined)
    throw new CheckError(
      `--new-table: tableName is set, so the service would use the table ${tableName}.`,
      'Remove tableName to begin with an empty table, or run the command without --new-table',
    );
  return { account, region };
}

/** All stacks of the region. */
async function stacksOf(client: CloudFormationClient): Promise<Stack[]> {
  const stacks: Stack[] = [];
  for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {}))
    stacks.push(...Stacks);
  return stacks;
}

/** Finds a stack by its name, because the credentials may be limited to it. @returns undefined if there is no such stack */
async function stackNamed(
  client: CloudFormationClient,
  StackName: string,
): Promise<Stack | undefined> {
  const found = client.send(new DescribeStacksCommand({ StackName }));
  return (await found.catch(unlessMissing))?.Stacks?.[0];
}

/** The stack that created the table; undefined if that stack was deleted and left the table. */
async function stackThatCreated(
  client: CloudFormationClient,
  tableName: string,
): Promise<string | undefined> {
  const found = client.send(new DescribeStackResourcesCommand({ PhysicalResourceId: tableName }));
  const { StackResources = [] } = (await found.catch(unlessMissing)) ?? {};
  // The answer lists at most 100 resources of the stack, so the table may be missing.
  const table = StackResources.find(({ PhysicalResourceId }) => PhysicalResourceId === tableName);
  return table?.ResourceStatus?.startsWith('DELETE_') ? undefined : StackResources[0]?.StackName;
}

/** CloudFormation has no separate error for a stack that does not exist. */
function unlessMissing(error: unknown): undefined {
  const { name, message } = asError(error);
  if (name !== 'ValidationError' || !message.includes('does not exist')) throw error;
}

const outputOf = (stack: Stack | undefined, name: string): string | undefined =>
  stack?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;

/** The bootstrap version that this project's CDK needs (aws-cdk-lib, DefaultStackSynthesizer). */
const bootstrapVersionMin = 6;

/** The bootstrap stack may have any name: its parameter and its output identify it. */
function assertBootstrap(
  stacks: readonly Stack[],
  { account, region }: Preflight['target'],
  qualifier: string,
): void {
  const bootstrap = stacks.find(({ Parameters }) =>
    Parameters?.some(
      ({ ParameterKey, ParameterValue }) =>
        ParameterKey === 'Qualifier' && ParameterValue === qualifier,
    ),
  );
  const version = outputOf(bootstrap, 'BootstrapVersion');
  if (Number(version) >= bootstrapVersionMin) return;
  const option =
    qualifier === DefaultStackSynthesizer.DEFAULT_QUALIFIER ? '' : ` --qualifier ${qualifier}`;
  throw new CheckError(
    version === undefined
      ? `The CDK is not bootstrapped in account ${account}, region ${region}.`
      : `The CDK bootstrap stack in ${region} has version ${version}, but must have version ${bootstrapVersionMin} or later.`,
    `npx cdk bootstrap aws://${account}/${region}${option}`,
  );
}

/**
 * Refuses a deployment without `tableName` if the stack uses a table that it did not create, or if an earlier stack of its name left one.
 * CloudFormation would create an empty table, and every API key would be unknown.
 */
async function assertOwnTable(
  client: CloudFormationClient,
  stack: Stack | undefined,
  region: string,
  options: ServiceOptions,
): Promise<void> {
  const tableName = outputOf(stack, 'TableName');
  if (tableName === undefined) return assertNoTableLeft(region, options);
  if ((await stackThatCreated(client, tableName)) === stack?.StackName) return;
  throw new CheckError(
    `tableName: is not set, but the service uses the table ${tableName}: the deployment would create an empty table.`,
    setTableName(tableName, options.environment),
  );
}

/**
 * Refuses a table that another stack created, or that another service's stack uses: both services would change the same leads.
 * @param stacks all stacks of the region
 */
async function assertOwner(
  client: CloudFormationClient,
  stacks: readonly Stack[],
  stackName: string,
  tableName: string,
): Promise<void> {
  const user = stacks.find(
    (stack) =>
      stack.StackName !== stackName &&
      // For a service inside a stack, the output's name begins with the service's ID.
      stack.Outputs?.some(
        ({ OutputKey, OutputValue }) =>
          OutputKey?.endsWith('TableName') && OutputValue === tableName,
      ),
  );
  const owner = user?.StackName ?? (await stackThatCreated(client, tableName));
  if (owner === undefined || owner === stackName) return;
  throw new CheckError(
    `tableName: the table ${tableName} belongs to the stack ${owner}: both stacks would change the same leads.`,
    `Set tableName to a table that no other stack uses, or remove it   (aws cloudformation describe-stacks --stack-name ${owner})`,
  );
}
