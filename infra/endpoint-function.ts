import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Endpoint } from '../shared/endpoints.ts';
import { limits } from '../shared/limits.ts';
import { bundleFolder } from './bundle.ts';
import type { LeadTable } from './lead-table.ts';

export interface EndpointFunctionProps {
  /** The row this function answers; its name is the bundle's name. */
  readonly endpoint: Endpoint;
  /** Granted as the row's `access` says. */
  readonly table: LeadTable;
}

const functionDefaults = {
  runtime: Runtime.NODEJS_24_X,
  architecture: Architecture.ARM_64,
  handler: 'index.handler',
  // Lambda gives CPU by memory: the bundle's import is a cold start's largest part, and all of it is CPU.
  memorySize: 1024,
  timeout: Duration.seconds(limits.functionTimeoutSeconds),
};

/** One Lambda for one endpoint: its own bundle, its own role, its own log; nothing it does not use. */
export class EndpointFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, { endpoint, table }: EndpointFunctionProps) {
    // Lambda keeps logs for ever unless told otherwise.
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // A role made by the function's construct could write to every log group of the account.
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    super(scope, id, {
      ...functionDefaults,
      description: `${endpoint.method} ${endpoint.path}`,
      code: Code.fromAsset(bundleFolder(endpoint.name)),
      environment: { LEADS_TABLE: table.tableName },
      logGroup,
      role,
    });
    logGroup.grantWrite(role);
    table.grantTo(role, endpoint);
  }
}
