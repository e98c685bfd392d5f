import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { STSClient } from '@aws-sdk/client-sts';
import { InvalidArgumentError } from 'commander';
import { CliCommand } from '../cli/command.ts';
import { canAsk } from '../cli/confirm.ts';
import { checkEnvironmentOptions, contextOfCdkJson } from '../stack/environment-options.ts';
import { canSwitchTo, releaseIn } from '../stack/release.ts';
import type { ServiceOptions } from '../stack/service-options.ts';
import { OptionsError } from '../stack/service-options.ts';
import type { FailedCheck } from './failed-check.ts';
import { wayBack } from './go-back.ts';
import { askOnTerminal, openMfaSession } from './identity.ts';
import { preflight } from './preflight.ts';

/**
 * `npm run deploy` checks what can make a deployment fail, runs `cdk deploy`, and verifies the stack. With `--check` it only does the
 * first.
 */
const projectFolder = resolve(import.meta.dirname, '..', '..');

/** The context that the CDK command will read: cdk.json, overridden by `-c NAME=VALUE`. */
function contextOf(pairs: readonly string[]): Record<string, unknown> {
  const onCommandLine = pairs.map((pair) => [
    pair.split('=', 1)[0],
    pair.slice(pair.indexOf('=') + 1),
  ]);
  return { ...contextOfCdkJson(), ...Object.fromEntries(onCommandLine) };
}

/** The region, found as the CDK finds it: the environment, then the profile. */
async function regionOf(): Promise<string | undefined> {
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  // The SDK throws a plain Error if no region is set.
  const ofProfile = () => new STSClient({}).config.region().catch(() => undefined);
  return AWS_REGION || AWS_DEFAULT_REGION || (await ofProfile());
}

function printChecks(checks: readonly FailedCheck[]): void {
  for (const { issue, next } of checks) process.stderr.write(`✗ ${issue}\n  Next: ${next}\n`);
}

interface Options {
  check?: boolean;
  context?: string[];
  newTable?: boolean;
  profile?: string;
}

function collectPair(pair: string, before: readonly string[] = []): string[] {
  if (!/^[^=]+=/.test(pair))
    throw new InvalidArgumentError('It must be NAME=VALUE, such as alarmEmail=you@example.com.');
  return [...before, pair];
}

const program = new CliCommand('npm run deploy --')
  .description('check what can make a deployment fail, run cdk deploy, then verify the stack')
  .option('--check', 'only check')
  .option(
    '-c, --context <NAME=VALUE>',
    'option of the service, instead of its value in cdk.json; may be repeated',
    collectPair,
  )
  .option(
    '--new-table',
    'create an empty table although the service uses another one now, and tableName is not set',
  )
  .option('--profile <NAME>', 'AWS profile')
  .usage('[options] [-- <options of cdk deploy>]')
  .allowExcessArguments(false)
  .addHelpText(
    'after',
    `
Examples:
  npm run deploy -- --check
  npm run deploy -- -c environment=test -c alarmEmail=ops@example.com
  npm run deploy -- -- --require-approval never`,
  );
const args = process.argv.slice(2);
const end = args.includes('--') ? args.indexOf('--') : args.length;
program.parse(args.slice(0, end), { from: 'user' });
const { check = false, context = [], newTable = false, profile } = program.opts<Options>();
if (profile !== undefined) process.env.AWS_PROFILE = profile;

try {
  const options = checkEnvironmentOptions(contextOf(context), contextOfCdkJson());
  process.exitCode = await deploy(options);
} catch (error) {
  if (error instanceof OptionsError)
    process.stderr.write(
      `${error.message}\nSet them in cdk.json under "context", or with -c NAME=VALUE.\n`,
    );
  else throw error;
  process.exitCode = 1;
}

/** @returns the exit status */
async function deploy(options: ServiceOptions): Promise<number> {
  const { serviceName: stackName } = options;
  const qualifier = contextOf(context)['@aws-cdk/core:bootstrapQualifier'];
  const region = await regionOf();
  const refused = region && canAsk() ? await openMfaSession(region, askOnTerminal) : undefined;
  if (refused) {
    printChecks([refused]);
    return 1;
  }
  const { failedChecks, unknown, target, releaseBefore } = await preflight({
    region,
    stackName,
    options,
    allowsNewTable: newTable,
    ...(typeof qualifier === 'string' && { qualifier }),
  });
  for (const sentence of unknown) process.stderr.write(`? ${sentence}\n`);
  printChecks(failedChecks);
  if (failedChecks.length > 0 || !target) return 1;
  process.stderr.write(
    `✓ ${stackName} will be deployed to account ${target.account}, region ${target.region}.\n`,
  );
  const back = announceRelease(releaseBefore);
  if (check) return 0;
  const notDeployed = cdkDeploy(target.region);
  if (notDeployed !== 0) return notDeployed; // CloudFormation has taken everything back.
  const status = verify(stackName, target.region);
  if (status !== 0) process.stderr.write(back);
  return status;
}

/** @returns the line that says how to go back to the release that runs now; empty if that is this one, or nothing runs */
function announceRelease(before: string | undefined): string {
  const { name } = releaseIn(projectFolder);
  const isOther = before !== undefined && (before !== name || !canSwitchTo(name));
  const back = isOther ? `To go back: ${wayBack(before, args)}\n` : '';
  process.stderr.write(`Release: ${name}${isOther ? `, after ${before}` : ''}.\n${back}`);
  return back;
}

function cdkDeploy(region: string): number {
  const cdk = join(projectFolder, 'node_modules', '.bin', 'cdk');
  const options = [...context.flatMap((pair) => ['--context', pair]), ...args.slice(end + 1)];
  return run(cdk, ['deploy', ...options], region);
}

/** Without a change of data (OPERATE.md, "Verify"). */
function verify(stackName: string, region: string): number {
  process.stderr.write(`Verifying the stack ${stackName}.\n`);
  const file = join(projectFolder, 'infra', 'verify', 'main.ts');
  const status = run(process.execPath, [file, '--stack', stackName], region);
  if (status !== 0) {
    process.stderr.write(
      `The stack is deployed, but its verification failed: see above what to look at. Again: npm run verify -- --stack ${stackName}\n`,
    );
  }
  return status;
}

function run(command: string, options: readonly string[], region: string): number {
  const env = { ...process.env, AWS_REGION: region };
  const { status } = spawnSync(command, options, { cwd: projectFolder, env, stdio: 'inherit' });
  return status ?? 1;
}
