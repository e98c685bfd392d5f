import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { STSClient } from '@aws-sdk/client-sts';
import { DefaultStackSynthesizer } from 'aws-cdk-lib';
import { projectFolder } from '../bundle/built-functions.ts';
import { CheckError, CliCommand, tell } from '../cli/command.ts';
import { canAsk } from '../cli/confirm.ts';
import { pairOption } from '../cli/options.ts';
import { OptionsError } from '../stack/check-options.ts';
import { checkEnvironmentOptions, contextOfCdkJson } from '../stack/environment-options.ts';
import { canSwitchTo, releaseIn, wayBack } from '../stack/release.ts';
import type { ServiceOptions } from '../stack/service-options.ts';
import { openMfaSession } from './identity.ts';
import { preflight } from './preflight.ts';

/**
 * `npm run deploy` checks what can make a deployment fail, runs `cdk deploy`, and verifies the stack. With `--check`, it does only the
 * checks.
 */

/** Finds the region like the CDK: in the environment, then in the profile. */
async function regionOf(): Promise<string | undefined> {
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  // The SDK throws a plain Error if no region is set.
  const ofProfile = () => new STSClient({}).config.region().catch(() => undefined);
  return AWS_REGION || AWS_DEFAULT_REGION || (await ofProfile());
}

interface Options {
  check?: boolean;
  context?: ReadonlyMap<string, string>;
  newTable?: boolean;
  profile?: string;
}

const program = new CliCommand('npm run deploy --')
  .description('check what can make a deployment fail, run cdk deploy, then verify the stack')
  .option('--check', 'only check')
  .option(
    '-c, --context <NAME=VALUE>',
    'option of the service, instead of its value in cdk.json; may be repeated',
    pairOption('It must be NAME=VALUE, such as alarmEmail=you@example.com.'),
  )
  .option(
    '--new-table',
    'create an empty table although the service uses another one now, and tableName is not set',
  )
  .option('--profile <NAME>', 'AWS profile')
  .usage('[options] [-- <options of cdk deploy>]')
  .notes(`
Examples:
  npm run deploy -- --check
  npm run deploy -- -c environment=test -c alarmEmail=ops@example.com
  npm run deploy -- -- --require-approval never`);
const args = process.argv.slice(2);
const end = args.includes('--') ? args.indexOf('--') : args.length;
program.parse(args.slice(0, end), { from: 'user' });
const { check = false, context = new Map(), newTable = false, profile } = program.opts<Options>();
if (profile !== undefined) process.env.AWS_PROFILE = profile;
/** The context that the CDK command will read: cdk.json, overridden by `-c NAME=VALUE`. */
const contextInForce: Readonly<Record<string, unknown>> = {
  ...contextOfCdkJson(),
  ...Object.fromEntries(context),
};

try {
  const region = await regionOf();
  const options = checkEnvironmentOptions(contextInForce, contextOfCdkJson(), region);
  process.exitCode = await deploy(options, region);
} catch (error) {
  if (error instanceof OptionsError)
    tell(`${error.message}\nSet them in cdk.json under "context", or with -c NAME=VALUE.`);
  else if (error instanceof CheckError) refuse([error]);
  else throw error;
  process.exitCode = 1;
}

/** @returns the exit status */
async function deploy(options: ServiceOptions, region: string | undefined): Promise<number> {
  const { serviceName: stackName } = options;
  const qualifier = String(
    contextInForce['@aws-cdk/core:bootstrapQualifier'] ?? DefaultStackSynthesizer.DEFAULT_QUALIFIER,
  );
  if (region && canAsk()) await openMfaSession(region);
  const deployment = { region, options, allowsNewTable: newTable, qualifier };
  const { failedChecks, unknown, target, releaseBefore } = await preflight(deployment);
  for (const sentence of unknown) tell(`? ${sentence}`);
  if (failedChecks.length > 0) return refuse(failedChecks);
  tell(`✓ ${stackName} will be deployed to account ${target.account}, region ${target.region}.`);
  const back = announceRelease(releaseBefore);
  if (check) return 0;
  const notDeployed = cdkDeploy(target.region);
  if (notDeployed !== 0) return notDeployed; // CloudFormation has rolled everything back
  const status = verify(stackName, target.region);
  if (status !== 0) process.stderr.write(back);
  return status;
}

function refuse(failedChecks: readonly CheckError[]): number {
  for (const { message, next } of failedChecks) tell(`✗ ${message}\n  Next: ${next}`);
  return 1;
}

/** @returns the line that says how to go back to the running release; empty if it is this release, or if none runs */
function announceRelease(before: string | undefined): string {
  const { name } = releaseIn(projectFolder);
  const isOther = before !== undefined && (before !== name || !canSwitchTo(name));
  const back = isOther ? `To go back: ${wayBack(before, args)}\n` : '';
  process.stderr.write(`Release: ${name}${isOther ? `, after ${before}` : ''}.\n${back}`);
  return back;
}

function cdkDeploy(region: string): number {
  const cdk = join(projectFolder, 'node_modules', '.bin', 'cdk');
  const pairs = [...context].flatMap((pair) => ['--context', pair.join('=')]);
  return run(cdk, ['deploy', ...pairs, ...args.slice(end + 1)], region);
}

/** Verifies without changing data (OPERATE.md, "Verify"). */
function verify(stackName: string, region: string): number {
  tell(`Verifying the stack ${stackName}.`);
  const file = join(projectFolder, 'infra', 'verify', 'main.ts');
  const status = run(process.execPath, [file, '--stack', stackName], region);
  if (status !== 0)
    tell(
      `The stack is deployed, but its verification failed: the lines above say what to look at. To repeat it: npm run verify -- --stack ${stackName}`,
    );
  return status;
}

function run(command: string, options: readonly string[], region: string): number {
  const env = { ...process.env, AWS_REGION: region };
  const { status } = spawnSync(command, options, { cwd: projectFolder, env, stdio: 'inherit' });
  return status ?? 1;
}
