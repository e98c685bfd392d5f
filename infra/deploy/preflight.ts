import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateDescribeStacks,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { clientTimeouts } from '../cli/aws.ts';
import { productionEnvironment, type ServiceOptions } from '../stack/service-options.ts';
import {
  type DeploymentTarget,
  defaultQualifier,
  failedBootstrapChecks,
  failedLogRoleChecks,
  outputOf,
} from './account-checks.ts';
import { attemptCheck, type CheckResult, type FailedCheck } from './failed-check.ts';
import { accountOf } from './identity.ts';
import { checkTable } from './table-checks.ts';
import { failedForgottenTableChecks, failedOwnerChecks, isMissingStack } from './table-owner.ts';

export interface Preflight extends CheckResult {
  /** The account and region of the deployment; undefined if unknown. */
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
  /** Of the CDK bootstrap, if it was changed (`@aws-cdk/core:bootstrapQualifier`). */
  readonly qualifier?: string;
}

/**
 * Checks what protects data, and what a deployment would fail with only after minutes. CloudFormation names everything else. Changes
 * nothing. A few read requests to AWS.
 */
export async function preflight(deployment: PreflightOptions): Promise<Preflight> {
  const { region, options = {}, allowsNewTable = false } = deployment;
  if (!region)
    return refused({
      issue: 'No region is set: the CDK would use us-east-1 without asking.',
      next: 'export AWS_REGION=eu-central-1   (the region of your choice)',
    });
  const account = await accountOf(region);
  if (typeof account !== 'string') return refused(account);
  const { account: expected = account, environment = productionEnvironment, tableName } = options;
  if (account !== expected)
    return refused({
      issue: `The credentials are of account ${account}, but the environment ${environment} belongs to account ${expected}.`,
      next: `export AWS_PROFILE=NAME   (a profile of account ${expected}; or correct the option account)`,
    });
  if (allowsNewTable && tableName !== undefined)
    return refused({
      issue: `--new-table: tableName is set, so the service would use the table ${tableName}.`,
      next: 'Remove tableName to begin with an empty table, or run the command without --new-table',
    });
  return checkTarget({ account, region }, deployment);
}

const refused = (check: FailedCheck): Preflight => ({ failedChecks: [check], unknown: [] });

/** Checks what AWS says of the account, the stack and the table. */
async function checkTarget(
  target: DeploymentTarget,
  { stackName, options = {}, allowsNewTable, qualifier = defaultQualifier }: PreflightOptions,
): Promise<Preflight> {
  const { account, region } = target;
  const { tableName, environment = productionEnvironment, accessLogs } = options;
  const client = new CloudFormationClient({ region, ...clientTimeouts });
  const stacks = stacksOf(client);
  let releaseBefore: string | undefined;
  const checks = [
    attemptCheck(`The CDK bootstrap of ${account} in ${region}`, async () =>
      failedBootstrapChecks(await stacks, target, qualifier),
    ),
    attemptCheck(`The stack ${stackName}`, async () => {
      const own = await stackNamed(client, stackName);
      releaseBefore = outputOf(own, 'Release');
      if (tableName !== undefined || allowsNewTable) return [];
      return failedForgottenTableChecks(client, own, environment);
    }),
  ];
  if (accessLogs)
    checks.push(attemptCheck("API Gateway's log role", () => failedLogRoleChecks(region)));
  if (tableName !== undefined)
    checks.push(
      attemptCheck(`The stack of the table ${tableName}`, async () =>
        failedOwnerChecks(client, await stacks, { stackName, tableName }),
      ),
    );
  const results = await Promise.all(checks);
  if (tableName !== undefined)
    results.push(...(await checkTable(region, { ...options, tableName })));
  client.destroy();
  const failedChecks = results.flatMap((result) => result.failedChecks);
  return {
    failedChecks,
    unknown: results.flatMap(({ unknown }) => unknown),
    target,
    releaseBefore,
  };
}

/** Every stack of the region. */
async function stacksOf(client: CloudFormationClient): Promise<Stack[]> {
  const stacks: Stack[] = [];
  for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {}))
    stacks.push(...Stacks);
  return stacks;
}

/** Asked by its name: credentials may be limited to it. @returns undefined if there is no such stack */
async function stackNamed(
  client: CloudFormationClient,
  StackName: string,
): Promise<Stack | undefined> {
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName }));
    return Stacks?.[0];
  } catch (error) {
    if (isMissingStack(error)) return undefined;
    throw error;
  }
}
