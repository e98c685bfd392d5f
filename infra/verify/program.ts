import { CommanderError } from 'commander';
import { openTable, type Table } from '../../shared/store/table/client.ts';
import { CommandError } from '../admin/context.ts';
import { failureLines } from '../admin/failures.ts';
import { clientTimeouts, endpointWarning } from '../cli/aws.ts';
import { CliCommand } from '../cli/command.ts';
import { type CheckResult, Checks, InterruptedError } from './check.ts';
import { contractChecks } from './contract-checks.ts';
import { readOnlyChecks } from './read-only-checks.ts';
import { tableCheck } from './table-check.ts';
import { baseUrlIssue, clientConfigOf, type Target, targetOfStack, targetOfUrl } from './target.ts';
import { type TemporaryOrganization, writeChecks } from './write-checks.ts';

/** The environment and streams of a run, and what interrupts it. */
export interface VerifyIo {
  readonly environment: NodeJS.ProcessEnv;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly interrupted: AbortSignal;
  /** The data folder of the local service. */
  readonly localFolder: string;
}

interface Options {
  url?: string;
  stack?: string;
  write?: boolean;
  contract?: boolean;
  json?: boolean;
}

/** As a shell reports a command that SIGINT ended. */
const interruptedStatus = 130;

/** Runs the command. @returns the exit status: 0, 1 (a check failed, or could not begin), 2 (wrong usage) or 130 (interrupted) */
export async function runVerify(args: readonly string[], io: VerifyIo): Promise<number> {
  const program = describeProgram(io);
  try {
    program.parse([...args], { from: 'user' });
    const options = program.opts<Options>();
    requireUsage(program, options);
    return await new VerifyRun(io, options).run();
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    if (error instanceof CommandError) {
      io.stderr(`${error.message}\n`);
      return 1;
    }
    throw error;
  }
}

const describeProgram = ({ stdout, stderr }: VerifyIo): CliCommand =>
  new CliCommand('npm run verify --')
    .description('check a deployed or a local service against the contract, a line per check')
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
    .allowExcessArguments(false)
    .configureOutput({ writeOut: stdout, writeErr: stderr })
    .exitOverride()
    .addHelpText(
      'after',
      `
Without --write and --contract, nothing is written: no request has a known key.

--write needs the table: that of the stack, the one that LEADS_TABLE and the
AWS variables name, or that of the local service in .local. It sends about 100
requests. Its keys expire after an hour. It removes the organization at its end,
also after a failure, Ctrl-C or a kill; a run an hour later removes what is left.

--contract makes some hundred organizations, in the same table, and removes
them. Run it on a test service, without traffic: it takes minutes.

The last line is "N passed, N failed". Status: 0, 1 if any check failed, 2 for
wrong usage.

With --stack, the first line says which release the stack runs.

Examples:
  npm run verify -- --url http://127.0.0.1:4010
  npm run verify -- --stack lead-service-production
  npm run verify -- --stack lead-service-test --write --json`,
    );

function requireUsage(program: CliCommand, { url, stack }: Options): void {
  if (url === undefined && stack === undefined)
    program.error('Name what to verify: --url BASE_URL or --stack NAME.');
  if (url !== undefined && stack !== undefined)
    program.error('Name either --url or --stack, not both.');
  const issue = url === undefined ? undefined : baseUrlIssue(url);
  if (issue !== undefined) program.error(`--url ${url}: It ${issue}`);
}

/** One run, with what it opens. */
class VerifyRun {
  readonly #io: VerifyIo;
  readonly #options: Options;
  readonly #checks: Checks;
  #temporary: TemporaryOrganization | undefined;

  constructor(io: VerifyIo, options: Options) {
    this.#io = io;
    this.#options = options;
    this.#checks = new Checks((result) => this.#print(result), io.interrupted);
  }

  async run(): Promise<number> {
    const target = await this.#target();
    this.#printRelease(target);
    let isInterrupted = false;
    try {
      await readOnlyChecks(this.#checks, target.baseUrl);
      await this.#tableChecks(target);
    } catch (error) {
      if (!(error instanceof InterruptedError)) throw error;
      isInterrupted = true;
    }
    const failed = this.#summarize(target);
    if (isInterrupted) return interruptedStatus;
    return failed > 0 || this.#temporary?.removed === false ? 1 : 0;
  }

  async #target(): Promise<Target> {
    const { url = '', stack, write, contract } = this.#options;
    const { environment, localFolder } = this.#io;
    const target =
      stack === undefined
        ? targetOfUrl(url, environment, localFolder)
        : await targetOfStack(stack).catch((error: unknown) => {
            throw new CommandError(failureLines(error, environment).join('\n'), { cause: error });
          });
    if ((write || contract) && !target.variables) {
      throw new CommandError(
        `${write ? '--write' : '--contract'} needs the table of ${target.baseUrl}: set LEADS_TABLE and the AWS variables that npm start printed, or use --stack.`,
      );
    }
    return target;
  }

  async #tableChecks({ baseUrl, variables }: Target): Promise<void> {
    const { write, contract, stack } = this.#options;
    const { environment, interrupted } = this.#io;
    if (!variables || !(write || contract || stack)) return;
    const table: Table = openTable(variables.LEADS_TABLE, {
      ...clientTimeouts,
      ...clientConfigOf(variables),
    });
    const warning = stack && endpointWarning(environment, { stack, table: table.name });
    if (warning) this.#note(warning);
    const options = { checks: this.#checks, baseUrl, table, variables, interrupted };
    try {
      if (!(await this.#checks.passes(`Table ${table.name}`, () => tableCheck(table)))) return;
      if (write)
        await writeChecks({ ...options, note: this.#note }, (result) => {
          this.#temporary = result;
        });
      if (contract) await contractChecks({ ...options, note: this.#note });
    } finally {
      table.client.destroy();
    }
  }

  readonly #note = (sentence: string): void => this.#io.stderr(`${sentence}\n`);

  /** First of all: which release the checks are about. */
  #printRelease({ stack, release, version }: Target): void {
    if (stack === undefined || this.#options.json) return;
    const what = release
      ? `runs ${release}, version ${version}`
      : 'does not say which release it runs';
    this.#io.stdout(`Stack ${stack} ${what}.\n`);
  }

  #print({ check, passed, came, next }: CheckResult): void {
    if (this.#options.json) return;
    const line = passed ? `✓ ${check}: ${came}` : `✗ ${check}: ${came}. Next: ${next}`;
    this.#io.stdout(`${line.replace(/\s*\n\s*/g, ' ')}\n`);
  }

  /** @returns how many checks failed */
  #summarize({ baseUrl, stack, release, version }: Target): number {
    const { results } = this.#checks;
    const failed = results.filter(({ passed }) => !passed).length;
    const passed = results.length - failed;
    const document = {
      url: baseUrl,
      ...(stack !== undefined && { stack, release, version }),
      passed,
      failed,
      checks: results,
      ...(this.#temporary && { temporaryOrganization: this.#temporary }),
    };
    const summary = `${passed} passed, ${failed} failed`;
    this.#io.stdout(`${this.#options.json ? JSON.stringify(document) : summary}\n`);
    return failed;
  }
}
