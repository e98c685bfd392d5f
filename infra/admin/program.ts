import { CommanderError, Help, type Option } from 'commander';
import { apiKeyPrefix } from '../../shared/organization/api-key.ts';
import { rateLimitsIn } from '../../shared/rate-limits.ts';
import {
  readUnitsPerSecondDefault,
  withPacedReads,
} from '../../shared/store/maintenance/pacing.ts';
import { openTable, type Table } from '../../shared/store/table/client.ts';
import { clientTimeouts, endpointIn, endpointWarning } from '../cli/aws.ts';
import { CliCommand } from '../cli/command.ts';
import { ProgressLine } from '../cli/progress-line.ts';
import { defaultDataFolder, findRunningService } from '../local/running-service.ts';
import { callerIdentity } from './caller-identity.ts';
import { checkClock } from './clock.ts';
import { type CommandContext, CommandError, type ServiceLocation } from './context.ts';
import { failureLines } from './failures.ts';
import { keyCommands } from './key/key.ts';
import { leadCommands } from './lead/lead.ts';
import { organizationCommands } from './organization/organization.ts';
import { requestCommand } from './request/request.ts';
import { serviceOfStack } from './stack.ts';
import { checkCommand } from './table/check.ts';
import { restoreCommands } from './table/restore.ts';
import { serviceCommands } from './table/service.ts';

/** The environment that a command reads, and the streams that it prints to. */
export interface ProcessIo {
  readonly environment: NodeJS.ProcessEnv;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Whether stderr is a terminal. */
  readonly hasTerminal: boolean;
  /** The data folder of the local service that is used if the environment names no table. */
  readonly localFolder: string;
}

const wrongUsage = 2;

/** Runs one administrator's command. @returns the exit status: 0, 1 (refused or failed) or 2 (wrong usage) */
export const runAdmin = (args: readonly string[], io: ProcessIo): Promise<number> =>
  new AdminRun(io).run(args);

/** In the order of the help. */
const commandGroups = [
  organizationCommands,
  keyCommands,
  leadCommands,
  checkCommand,
  restoreCommands,
  requestCommand,
  serviceCommands,
];

/** One run of a command, with what it opens on first use. */
class AdminRun {
  /** Its environment names the table, also that of a stack or of the local service. */
  #io: ProcessIo;
  readonly #progress: ProgressLine;
  readonly #program = new CliCommand('npm run admin --');
  #table: Table | undefined;
  /** Set by `--stack`. */
  #location: ServiceLocation | undefined;
  #identity: Promise<string> | undefined;
  #status = 0;

  constructor(io: ProcessIo) {
    this.#io = io;
    this.#progress = new ProgressLine(io.hasTerminal ? io.stderr : undefined);
    describeProgram(this.#program, io).hook('preAction', () => this.#locateTable());
  }

  async run(args: readonly string[]): Promise<number> {
    try {
      for (const addTo of commandGroups) addTo(this.#program, this.#context());
      await this.#program.parseAsync([...args], { from: 'user' });
      return this.#status;
    } catch (error) {
      if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : wrongUsage;
      this.#note(failureLines(error, this.#io.environment).join('\n'));
      return 1;
    } finally {
      this.#table?.client.destroy();
    }
  }

  #context(): CommandContext {
    return {
      table: () => this.#openTable(),
      isLocalEngine: () => isLocalEngine(this.#io.environment),
      pacedTable: (readUnitsPerSecond) => this.#pacedTable(readUnitsPerSecond),
      rateLimits: () => this.#location?.rateLimits ?? rateLimitsIn(this.#io.environment),
      deployed: () => this.#location,
      callerIdentity: () => {
        this.#identity ??= callerIdentity(this.#io.environment, this.#location?.region);
        return this.#identity;
      },
      print: (result, forPeople) => {
        this.#progress.clear();
        this.#io.stdout(`${this.#program.opts().json ? JSON.stringify(result) : forPeople()}\n`);
      },
      note: (sentence) => this.#note(sentence),
      progress: (line) => this.#progress.show(line),
      exitWithFailure: () => {
        this.#status = 1;
      },
    };
  }

  #openTable(): Table {
    if (!this.#table) {
      const { LEADS_TABLE: name } = this.#io.environment;
      if (!name) throw new CommandError(noTable);
      // The AWS SDK reads the variables of the process, which do not name the region of a stack.
      const region = this.#location && { region: this.#location.region };
      this.#table = openTable(name, { ...clientTimeouts, ...region });
      checkClock(this.#table);
    }
    return this.#table;
  }

  #pacedTable(readUnitsPerSecond: number | undefined): Table {
    const table = this.#openTable();
    if (readUnitsPerSecond === undefined && isLocalEngine(this.#io.environment)) return table;
    return withPacedReads(table, readUnitsPerSecond ?? readUnitsPerSecondDefault);
  }

  #note(text: string): void {
    this.#progress.clear();
    this.#io.stderr(`${text}\n`);
  }

  async #locateTable(): Promise<void> {
    const { stack } = this.#program.opts<{ stack?: string }>();
    if (stack !== undefined) return this.#locateStack(stack);
    if (this.#io.environment.LEADS_TABLE) return;
    const { environment } = (await findRunningService(this.#io.localFolder)) ?? {};
    if (!environment) return; // a command that needs a table says so
    this.#setEnvironment(environment);
    // The AWS SDK reads the variables of the process, and a profile before the local service's keys.
    Object.assign(process.env, environment);
    delete process.env.AWS_PROFILE;
  }

  async #locateStack(stack: string): Promise<void> {
    const location = await serviceOfStack(stack);
    this.#location = location;
    const warning = endpointWarning(this.#io.environment, { stack, table: location.name });
    if (warning !== undefined) this.#note(warning);
    this.#setEnvironment({ LEADS_TABLE: location.name, AWS_REGION: location.region });
  }

  #setEnvironment(variables: Readonly<Record<string, string>>): void {
    this.#io = { ...this.#io, environment: { ...this.#io.environment, ...variables } };
  }
}

const isLocalEngine = (environment: NodeJS.ProcessEnv): boolean =>
  /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/i.test(endpointIn(environment) ?? '');

const describeProgram = (program: CliCommand, { stdout, stderr }: ProcessIo): CliCommand =>
  program
    .description(
      'manage organizations, API keys and leads in the table that LEADS_TABLE names, or of the local service',
    )
    .option('--json', 'print the result as one JSON document')
    .option(
      '--stack <NAME>',
      'use the table of this deployed stack (NAME/ID: of one of its services) instead of LEADS_TABLE or the local service',
    )
    .configureHelp({ showGlobalOptions: true, optionDescription: describeOption })
    .configureOutput({
      writeOut: stdout,
      writeErr: stderr,
      outputError: (text, write) => write(redactKeys(text)),
    })
    .addHelpText(
      'after',
      `
Examples:
  npm run admin -- organization list
  npm run admin -- lead find --organization 1 --email asha@example.com
  npm run --silent admin -- check --json
  npm run admin -- organization list --stack leads

Each command has its own --help with examples.`,
    )
    .exitOverride();

const noTable = `LEADS_TABLE is not set, and no local service runs on ${defaultDataFolder}: start it with npm start, name a deployed stack with --stack, or set LEADS_TABLE and the AWS variables.`;

/** Hides an API key that was typed in place of its ID, so that the error does not put it into a job's output. */
const redactKeys = (text: string): string =>
  text.replace(new RegExp(`${apiKeyPrefix}\\w+`, 'g'), `${apiKeyPrefix}…`);

function describeOption(option: Option): string {
  return `${new Help().optionDescription(option)}${option.mandatory ? ' (required)' : ''}`;
}
