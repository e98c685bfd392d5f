import { type CfnElement, Stack, Validations } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { ReleaseCheck, type ReleasedFunction } from './release-check.ts';
import type { ServiceOptions } from './service-options.ts';

export interface CanaryDeploymentsProps {
  readonly functions: readonly ReleasedFunction[];
  readonly options: Pick<ServiceOptions, 'logRetentionDays' | 'serviceName'>;
  /** An alarm that goes off during a deployment rolls it back. */
  readonly alarms: readonly IAlarm[];
}

/**
 * Moves the alias of each function to new code by CodeDeploy: 10 % of the calls for five minutes, then all. If an alarm goes off, the
 * alias moves back and CloudFormation rolls the deployment back. Until then old and new code run in parallel (OPERATE.md, "Change").
 * Before a version gets any call, the release check calls it; a wrong answer ends the deployment.
 */
export class CanaryDeployments extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { functions, options, alarms }: CanaryDeploymentsProps,
  ) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    });
    const preHook = new ReleaseCheck(this, 'Check', functions, options);
    for (const {
      handler: { live, node },
    } of functions) {
      new LambdaDeploymentGroup(this, node.id, {
        application,
        alias: live,
        role,
        preHook,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        alarms: [...alarms],
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      });
      // The check must know the new versions, and CodeDeploy must be allowed to call it, before the alias moves.
      live.node.addDependency(preHook, role);
    }
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason:
        "AWS's own policy for this purpose, in its limited form; only CodeDeploy can assume the role.",
    });
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${Stack.of(this).getLogicalId(preHook.node.defaultChild as CfnElement)}.Arn>:*]`,
      reason: 'Any version of the one function that checks releases.',
    });
  }
}
