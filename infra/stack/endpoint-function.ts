import { existsSync } from 'node:fs';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
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
import { limits } from '../../shared/contract/limits.ts';
import { rateLimitVariables } from '../../shared/contract/rate-limits.ts';
import {
  releaseVariable,
  serviceNameVariable,
  serviceVersionVariable,
} from '../../shared/observability/metrics.ts';
import { builtRelease, bundleFolder } from '../bundle/built-functions.ts';
import { memoryVariables } from '../bundle/function-memory.ts';
import { acknowledge } from './acknowledge.ts';
import type { DeployedEndpoint } from './endpoint-access.ts';
import type { LeadTable } from './lead-table.ts';
import type { Release } from './release.ts';
import type { ServiceOptions } from './service-options.ts';

/** What every function needs to know about its service. */
export interface OfService {
  readonly options: ServiceOptions;
  /** Log lines have its version. */
  readonly release: Release;
}

export interface BundledFunctionProps {
  /** The name of the bundle. */
  readonly bundle: string;
  readonly description: string;
  readonly timeout: Duration;
  readonly memoryMb: number;
  /** Variables in addition to those that every function has. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A Lambda function with its own bundle, role and log group. The role may only write that log; the subclass adds further permissions. */
export class BundledFunction extends LambdaFunction {
  declare readonly role: Role;

  /** @throws Error when the function has not been built */
  constructor(
    scope: Construct,
    id: string,
    { options, release }: OfService,
    { bundle, memoryMb, environment, ...props }: BundledFunctionProps,
  ) {
    // Without a retention, Lambda keeps logs forever.
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: options.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // The construct's default role could write to every log group of the account.
    const role = new Role(scope, `${id}Role`, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    super(scope, id, {
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: codeOf(bundle),
      // Lambda assigns CPU in proportion to memory. Importing the bundle is the largest part of a cold start, and needs only CPU.
      memorySize: memoryMb,
      environment: {
        ...environment,
        ...memoryVariables(memoryMb),
        [serviceNameVariable]: options.serviceName,
        [serviceVersionVariable]: release.version,
        [releaseVariable]: builtRelease(bundle),
      },
      // Metrics are on INFO lines. In JSON format, Lambda's own level filter could drop them.
      loggingFormat: LoggingFormat.TEXT,
      tracing: options.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      logGroup,
      role,
      ...props,
    });
    logGroup.grantWrite(role);
    this.#acknowledge(options);
  }

  /** The intended findings of cdk-nag, with the reasons. */
  #acknowledge({ tracing }: ServiceOptions): void {
    acknowledge(
      this,
      {
        id: 'Serverless-LambdaDLQ',
        reason:
          'API Gateway waits for the result, the event source mapping has a queue, and a heartbeat that is lost sets off HeartbeatFailed.',
      },
      {
        id: 'Serverless-LambdaTracing',
        reason:
          'Tracing is an option: each call, batch and heartbeat logs its result and duration.',
      },
    );
    if (tracing)
      acknowledge(this.role, {
        id: 'AwsSolutions-IAM5[Resource::*]',
        reason:
          'xray:PutTraceSegments and xray:PutTelemetryRecords do not support resources (IAM reference, AWS X-Ray).',
      });
  }
}

function codeOf(bundle: string): Code {
  const folder = bundleFolder(bundle);
  if (!existsSync(folder))
    throw new Error(
      `${bundle} is not built: await buildFunctions() (infra/bundle/bundle.ts) before you create the service.`,
    );
  return Code.fromAsset(folder);
}

/**
 * One Lambda function per endpoint, with its own bundle, role and log group, and only the permissions that it uses.
 *
 * The API calls the function itself, not an alias of a published version. An alias would keep code and environment together, but not the
 * role, which a deployment changes first. And it needs versions: a version that a rollback leaves behind cannot be published again
 * (aws/aws-cdk#35540). So each release's code must work with the environments of the previous and the next release: a new variable has a
 * default.
 */
export class EndpointFunction extends BundledFunction {
  readonly endpoint: DeployedEndpoint;

  /** @param endpoint the endpoint that the function serves. Its name is also the bundle's, and its `access` is granted on the table. */
  constructor(scope: Construct, endpoint: DeployedEndpoint, table: LeadTable, service: OfService) {
    const { options } = service;
    super(scope, constructId(endpoint.name), service, {
      bundle: endpoint.name,
      description: `${endpoint.method} ${endpoint.path}`,
      timeout: Duration.seconds(limits.functionTimeoutSeconds),
      memoryMb: options.memoryMbByFunction[endpoint.name] ?? options.memoryMb,
      environment: {
        LEADS_TABLE: table.tableName,
        [rateLimitVariables.requestsPerKeyPerWindow]: String(options.requestsPerKeyPerHour),
        [rateLimitVariables.requestsPerOrganizationPerWindow]: String(
          options.requestsPerOrganizationPerHour,
        ),
      },
    });
    this.endpoint = endpoint;
    table.grantTo(this, endpoint);
  }
}

/** `capture-lead` to `CaptureLead`. */
const constructId = (name: string): string =>
  name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
