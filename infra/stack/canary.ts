import { Validations } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { EndpointFunction } from './endpoint-function.ts';

export interface CanaryDeploymentsProps {
  readonly functions: readonly EndpointFunction[];
  /** An alarm that goes off during a deployment rolls it back. */
  readonly alarms: readonly IAlarm[];
}

/**
 * Moves the alias of each function to new code by CodeDeploy: 10 % of the calls for five minutes, then all. If an alarm goes off, the
 * alias moves back and CloudFormation rolls the deployment back. Until then old and new code run in parallel (OPERATE.md, "Change").
 */
export class CanaryDeployments extends Construct {
  constructor(scope: Construct, id: string, { functions, alarms }: CanaryDeploymentsProps) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    });
    for (const { live, node } of functions) {
      new LambdaDeploymentGroup(this, node.id, {
        application,
        alias: live,
        role,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        alarms: [...alarms],
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      });
    }
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason:
        "AWS's own policy for this purpose, in its limited form; only CodeDeploy can assume the role.",
    });
  }
}
