import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { clientTimeouts, type DeploymentTarget, type FailedCheck } from './failed-check.ts';
import { signedRequest } from './signed-request.ts';

/** The version of the bootstrap stack that this project's CDK needs (aws-cdk-lib, DefaultStackSynthesizer). */
const bootstrapVersionMin = 6;
/** The qualifier of `cdk bootstrap` without options (aws-cdk-lib, DefaultStackSynthesizer). */
export const defaultQualifier = 'hnb659fds';

/** The stack of the bootstrap may have any name; the template itself asks for this parameter. One request. */
export async function failedBootstrapChecks(
  { account, region }: DeploymentTarget,
  qualifier: string,
): Promise<FailedCheck[]> {
  const option = qualifier === defaultQualifier ? '' : ` --qualifier ${qualifier}`;
  const next = `npx cdk bootstrap aws://${account}/${region}${option}`;
  const version = await bootstrapVersion(region, qualifier);
  if (version === undefined)
    return [
      { issue: `The CDK is not bootstrapped in account ${account}, region ${region}.`, next },
    ];
  if (version >= bootstrapVersionMin) return [];
  return [
    {
      issue: `The CDK bootstrap stack in ${region} has version ${version}, but must have version ${bootstrapVersionMin} or later.`,
      next,
    },
  ];
}

/** @returns undefined if the parameter does not exist */
async function bootstrapVersion(region: string, qualifier: string): Promise<number | undefined> {
  try {
    const { Parameter } = await signedRequest({
      region,
      service: 'ssm',
      operation: ['AmazonSSM.GetParameter', { Name: `/cdk-bootstrap/${qualifier}/version` }],
    });
    return Number((Parameter as { readonly Value?: string } | undefined)?.Value ?? 0);
  } catch (error) {
    if ((error as Error).name === 'ParameterNotFound') return undefined;
    throw error;
  }
}

/** 500 requests a second, the default of `requestsPerSecond`, of 0.2 s each. */
const concurrentExecutionsMin = 100;

/** Warns of an account whose functions can answer only a few requests at once. One request. */
export async function concurrencyWarnings(region: string): Promise<FailedCheck[]> {
  const client = new LambdaClient({ region, ...clientTimeouts });
  try {
    const { AccountLimit: limit } = await client.send(new GetAccountSettingsCommand({}));
    const left = limit?.UnreservedConcurrentExecutions ?? concurrentExecutionsMin;
    if (left >= concurrentExecutionsMin) return [];
    return [
      {
        issue: `The functions of the account can run ${left} times at once in ${region}: further requests at the same moment get a 500.`,
        next: `aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000 --region ${region}`,
      },
    ];
  } finally {
    client.destroy();
  }
}

/** With `accessLogs`, the gateway needs a role that is set once per account and region. One request. */
export async function failedLogRoleChecks(region: string): Promise<FailedCheck[]> {
  const { cloudwatchRoleArn } = await signedRequest({
    region,
    service: 'apigateway',
    path: '/account',
  });
  if (typeof cloudwatchRoleArn === 'string' && cloudwatchRoleArn !== '') return [];
  return [
    {
      issue: `accessLogs: API Gateway has no role for CloudWatch in ${region}, so a deployment with accessLogs fails.`,
      next: `aws apigateway update-account --patch-operations op=replace,path=/cloudwatchRoleArn,value=ROLE_ARN   (infra/OPERATE.md says which role, at accessLogs)`,
    },
  ];
}
