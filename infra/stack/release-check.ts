import { existsSync } from 'node:fs';
import { Duration, RemovalPolicy, Token, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { bundleFolder, releaseCheckName } from '../bundle/bundle.ts';
import type { EndpointFunction } from './endpoint-function.ts';
import type { ServiceOptions } from './service-options.ts';

export interface ReleasedFunction {
  /** The endpoint's name. */
  readonly name: string;
  readonly handler: EndpointFunction;
}

const functionProps = {
  runtime: Runtime.NODEJS_24_X,
  architecture: Architecture.ARM_64,
  handler: 'index.handler',
  // Longer than a cold start of every version, and than a new permission needs to take effect.
  timeout: Duration.minutes(2),
  memorySize: 512,
  description: 'Calls each new version with an unknown API key before it gets requests',
  loggingFormat: LoggingFormat.TEXT,
};

/**
 * The function that CodeDeploy calls before a new version gets any request (infra/release-check/handler.ts). It may invoke the new versions
 * and report to CodeDeploy, and cannot reach the table.
 */
export class ReleaseCheck extends LambdaFunction {
  constructor(
    scope: Construct,
    id: string,
    released: readonly ReleasedFunction[],
    { logRetentionDays, serviceName }: Pick<ServiceOptions, 'logRetentionDays' | 'serviceName'>,
  ) {
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(scope, `${id}Role`, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    const versions = released.map(
      ({ name, handler }) => [name, handler.currentVersion.functionArn] as const,
    );
    super(scope, id, {
      ...nameFor(serviceName),
      ...functionProps,
      code: builtCode(),
      environment: { RELEASED_VERSIONS: JSON.stringify(Object.fromEntries(versions)) },
      logGroup,
      role,
    });
    logGroup.grantWrite(role);
    role.addToPolicy(
      new PolicyStatement({
        sid: 'InvokeNewVersions',
        actions: ['lambda:InvokeFunction'],
        resources: versions.map(([, version]) => version),
      }),
    );
    this.acknowledge();
  }

  /** The findings of cdk-nag that are intended, with the reasons. */
  private acknowledge(): void {
    const reasons = {
      'Serverless-LambdaDLQ':
        'CodeDeploy waits for the result and stops the release without one: a dead-letter queue would stay empty.',
      'Serverless-LambdaTracing': 'It runs once per function and release, and logs what it found.',
    };
    for (const [id, reason] of Object.entries(reasons))
      Validations.of(this).acknowledge({ id, reason });
  }
}

/** Lambda's limit. */
const nameMaxChars = 64;

/** AWS's policy for CodeDeploy lets it call functions of this name, without a wait (AWSCodeDeployRoleForLambdaLimited). */
const nameFor = (serviceName: string): { functionName?: string } =>
  Token.isUnresolved(serviceName)
    ? {}
    : { functionName: `CodeDeployHook_${serviceName}`.slice(0, nameMaxChars) };

/** @throws Error when the function has not been built */
function builtCode(): Code {
  const folder = bundleFolder(releaseCheckName);
  if (!existsSync(folder))
    throw new Error(
      `${releaseCheckName} is not built: await buildFunctions() (infra/bundle/bundle.ts) before you create the service.`,
    );
  return Code.fromAsset(folder);
}
