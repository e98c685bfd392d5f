import { CloudFormationClient, type Stack } from '@aws-sdk/client-cloudformation';
import { clientSettings } from '../cli/aws.ts';
import { CheckError } from '../cli/command.ts';
import { productionEnvironment, type ServiceOptions } from '../stack/service-options.ts';
import { accountOf } from './identity.ts';
import { outputOf, stackNamed, stacksOf, stackThatCreated } from './stacks.ts';
import { assertNoTableLeft, assertOwner, checkTable, type RunCheck } from './table-checks.ts';

/** The account and region of a deployment. */
export interface DeploymentTarget {
  readonly account: string;
  readonly region: string;
}

export interface Preflight {
  /** What would make the deployment fail or lose data. */
  readonly failedChecks: readonly CheckError[];
  /** What could not be checked; it does not stop a deployment. */
  readonly unknown: readonly string[];
  /** Undefined if unknown. */
  readonly target?: DeploymentTarget;
  /** What the stack runs now; undefined if it does not say so, or there is no stack. */
  readonly releaseBefore?: string | undefined;
}

export interface PreflightOptions {
  readonly region: string | undefined;
  /** The stack to deploy. */
  readonly stackName: string;
  /** The options of the deployment. @default {} */
  readonly options?: Partial<ServiceOptions>;
  /** Whether the stack may create an empty table although it uses another one now. @default false */
  readonly allowsNewTable?: boolean;
  /** The qualifier of the CDK bootstrap, if it was changed (`@aws-cdk/core:bootstrapQualifier`). */
  readonly qualifier?: string;
}

/** The qualifier of `cdk bootstrap` without options, and the version that this project's CDK needs (aws-cdk-lib, DefaultStackSynthesizer). */
const defaultQualifier = 'hnb659fds';
const bootstrapVersionMin = 6;

/**
 * Checks what protects data, and what a deployment would fail with only after minutes. CloudFormation names everything else. Changes
 * nothing. A few read requests to AWS.
 */
export async function preflight(deployment: PreflightOptions): Promise<Preflight> {
  try {
    return await checkTarget(await targetOf(deployment), deployment);
  } catch (error) {
    if (!(error instanceof CheckError)) throw error;
    return { failedChecks: [error], unknown: [] };
  }
}

/** @throws CheckError for a deployment that cannot begin */
async function targetOf({
  region,
  options = {},
  allowsNewTable = false,
}: PreflightOptions): Promise<DeploymentTarget> {
  if (!region)
    throw new CheckError(
      'No region is set: the CDK would use us-east-1 without asking.',
      'export AWS_REGION=eu-central-1   (the region of your choice)',
    );
  const account = await accountOf(region);
  const { account: expected = account, environment = productionEnvironment, tableName } = options;
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

/** Checks what AWS says of the account, the stack and the table. */
async function checkTarget(
  target: DeploymentTarget,
  { stackName, options = {}, allowsNewTable, qualifier = defaultQualifier }: PreflightOptions,
): Promise<Preflight> {
  const { account, region } = target;
  const { tableName, environment = productionEnvironment } = options;
  const client = new CloudFormationClient({ region, ...clientSettings });
  const results = { failedChecks: [], unknown: [] };
  const run = collect(results);
  const stacks = stacksOf(client);
  let releaseBefore: string | undefined;
  await run(`The CDK bootstrap of ${account} in ${region}`, async () =>
    assertBootstrap(await stacks, target, qualifier),
  );
  await run(`The stack ${stackName}`, async () => {
    const own = await stackNamed(client, stackName);
    releaseBefore = outputOf(own, 'Release');
    if (tableName !== undefined || allowsNewTable) return;
    await assertOwnTable(client, own, environment);
    if (outputOf(own, 'TableName') === undefined)
      await assertNoTableLeft(region, stackName, environment);
  });
  if (tableName !== undefined) {
    await run(`The stack of the table ${tableName}`, async () =>
      assertOwner(client, await stacks, { stackName, tableName }),
    );
    await checkTable(run, region, { ...options, tableName });
  }
  client.destroy();
  return { ...results, target, releaseBefore };
}

function collect(results: { failedChecks: CheckError[]; unknown: string[] }): RunCheck {
  return async (subject, check) => {
    try {
      await check();
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      if (error instanceof CheckError) results.failedChecks.push(error);
      else results.unknown.push(`${subject} could not be checked (${name}: ${message}).`);
    }
  };
}

/** The stack of the bootstrap may have any name: its parameter and its output tell it. */
function assertBootstrap(
  stacks: readonly Stack[],
  { account, region }: DeploymentTarget,
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
  const option = qualifier === defaultQualifier ? '' : ` --qualifier ${qualifier}`;
  throw new CheckError(
    version === undefined
      ? `The CDK is not bootstrapped in account ${account}, region ${region}.`
      : `The CDK bootstrap stack in ${region} has version ${version}, but must have version ${bootstrapVersionMin} or later.`,
    `npx cdk bootstrap aws://${account}/${region}${option}`,
  );
}

/**
 * Refuses a deployment without `tableName` if the stack uses a table that it did not create: CloudFormation would create an empty one, and
 * every API key would be unknown.
 */
async function assertOwnTable(
  client: CloudFormationClient,
  stack: Stack | undefined,
  environment: string,
): Promise<void> {
  const tableName = outputOf(stack, 'TableName');
  if (tableName === undefined) return;
  if ((await stackThatCreated(client, tableName)) === stack?.StackName) return;
  throw new CheckError(
    `tableName: is not set, but the service uses the table ${tableName}: the deployment would create an empty table.`,
    `Set environments.${environment}.tableName to ${tableName} in cdk.json   (to begin with an empty table: npm run deploy -- --new-table)`,
  );
}
