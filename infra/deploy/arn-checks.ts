import type { ServiceOptions } from '../stack/service-options.ts';
import type { DeploymentTarget, FailedCheck } from './failed-check.ts';

/** A key or a topic of another account can be shared; these cannot. */
const ownOfAccount = ['certificateArn', 'tableStreamArn'];

/** An ARN of another region or account among the options fails in the middle of a deployment. */
export function failedArnChecks(
  options: Partial<ServiceOptions>,
  { account, region }: DeploymentTarget,
): FailedCheck[] {
  return arnsIn(options).flatMap(([option, arn]) => {
    const [, , , arnRegion, arnAccount] = arn.split(':');
    if (arnRegion !== region)
      return [
        {
          issue: `${option} is in region ${arnRegion}, but the deployment is in ${region}.`,
          next: `Set ${option} to an ARN in ${region}, or export AWS_REGION=${arnRegion}`,
        },
      ];
    if (ownOfAccount.includes(option) && arnAccount !== account)
      return [
        {
          issue: `${option} belongs to account ${arnAccount}, but the deployment is in ${account}.`,
          next: `Set ${option} to an ARN of account ${account}`,
        },
      ];
    return [];
  });
}

/** The options that are ARNs, by name. */
const arnsIn = (options: Partial<ServiceOptions>): [name: string, arn: string][] =>
  Object.entries(options).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && entry[1].startsWith('arn:'),
  );
