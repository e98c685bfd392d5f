import { openTable } from '../../shared/store/table/client.ts';
import { clientSettings, useLocalTable } from '../cli/aws.ts';
import { CliCommand, CommandError, exitRefused, tell } from '../cli/command.ts';
import { type ServiceLocation, serviceOfStack } from '../cli/stack.ts';
import { localFolder } from '../local/running-service.ts';
import { Checks, linesOfResults } from './check.ts';
import { contractChecks } from './contract-checks.ts';
import { readOnlyChecks } from './read-only-checks.ts';
import { tableCheck } from './table-check.ts';
import { baseUrlIssue, localVariables } from './target.ts';
import { type TemporaryOrganization, writeChecks } from './write-checks.ts';

interface Options {
  url?: string;
  stack?: string;
  write?: boolean;
  contract?: boolean;
  json?: boolean;
}

/** The service to verify. A stack's outputs say more about it than a URL does. */
type Target = Pick<ServiceLocation, 'baseUrl'> & Partial<ServiceLocation>;

/** The status that a shell reports for a command that SIGINT ended. */
const interruptedStatus = 130;

/** `npm run verify`, in the process that main.ts starts. The environment names the table. */
const program = new CliCommand('npm run verify --')
  .description('check a deployed or a local service against the contract, one line per check')
  .option('--url <BASE_URL>', 'base URL: what comes before /api/v1')
  .option(
    '--stack <NAME>',
    'a deployed stack, or NAME/ID for one of its services, instead of --url',
  )
  .option(
    '--write',
    'also write: a temporary organization, every write of the contract, and its removal',
  )
  .option('--contract', 'also run the contract tests against this address and its table')
  .option('--json', 'print one JSON document')
  .refuse(usageIssue)
  .notes(`
Without --write and --contract, nothing is written: no request has a known key.
--write sends about 100 requests, 80 of them with a key that expires after an hour.
It removes its organization at its end, also after a failure or Ctrl-C; after a kill,
a run an hour later does. The bus of events gets its events.

Run --contract on a test service, without traffic: it takes minutes. It creates and
removes some hundred organizations, needs the contract's own limits of requests, and
reads the whole table at its end. It provokes errors, so the ServerErrors alarm goes
off. What each option proves is in infra/OPERATE.md, "Verify".

Status: 0 if all checks passed, 1 if one failed or could not begin, 2 for wrong
usage, 130 if interrupted. With --json (a name with ? can be absent):
  {"url","stack"?,"release"?,"version"?,"passed":N,"failed":N,
   "checks":[{"check","passed","came","next"?,"note"?}],
   "temporaryOrganization"?:{"id","removed"}}

Examples:
  npm run verify -- --url http://127.0.0.1:4010
  npm run verify -- --stack lead-service-production
  npm run verify -- --stack lead-service-test --write --json`);
program.parse().checkUsage();
const options = program.opts<Options>();

const interruption = new AbortController();
for (const event of ['message', 'disconnect'] as const) process.once(event, interrupt);
// A reader that has read enough, such as `head`, closes the pipe.
process.stdout.on('error', () => interruption.abort());
process.stderr.on('error', () => undefined);

try {
  process.exit(await verify(await findTarget(options)));
} catch (error) {
  exitRefused(error);
}

function interrupt(): void {
  if (!interruption.signal.aborted)
    tell('Interrupted: finishing the current check and removing what was written.');
  interruption.abort();
}

/** After main.ts was killed, nobody reads a line. */
function print(line: string): void {
  if (process.connected) process.stdout.write(`${line}\n`);
}

function usageIssue({ url, stack }: Options): string | undefined {
  if (url === undefined)
    return stack ? undefined : 'name what to verify: --url BASE_URL or --stack NAME';
  if (stack !== undefined) return 'name either --url or --stack, not both';
  const issue = baseUrlIssue(url);
  return issue && `--url ${url} ${issue}`;
}

/** Finds the service, and sets its table in the environment, if it is known. @throws CommandError */
async function findTarget({ url = '', stack, write, contract }: Options): Promise<Target> {
  if (stack !== undefined) {
    const service = await serviceOfStack(stack, tell);
    Object.assign(process.env, { LEADS_TABLE: service.name, AWS_REGION: service.region });
    return service;
  }
  const baseUrl = url.replace(/\/+$/, '');
  const local = process.env.LEADS_TABLE ? undefined : localVariables(baseUrl, localFolder);
  if (local) useLocalTable(local);
  if ((write || contract) && !process.env.LEADS_TABLE)
    throw new CommandError(
      `${write ? '--write' : '--contract'} needs the table of ${baseUrl}: set LEADS_TABLE and the AWS variables that npm start printed, or use --stack.`,
    );
  return { baseUrl };
}

/** @returns the exit status: 0, 1 (a check failed, or the temporary organization could not be removed) or 130 (interrupted) */
async function verify(target: Target): Promise<number> {
  const { json = false, stack } = options;
  const { baseUrl: url, release, version } = target;
  const ofStack = stack === undefined ? {} : { stack, release, version };
  if (stack !== undefined && !json) print(`Stack ${stack} ${releaseText(target)}.`);
  const lineOf = linesOfResults();
  const checks = new Checks((result) => json || print(lineOf(result)), interruption.signal);
  const isReached = await readOnlyChecks(checks, url);
  const temporaryOrganization = await tableChecks(checks, url, isReached);
  const failed = checks.results.filter(({ passed }) => !passed).length;
  const passed = checks.results.length - failed;
  const document = {
    url,
    ...ofStack,
    passed,
    failed,
    checks: checks.results,
    ...(temporaryOrganization && { temporaryOrganization }),
  };
  print(json ? JSON.stringify(document) : `${passed} passed, ${failed} failed`);
  if (interruption.signal.aborted) return interruptedStatus;
  return failed > 0 || temporaryOrganization?.removed === false ? 1 : 0;
}

/** Checks the table, if the run writes or verifies a stack, and then runs the checks of `--write` and `--contract`. */
async function tableChecks(
  checks: Checks,
  baseUrl: string,
  isReached: boolean,
): Promise<TemporaryOrganization | undefined> {
  const { write, contract, stack } = options;
  if (!(write || contract || stack)) return undefined;
  const table = openTable(process.env.LEADS_TABLE, clientSettings);
  const isUsable = await checks.passes(`Table ${table.name}`, () => tableCheck(table));
  // Never sends a key to an address that is not the service's.
  if (!isUsable || !isReached) return undefined;
  process.env.VERIFIED_BASE_URL = baseUrl;
  const temporaryOrganization = write ? await writeChecks(checks, baseUrl, table) : undefined;
  if (contract) await contractChecks(checks, baseUrl, table);
  return temporaryOrganization;
}

/** Names the release that is checked. */
function releaseText({ release, version }: Target): string {
  return release ? `runs ${release}, version ${version}` : 'does not say which release it runs';
}
