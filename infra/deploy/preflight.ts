import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';

/** Something that would make a deployment fail, and the command that comes next. */
export interface FailedCheck {
  readonly problem: string;
  readonly next: string;
}

export interface Preflight {
  readonly failedChecks: readonly FailedCheck[];
  /** What could not be looked at, and does not stop a deployment. */
  readonly unknown: readonly string[];
  /** Account and region that the deployment goes to, once they are known. */
  readonly target?: { readonly account: string; readonly region: string };
}

export interface PreflightOptions {
  readonly region: string | undefined;
  /** The stack that is about to be deployed. */
  readonly stackName: string;
  /** The installed version of the CDK's command, and the one of package.json. */
  readonly cdkVersion: { readonly installed: string | undefined; readonly wanted: string };
}

/** What the CDK of this project needs of the bootstrap stack (aws-cdk-lib, DefaultStackSynthesizer). */
const bootstrapVersionMin = 6;
const bootstrapStackName = 'CDKToolkit';
const clientTimeouts = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 5000, requestTimeout: 10_000, throwOnRequestTimeout: true, socketTimeout: 10_000 },
};

/** Looks at everything that a first deployment fails for, without changing anything: three read requests to AWS. */
export async function preflight({ region, stackName, cdkVersion }: PreflightOptions): Promise<Preflight> {
  const failedChecks = cdkObstacles(cdkVersion);
  if (!region) {
    const problem = 'No region is set: the CDK would take us-east-1 without asking.';
    return {
      failedChecks: [...failedChecks, { problem, next: 'export AWS_REGION=eu-central-1   (the region of your choice)' }],
      unknown: [],
    };
  }
  const account = await accountOf(region);
  if (typeof account !== 'string') return { failedChecks: [...failedChecks, account], unknown: [] };

  const target = { account, region };
  const client = new CloudFormationClient({ region, ...clientTimeouts });
  try {
    const bootstrap = await stackNamed(client, bootstrapStackName);
    const own = await stackNamed(client, stackName);
    return {
      failedChecks: [...failedChecks, ...bootstrapObstacles(bootstrap, target), ...ownObstacles(own, stackName)],
      unknown: [],
      target,
    };
  } catch (error) {
    const { name, message } = error as Error;
    const unknown = [`The stacks of ${account} in ${region} could not be looked at (${name}: ${message}).`];
    return { failedChecks, unknown, target };
  } finally {
    client.destroy();
  }
}

function cdkObstacles({ installed, wanted }: PreflightOptions['cdkVersion']): FailedCheck[] {
  if (installed === wanted) return [];
  const found = installed ? `is ${installed}` : 'is not installed';
  return [{ problem: `The CDK's command ${found}, and this project is made for ${wanted}.`, next: 'npm ci' }];
}

/** Sentences for the errors of STS that a person can do something about, by name. */
const credentialObstacles: Readonly<Record<string, FailedCheck>> = {
  CredentialsProviderError: {
    problem: 'No AWS credentials were found: neither in the environment nor in a profile.',
    next: 'aws configure sso, then export AWS_PROFILE=NAME   (or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)',
  },
  ExpiredToken: { problem: 'The AWS credentials have expired.', next: 'aws sso login   (or fetch new temporary credentials)' },
  InvalidClientTokenId: {
    problem: 'AWS does not know these credentials.',
    next: 'aws sts get-caller-identity, until it names your account',
  },
  SignatureDoesNotMatch: {
    problem: 'AWS does not accept the signature: the secret key is not that of the access key, or this clock is wrong.',
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
    return Account ?? { problem: 'AWS names no account for these credentials.', next: 'aws sts get-caller-identity' };
  } catch (error) {
    const { name, message } = error as Error;
    return (
      credentialObstacles[sameAs[name] ?? name] ?? {
        problem: `AWS in ${region} cannot be asked who you are (${name}: ${message}).`,
        next: `aws sts get-caller-identity --region ${region}   (is the region's name right, is there a connection?)`,
      }
    );
  } finally {
    client.destroy();
  }
}

async function stackNamed(client: CloudFormationClient, StackName: string): Promise<Stack | undefined> {
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName }));
    return Stacks?.[0];
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'ValidationError' && message.includes('does not exist')) return undefined;
    throw error;
  }
}

function bootstrapObstacles(
  bootstrap: Stack | undefined,
  { account, region }: { account: string; region: string },
): FailedCheck[] {
  const next = `npx cdk bootstrap aws://${account}/${region}`;
  if (!bootstrap) return [{ problem: `The CDK has never been set up in account ${account}, region ${region}.`, next }];
  const version = Number(bootstrap.Outputs?.find(({ OutputKey }) => OutputKey === 'BootstrapVersion')?.OutputValue ?? 0);
  if (version >= bootstrapVersionMin) return [];
  return [{ problem: `The CDK's set-up in ${region} is of version ${version}: it takes ${bootstrapVersionMin} or later.`, next }];
}

function ownObstacles(own: Stack | undefined, stackName: string): FailedCheck[] {
  const status = own?.StackStatus ?? '';
  if (status === 'ROLLBACK_COMPLETE' || status === 'ROLLBACK_FAILED') {
    const problem = `The stack ${stackName} is left over from a first deployment that failed, and cannot be updated.`;
    return [
      {
        problem,
        next: `aws cloudformation delete-stack --stack-name ${stackName}   (a table it made stays, under its own name)`,
      },
    ];
  }
  // A change set that was made and never run: the CDK goes on from there.
  if (status.endsWith('_IN_PROGRESS') && status !== 'REVIEW_IN_PROGRESS') {
    const problem = `The stack ${stackName} is being changed at this moment (${status}).`;
    const change = /^(CREATE|DELETE|UPDATE_ROLLBACK|ROLLBACK)_/.exec(status)?.[1] ?? 'UPDATE';
    const awaited = `stack-${change.toLowerCase().replace('_', '-')}-complete`;
    return [{ problem, next: `aws cloudformation wait ${awaited} --stack-name ${stackName}` }];
  }
  if (status === 'UPDATE_ROLLBACK_FAILED') {
    const problem = `The stack ${stackName} could not go back after an update that failed.`;
    return [{ problem, next: `aws cloudformation continue-update-rollback --stack-name ${stackName}` }];
  }
  return [];
}
