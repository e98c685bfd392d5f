import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { productionEnvironment, type ServiceOptions } from '../stack/service-options.ts';
import {
  concurrencyWarnings,
  defaultQualifier,
  failedBootstrapChecks,
  failedLogRoleChecks,
} from './account-checks.ts';
import { failedArnChecks } from './arn-checks.ts';
import {
  attemptCheck,
  type CheckResult,
  clientTimeouts,
  type DeploymentTarget,
  type FailedCheck,
} from './failed-check.ts';
import { accountOf } from './identity.ts';
import { failedStackChecks, outputOf, stackNamed } from './stack-checks.ts';
import { checkTable } from './table-checks.ts';
import { failedForgottenTableChecks, failedOwnerChecks } from './table-owner.ts';

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
  /** The installed version of the CDK command, and the version in package.json. */
  readonly cdkVersion: { readonly installed: string | undefined; readonly required: string };
  /** The options of the deployment. @default {} */
  readonly options?: Partial<ServiceOptions>;
  /** Whether the stack may create an empty table although it uses another one now. @default false */
  readonly allowsNewTable?: boolean;
  /** Of the CDK bootstrap, if it was changed (`@aws-cdk/core:bootstrapQualifier`). */
  readonly qualifier?: string;
}

type Deployment = Omit<PreflightOptions, 'region' | 'cdkVersion'>;

/** Checks everything that can make a deployment fail, and changes nothing. A few read requests to AWS. */
export async function preflight({
  region,
  cdkVersion,
  ...deployment
}: PreflightOptions): Promise<Preflight> {
  const failedChecks = failedCdkChecks(cdkVersion);
  if (!region) {
    const issue = 'No region is set: the CDK would use us-east-1 without asking.';
    return {
      failedChecks: [
        ...failedChecks,
        { issue, next: 'export AWS_REGION=eu-central-1   (the region of your choice)' },
      ],
      warnings: [],
      unknown: [],
    };
  }
  const account = await expectedAccount(region, deployment.options);
  if (typeof account !== 'string')
    return { failedChecks: [...failedChecks, account], warnings: [], unknown: [] };

  const target = { account, region };
  const { results, releaseBefore } = await checkTarget(target, deployment);
  return {
    failedChecks: [
      ...failedChecks,
      ...failedNewTableChecks(deployment),
      ...failedArnChecks(deployment.options ?? {}, target),
      ...results.flatMap((result) => result.failedChecks),
    ],
    warnings: results.flatMap(({ warnings }) => warnings),
    unknown: results.flatMap(({ unknown }) => unknown),
    target,
    releaseBefore,
  };
}

/** @returns the account of the credentials, or why nothing may be deployed with them */
async function expectedAccount(
  region: string,
  { account: expected, environment = productionEnvironment }: Partial<ServiceOptions> = {},
): Promise<string | FailedCheck> {
  const account = await accountOf(region);
  if (typeof account !== 'string' || expected === undefined || account === expected) return account;
  return {
    issue: `The credentials are of account ${account}, but the environment ${environment} belongs to account ${expected}.`,
    next: `export AWS_PROFILE=NAME   (a profile of account ${expected}; or correct the option account)`,
  };
}

/** Checks what AWS says of the account, the stack and the table. */
async function checkTarget(
  target: DeploymentTarget,
  { stackName, options = {}, allowsNewTable = false, qualifier = defaultQualifier }: Deployment,
): Promise<{ results: CheckResult[]; releaseBefore: string | undefined }> {
  const { account, region } = target;
  let releaseBefore: string | undefined;
  const { tableName, environment = productionEnvironment } = options;
  const client = new CloudFormationClient({ region, ...clientTimeouts });
  const checks = [
    attemptCheck(`The CDK bootstrap of ${account} in ${region}`, () =>
      failedBootstrapChecks(target, qualifier),
    ),
    attemptCheck(`The stack ${stackName}`, async () => {
      const own = await stackNamed(client, stackName);
      releaseBefore = outputOf(own, 'Release');
      const isTableChosen = tableName !== undefined || allowsNewTable;
      const forgotten = isTableChosen
        ? []
        : await failedForgottenTableChecks(own, environment, region);
      return [...failedStackChecks(own, stackName), ...forgotten];
    }),
    concurrencyCheck(region),
  ];
  if (options.accessLogs)
    checks.push(attemptCheck("API Gateway's log role", () => failedLogRoleChecks(region)));
  if (tableName !== undefined)
    checks.push(
      attemptCheck(`The stack of the table ${tableName}`, () =>
        failedOwnerChecks(client, { stackName, tableName }),
      ),
    );
  try {
    const results = await Promise.all(checks);
    if (tableName !== undefined)
      results.push(...(await checkTable(region, { ...options, tableName })));
    return { results, releaseBefore };
  } finally {
    client.destroy();
  }
}

async function concurrencyCheck(region: string): Promise<CheckResult> {
  const { failedChecks: warnings, unknown } = await attemptCheck(
    'The concurrent executions of the account',
    () => concurrencyWarnings(region),
  );
  return { failedChecks: [], warnings, unknown };
}

const failedNewTableChecks = ({ options, allowsNewTable }: Deployment): FailedCheck[] =>
  allowsNewTable && options?.tableName
    ? [
        {
          issue: `--new-table: tableName is set, so the service would use the table ${options.tableName}.`,
          next: 'Remove tableName to begin with an empty table, or run the command without --new-table',
        },
      ]
    : [];

function failedCdkChecks({ installed, required }: PreflightOptions['cdkVersion']): FailedCheck[] {
  if (installed === required) return [];
  const found = installed ? `has version ${installed}` : 'is not installed';
  return [
    { issue: `The CDK command ${found}, but this project needs ${required}.`, next: 'npm ci' },
  ];
}
