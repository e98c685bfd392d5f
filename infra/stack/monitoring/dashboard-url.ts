import { Aws } from 'aws-cdk-lib';

/** The address of the service's dashboard in the AWS console. */
export const dashboardUrl = (serviceName: string): string =>
  `https://${Aws.REGION}.console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#dashboards/dashboard/${serviceName}`;
