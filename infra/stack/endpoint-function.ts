import { existsSync } from 'node:fs';
import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Endpoint } from '../../shared/endpoints.ts';
import { limits } from '../../shared/limits.ts';
import {
  releaseVariable,
  serviceNameVariable,
  serviceVersionVariable,
} from '../../shared/metrics.ts';
import { rateLimitVariables } from '../../shared/rate-limits.ts';
import { builtRelease, bundleFolder } from '../bundle/bundle.ts';
import { memoryVariables } from '../bundle/function-memory.ts';
import type { LeadTable } from './lead-table.ts';
import type { ServiceOptions } from './service-options.ts';

export interface EndpointFunctionProps {
  /** The endpoint that the function serves. Its name is also the name of the bundle. */
  readonly endpoint: Endpoint;
  /** Granted as the endpoint's `access` says. */
  readonly table: LeadTable;
  readonly options: ServiceOptions;
  /** Of the service, for log lines. */
  readonly version: string;
}

const functionDefaults = {
  runtime: Runtime.NODEJS_24_X,
  architecture: Architecture.ARM_64,
  handler: 'index.handler',
  timeout: Duration.seconds(limits.functionTimeoutSeconds),
};

/**
 * One Lambda function per endpoint, with its own bundle, role and log group, and only the permissions that it uses.
 *
 * The API calls the function itself, not an alias of a published version. An alias would keep code and environment together, but not the role,
 * which is the part that a deployment changes first. And it needs versions: one that a rollback leaves behind cannot be published again
 * (aws/aws-cdk#35540). So code must serve with the environment of the release before, and the other way round: a new variable has a default.
 * `test/infra/stack/deployment-steps.test.ts` tries every order of the steps.
 */
export class EndpointFunction extends LambdaFunction {
  constructor(
    scope: Construct,
    id: string,
    { endpoint, table, options, version }: EndpointFunctionProps,
  ) {
    // Without a retention, Lambda keeps logs for ever.
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: options.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // The role that the function's construct would create could write to every log group of the account.
    const role = new Role(scope, `${id}Role`, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    const memorySize = options.memoryMbByFunction[endpoint.name] ?? options.memoryMb;
    super(scope, id, {
      ...functionDefaults,
      // Lambda assigns CPU in proportion to memory. The import of the bundle is the largest part of a cold start, and all CPU.
      memorySize,
      description: `${endpoint.method} ${endpoint.path}`,
      code: codeOf(endpoint),
      environment: {
        ...environmentOf(table, options),
        ...memoryVariables(memorySize),
        [serviceVersionVariable]: version,
        [releaseVariable]: builtRelease(endpoint.name),
      },
      // The metrics are on lines of level INFO. Lambda's own level filter, which needs the JSON format, could remove them.
      loggingFormat: LoggingFormat.TEXT,
      tracing: options.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      logGroup,
      role,
    });
    logGroup.grantWrite(role);
    table.grantTo(role, endpoint);
    this.acknowledge(role, options);
  }

  /** The findings of cdk-nag that are intended, with the reasons. */
  private acknowledge(role: Role, { tracing }: ServiceOptions): void {
    Validations.of(this).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason:
        'Only API Gateway invokes the function, and synchronously: a dead-letter queue would stay empty.',
    });
    Validations.of(this).acknowledge({
      id: 'Serverless-LambdaTracing',
      reason:
        'Tracing is an option: each call logs its duration, its DynamoDB calls and whether it was a cold start.',
    });
    if (!tracing) return;
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'xray:PutTraceSegments and xray:PutTelemetryRecords do not support resources (IAM reference, AWS X-Ray).',
    });
  }
}

const environmentOf = (table: LeadTable, options: ServiceOptions): Record<string, string> => ({
  LEADS_TABLE: table.tableName,
  [serviceNameVariable]: options.serviceName,
  [rateLimitVariables.requestsPerKeyPerWindow]: String(options.requestsPerKeyPerHour),
  [rateLimitVariables.requestsPerOrganizationPerWindow]: String(
    options.requestsPerOrganizationPerHour,
  ),
});

/** @throws Error when the function has not been built */
function codeOf({ name }: Endpoint): Code {
  const folder = bundleFolder(name);
  if (!existsSync(folder))
    throw new Error(
      `${name} is not built: await buildFunctions() (infra/bundle/bundle.ts) before you create the service.`,
    );
  return Code.fromAsset(folder);
}
