import { existsSync } from 'node:fs';
import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  Code,
  type IVersion,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Endpoint } from '../../shared/endpoints.ts';
import { limits } from '../../shared/limits.ts';
import { serviceNameVariable } from '../../shared/metrics.ts';
import { rateLimitVariables } from '../../shared/rate-limits.ts';
import { bundleFolder } from '../bundle/bundle.ts';
import type { LeadTable } from './lead-table.ts';
import type { ServiceOptions } from './service-options.ts';

export interface EndpointFunctionProps {
  /** The row this function answers; its name is the bundle's name. */
  readonly endpoint: Endpoint;
  /** Granted as the row's `access` says. */
  readonly table: LeadTable;
  readonly options: ServiceOptions;
}

const functionDefaults = {
  runtime: Runtime.NODEJS_24_X,
  architecture: Architecture.ARM_64,
  handler: 'index.handler',
  timeout: Duration.seconds(limits.functionTimeoutSeconds),
};

/** One Lambda for one endpoint: its own bundle, its own role, its own log; nothing it does not use. */
export class EndpointFunction extends LambdaFunction {
  /** What the API calls. A deployment moves it from one version to the next. */
  readonly live: Alias;

  constructor(scope: Construct, id: string, { endpoint, table, options }: EndpointFunctionProps) {
    // Lambda keeps logs for ever unless told otherwise.
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: options.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // A role made by the function's construct could write to every log group of the account.
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    super(scope, id, {
      ...functionDefaults,
      // Lambda gives CPU by memory: the bundle's import is a cold start's largest part, and all of it is CPU.
      memorySize: options.memoryMbByFunction[endpoint.name] ?? options.memoryMb,
      description: `${endpoint.method} ${endpoint.path}`,
      code: codeOf(endpoint),
      environment: {
        LEADS_TABLE: table.tableName,
        [serviceNameVariable]: options.serviceName,
        [rateLimitVariables.requestsPerKeyPerWindow]: String(options.requestsPerKeyPerHour),
        [rateLimitVariables.requestsPerOrganizationPerWindow]: String(options.requestsPerOrganizationPerHour),
      },
      // The metrics stand on the lines of level INFO: Lambda's own filter of levels, which needs its JSON format, would take the alarms away.
      loggingFormat: LoggingFormat.TEXT,
      tracing: options.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      logGroup,
      role,
    });
    logGroup.grantWrite(role);
    table.grantTo(role, endpoint);
    this.live = new Alias(this, 'Live', { aliasName: 'live', version: this.currentVersion as IVersion });

    Validations.of(this).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason: 'API Gateway calls it and waits: there is no asynchronous invocation that a queue could catch.',
    });
    Validations.of(this).acknowledge({
      id: 'Serverless-LambdaTracing',
      reason: 'An option: the line that each call logs has its time, its DynamoDB calls and its cold start already.',
    });
    if (options.tracing) {
      Validations.of(role).acknowledge({
        id: 'AwsSolutions-IAM5[Resource::*]',
        reason: 'xray:PutTraceSegments and xray:PutTelemetryRecords know no resource (IAM reference, AWS X-Ray).',
      });
    }
  }
}

/** @throws Error when the function has not been built */
function codeOf({ name }: Endpoint): Code {
  const folder = bundleFolder(name);
  if (!existsSync(folder))
    throw new Error(`${name} is not built: await buildFunctions() (infra/bundle/bundle.ts) before the service is made.`);
  return Code.fromAsset(folder);
}
