import { Validations } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { EndpointFunction } from './endpoint-function.ts';

export interface CanaryDeploymentsProps {
  readonly functions: readonly EndpointFunction[];
  /** An alarm that rings while new code answers takes it back. */
  readonly alarms: readonly IAlarm[];
}

/**
 * Moves each function's alias to new code by CodeDeploy: a tenth of the calls for five minutes, then all. When an alarm rings, the alias
 * goes back and CloudFormation rolls the deployment back. Old and new code answer side by side meanwhile (OPERATE.md, "Change").
 */
export class CanaryDeployments extends Construct {
  constructor(scope: Construct, id: string, { functions, alarms }: CanaryDeploymentsProps) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
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
      reason: "AWS's own policy for exactly this, in its limited form; CodeDeploy alone can take the role.",
    });
  }
}
