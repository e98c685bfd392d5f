import type { Stack } from '@aws-sdk/client-cloudformation';
import type { FailedCheck } from './failed-check.ts';
import { signedRequest } from './signed-request.ts';

/** The account and region of a deployment. */
export interface DeploymentTarget {
  readonly account: string;
  readonly region: string;
}

/** The version of the bootstrap stack that this project's CDK needs (aws-cdk-lib, DefaultStackSynthesizer). */
const bootstrapVersionMin = 6;
/** The qualifier of `cdk bootstrap` without options (aws-cdk-lib, DefaultStackSynthesizer). */
export const defaultQualifier = 'hnb659fds';

/** The stack of the bootstrap may have any name: its parameter and its output tell it. */
export function failedBootstrapChecks(
  stacks: readonly Stack[],
  { account, region }: DeploymentTarget,
  qualifier: string,
): FailedCheck[] {
  const option = qualifier === defaultQualifier ? '' : ` --qualifier ${qualifier}`;
  const next = `npx cdk bootstrap aws://${account}/${region}${option}`;
  const bootstrap = stacks.find(({ Parameters }) =>
    Parameters?.some(
      ({ ParameterKey, ParameterValue }) =>
        ParameterKey === 'Qualifier' && ParameterValue === qualifier,
    ),
  );
  const version = outputOf(bootstrap, 'BootstrapVersion');
  if (version === undefined)
    return [
      { issue: `The CDK is not bootstrapped in account ${account}, region ${region}.`, next },
    ];
  if (Number(version) >= bootstrapVersionMin) return [];
  return [
    {
      issue: `The CDK bootstrap stack in ${region} has version ${version}, but must have version ${bootstrapVersionMin} or later.`,
      next,
    },
  ];
}

export const outputOf = (stack: Stack | undefined, name: string): string | undefined =>
  stack?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;

/** With `accessLogs`, the gateway needs a role that is set once per account and region. One request. */
export async function failedLogRoleChecks(region: string): Promise<FailedCheck[]> {
  const path = '/account';
  const { cloudwatchRoleArn } = await signedRequest({ region, service: 'apigateway', path });
  if (cloudwatchRoleArn) return [];
  return [
    {
      issue: `accessLogs: API Gateway has no role for CloudWatch in ${region}, so a deployment with accessLogs fails.`,
      next: `aws apigateway update-account --patch-operations op=replace,path=/cloudwatchRoleArn,value=ROLE_ARN   (infra/OPERATE.md says which role, at accessLogs)`,
    },
  ];
}
