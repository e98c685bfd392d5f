import {
  CloudFormationClient,
  DescribeStacksCommand,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';

/** Something that would make a deployment fail, and the command to run next. */
export interface FailedCheck {
  readonly issue: string;
  readonly next: string;
}

export interface Preflight {
  readonly failedChecks: readonly FailedCheck[];
  /** What could not be checked; it does not stop a deployment. */
  readonly unknown: readonly string[];
  /** The account and region of the deployment; undefined if unknown. */
  readonly target?: DeploymentTarget;
}

interface DeploymentTarget {
  readonly account: string;
  readonly region: string;
}

export interface PreflightOptions {
  readonly region: string | undefined;
  /** The stack to deploy. */
  readonly stackName: string;
  /** The installed version of the CDK command, and the version in package.json. */
  readonly cdkVersion: { readonly installed: string | undefined; readonly required: string };
  /** ARNs among the options, by the option's name. */
  readonly arns?: Readonly<Record<string, string>>;
}

/** The version of the bootstrap stack that this project's CDK needs (aws-cdk-lib, DefaultStackSynthesizer). */
const bootstrapVersionMin = 6;
const bootstrapStackName = 'CDKToolkit';
const clientTimeouts = {
  maxAttempts: 2,
  requestHandler: {
    connectionTimeout: 5000,
    requestTimeout: 10_000,
    throwOnRequestTimeout: true,
    socketTimeout: 10_000,
  },
};

/** Checks everything that can make a first deployment fail, and changes nothing. Three read requests to AWS. */
export async function preflight({
  region,
  stackName,
  cdkVersion,
  arns = {},
}: PreflightOptions): Promise<Preflight> {
  const failedChecks = failedCdkChecks(cdkVersion);
  if (!region) {
    const issue = 'No region is set: the CDK would use us-east-1 without asking.';
    return {
      failedChecks: [
        ...failedChecks,
        { issue, next: 'export AWS_REGION=eu-central-1   (the region of your choice)' },
      ],
      unknown: [],
    };
  }
  const account = await accountOf(region);
  if (typeof account !== 'string') return { failedChecks: [...failedChecks, account], unknown: [] };

  const target = { account, region };
  const stacks = await checkStacks(target, stackName);
  return {
    failedChecks: [...failedChecks, ...failedArnChecks(arns, target), ...stacks.failedChecks],
    unknown: stacks.unknown,
    target,
  };
}

/** Checks the bootstrap stack and the stack to deploy. */
async function checkStacks(target: DeploymentTarget, stackName: string): Promise<Preflight> {
  const { account, region } = target;
  const client = new CloudFormationClient({ region, ...clientTimeouts });
  try {
    const bootstrap = await stackNamed(client, bootstrapStackName);
    const own = await stackNamed(client, stackName);
    return {
      failedChecks: [
        ...failedBootstrapChecks(bootstrap, target),
        ...failedStackChecks(own, stackName),
      ],
      unknown: [],
    };
  } catch (error) {
    const { name, message } = error as Error;
    const unknown = [
      `The stacks of ${account} in ${region} could not be checked (${name}: ${message}).`,
    ];
    return { failedChecks: [], unknown };
  } finally {
    client.destroy();
  }
}

function failedCdkChecks({ installed, required }: PreflightOptions['cdkVersion']): FailedCheck[] {
  if (installed === required) return [];
  const found = installed ? `has version ${installed}` : 'is not installed';
  return [
    { issue: `The CDK command ${found}, but this project needs ${required}.`, next: 'npm ci' },
  ];
}

/** What to do about the errors of STS, by name. */
const credentialFailures: Readonly<Record<string, FailedCheck>> = {
  CredentialsProviderError: {
    issue: 'There are no AWS credentials in the environment or in a profile.',
    next: 'aws configure sso, then export AWS_PROFILE=NAME   (or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)',
  },
  ExpiredToken: {
    issue: 'The AWS credentials have expired.',
    next: 'aws sso login   (or fetch new temporary credentials)',
  },
  InvalidClientTokenId: {
    issue: 'AWS does not know these credentials.',
    next: 'aws sts get-caller-identity, until it names your account',
  },
  SignatureDoesNotMatch: {
    issue:
      'AWS does not accept the signature: the secret key does not belong to the access key, or the clock of this machine is wrong.',
    next: 'aws sts get-caller-identity, until it names your account',
  },
};
const sameAs: Readonly<Record<string, string>> = {
  ExpiredTokenException: 'ExpiredToken',
  TokenProviderError: 'ExpiredToken',
  UnrecognizedClientException: 'InvalidClientTokenId',
};

async function accountOf(region: string): Promise<string | FailedCheck> {
  const client = new STSClient({ region, ...clientTimeouts });
  try {
    const { Account } = await client.send(new GetCallerIdentityCommand({}));
    return (
      Account ?? {
        issue: 'AWS returned no account for these credentials.',
        next: 'aws sts get-caller-identity',
      }
    );
  } catch (error) {
    const { name, message } = error as Error;
    return (
      credentialFailures[sameAs[name] ?? name] ?? {
        issue: `Your AWS identity cannot be checked in ${region} (${name}: ${message}).`,
        next: `aws sts get-caller-identity --region ${region}   (check the name of the region and the network)`,
      }
    );
  } finally {
    client.destroy();
  }
}

async function stackNamed(
  client: CloudFormationClient,
  StackName: string,
): Promise<Stack | undefined> {
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName }));
    return Stacks?.[0];
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'ValidationError' && message.includes('does not exist')) return undefined;
    throw error;
  }
}

function failedBootstrapChecks(
  bootstrap: Stack | undefined,
  { account, region }: DeploymentTarget,
): FailedCheck[] {
  const next = `npx cdk bootstrap aws://${account}/${region}`;
  if (!bootstrap)
    return [
      { issue: `The CDK is not bootstrapped in account ${account}, region ${region}.`, next },
    ];
  const version = Number(
    bootstrap.Outputs?.find(({ OutputKey }) => OutputKey === 'BootstrapVersion')?.OutputValue ?? 0,
  );
  if (version >= bootstrapVersionMin) return [];
  return [
    {
      issue: `The CDK bootstrap stack in ${region} has version ${version}, but must have version ${bootstrapVersionMin} or later.`,
      next,
    },
  ];
}

function failedStackChecks(own: Stack | undefined, stackName: string): FailedCheck[] {
  const status = own?.StackStatus ?? '';
  if (status === 'ROLLBACK_COMPLETE' || status === 'ROLLBACK_FAILED') {
    const issue = `The first deployment of the stack ${stackName} failed, so the stack cannot be updated.`;
    return [
      {
        issue,
        next: `aws cloudformation delete-stack --stack-name ${stackName}   (a table that it created is kept)`,
      },
    ];
  }
  if (status === 'DELETE_FAILED') {
    const issue = `The stack ${stackName} could not be deleted, so it cannot be updated.`;
    const next = `aws cloudformation delete-stack --stack-name ${stackName}   (its events name the resource that could not be deleted)`;
    return [{ issue, next }];
  }
  // REVIEW_IN_PROGRESS: a change set was created and never run. The CDK continues from there.
  if (status.endsWith('_IN_PROGRESS') && status !== 'REVIEW_IN_PROGRESS') {
    const issue = `The stack ${stackName} is being changed (${status}).`;
    return [
      { issue, next: `aws cloudformation wait ${waiterFor(status)} --stack-name ${stackName}` },
    ];
  }
  if (status === 'UPDATE_ROLLBACK_FAILED') {
    const issue = `An update of the stack ${stackName} failed, and its rollback failed too.`;
    return [
      { issue, next: `aws cloudformation continue-update-rollback --stack-name ${stackName}` },
    ];
  }
  return [];
}

/** The waiter of the AWS CLI for a status. `stack-create-complete` also ends when a failed creation has been rolled back, with status 255. */
function waiterFor(status: string): string {
  if (status.startsWith('UPDATE_ROLLBACK_')) return 'stack-rollback-complete';
  if (status.startsWith('IMPORT_')) return 'stack-import-complete';
  const change = /^(UPDATE|DELETE)_/.exec(status)?.[1] ?? 'CREATE';
  return `stack-${change.toLowerCase()}-complete`;
}

/** A certificate, topic or key of another region or account fails in the middle of a deployment. */
function failedArnChecks(
  arns: NonNullable<PreflightOptions['arns']>,
  { account, region }: DeploymentTarget,
): FailedCheck[] {
  return Object.entries(arns).flatMap(([option, arn]) => {
    const [, , , arnRegion, arnAccount] = arn.split(':');
    if (arnRegion !== region)
      return [
        {
          issue: `${option} is in region ${arnRegion}, but the deployment is in ${region}.`,
          next: `Set ${option} to an ARN in ${region}, or export AWS_REGION=${arnRegion}`,
        },
      ];
    // A key or a topic of another account can be shared; a certificate cannot.
    if (option === 'certificateArn' && arnAccount !== account)
      return [
        {
          issue: `${option} belongs to account ${arnAccount}, but the deployment is in ${account}.`,
          next: `Set ${option} to a certificate of account ${account}`,
        },
      ];
    return [];
  });
}
