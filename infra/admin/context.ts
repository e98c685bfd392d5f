import type { Argument } from 'commander';
import type { Organization } from '../../shared/organization/organization.ts';
import { addAuditEntry, completeAuditEntry } from '../../shared/store/organizations/audit-log.ts';
import { loadOrganization } from '../../shared/store/organizations/organizations.ts';
import { openTable, type Table } from '../../shared/store/table/client.ts';
import { readUnitsPerSecondDefault, withPacedReads } from '../../shared/store/table/pacing.ts';
import {
  callerIdentity,
  clientSettings,
  endpointIn,
  isLoopback,
  useLocalTable,
} from '../cli/aws.ts';
import { CliCommand, CommandError } from '../cli/command.ts';
import { confirmed } from '../cli/confirm.ts';
import { integerOption, parseId, parseIds } from '../cli/options.ts';
import { ProgressLine } from '../cli/progress-line.ts';
import { type ServiceLocation, serviceOfStack } from '../cli/stack.ts';
import { defaultDataFolder, findRunningService } from '../local/running-service.ts';
import { checkClock } from './clock.ts';

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

/** What a command works with: opened on first use, so that help and wrong usage need no table. */
export class CommandContext {
  /** Of the exit. */
  status = 0;
  /** Names the table, also that of a stack or of the local service. */
  environment: NodeJS.ProcessEnv;
  /** Of the command's organization, if it has one. */
  organizationId = 0;
  /** Whether `--yes` confirms the command. */
  isConfirmed = false;
  /** The `--rate` of a command that has `withReadRate`. */
  readUnitsPerSecond: number | undefined;
  readonly program: AdminCommand;
  readonly #io: ProcessIo;
  readonly #progress: ProgressLine;
  #table: Table | undefined;
  #location: ServiceLocation | undefined;
  #identity: Promise<string> | undefined;
  #organization: Promise<Organization> | undefined;
  #organizationReadAt = 0;

  constructor(io: ProcessIo) {
    this.environment = io.environment;
    this.#io = io;
    const program = new AdminCommand('npm run admin --', this);
    this.program = program.hook('preAction', (_program, command) => {
      if (command instanceof CliCommand) command.checkUsage();
      const { organization, yes = false } = command.opts();
      this.organizationId = organization;
      this.isConfirmed = yes;
      return this.#locateTable();
    });
    this.#progress = new ProgressLine(io.hasTerminal ? io.stderr : undefined);
  }

  /** @throws CommandError when no table is named */
  table(): Table {
    if (this.#table) return this.#table;
    const { LEADS_TABLE: name } = this.environment;
    if (!name)
      throw new CommandError(
        `LEADS_TABLE is not set, and no local service runs on ${defaultDataFolder}: start it with npm start, name a deployed stack with --stack, or set LEADS_TABLE and the AWS variables.`,
      );
    // The AWS SDK reads the variables of the process, which do not name the region of a stack.
    const region = this.#location && { region: this.#location.region };
    this.#table = openTable(name, { ...clientSettings, ...region });
    checkClock(this.#table);
    return this.#table;
  }

  /**
   * The same table for reads of many items, at the rate of `--rate`, or one that leaves capacity for live traffic. A local engine is not paced,
   * unless a rate is given.
   */
  pacedTable(): Table {
    if (this.readUnitsPerSecond === undefined && this.isLocalEngine()) return this.table();
    return withPacedReads(this.table(), this.readUnitsPerSecond ?? readUnitsPerSecondDefault);
  }

  /** Whether the table is on an engine on this machine, which has no capacity that live traffic could need. */
  isLocalEngine(): boolean {
    return isLoopback(endpointIn(this.environment) ?? '');
  }

  /** The service that `--stack` names; without `--stack`, wrong usage. @param instead what a person does with a local service */
  deployed(instead: string): ServiceLocation {
    return (
      this.#location ??
      this.program.error(`error: name the deployed service with --stack NAME: ${instead}`)
    );
  }

  /**
   * The command's organization. Read again once it is a second old: settings may be applied during a long command.
   * @throws CommandError for an unknown organization
   */
  organization(): Promise<Organization> {
    if (!this.#organization || Date.now() - this.#organizationReadAt > organizationMaxAgeMs) {
      this.#organization = existingOrganization(this.table(), this.organizationId);
      this.#organizationReadAt = Date.now();
    }
    return this.#organization;
  }

  /** Who runs the command, for the audit log: the AWS identity, else the user of this machine. */
  callerIdentity(): Promise<string> {
    this.#identity ??= callerIdentity(this.environment, this.#location?.region);
    return this.#identity;
  }

  /** Prints the result: one JSON document with `--json`, else the lines for people. */
  print(result: unknown, ...lines: readonly (string | readonly string[])[]): void {
    this.#progress.clear();
    const isJson = this.program.opts().json;
    this.#io.stdout(`${isJson ? JSON.stringify(result) : lines.flat().join('\n')}\n`);
  }

  /** Prints a sentence to stderr, so that stdout has only the result. */
  note(sentence: string): void {
    this.#progress.clear();
    this.#io.stderr(`${sentence}\n`);
  }

  /**
   * Asks a person to type a word before a step that cannot be undone, unless `--yes` confirms it.
   * @throws CommandError unless it is typed
   */
  async confirm(warning: string, word: string): Promise<void> {
    if (!this.isConfirmed) await confirmed(warning, word);
  }

  /** Shows the progress of a long command on one terminal line that is overwritten. Prints nothing without a terminal. */
  progress(line: string): void {
    this.#progress.show(line);
  }

  /**
   * Runs a long command with an entry in the audit log. The entry is written first, so that a command that is interrupted has one too.
   * @param resultOf what the entry says of the result
   * @param dryRun nothing is written
   */
  async audited<T>(
    what: string,
    run: () => Promise<T>,
    resultOf: (result: T) => string,
    dryRun = false,
  ): Promise<T> {
    if (dryRun) return run();
    const action = { who: await this.callerIdentity(), what: `${what} begun` };
    const entry = await addAuditEntry(this.table(), this.organizationId, action);
    const result = await run();
    await completeAuditEntry(this.table(), entry, `${what}, ${resultOf(result)}`);
    return result;
  }

  /** The command still prints its result, and exits with status 1. */
  exitWithFailure(): void {
    this.status = 1;
  }

  /** Names what a command refused, a sentence each. The command has done the rest, and exits with status 1. */
  refuse(sentences: readonly string[]): void {
    if (sentences.length > 0) this.exitWithFailure();
    for (const sentence of sentences) this.note(sentence);
  }

  close(): void {
    this.#table?.client.destroy();
  }

  async #locateTable(): Promise<void> {
    const { stack } = this.program.opts<{ stack?: string }>();
    if (stack !== undefined) {
      this.#location = await serviceOfStack(stack, (warning) => this.note(warning));
      const { name: LEADS_TABLE, region: AWS_REGION } = this.#location;
      this.environment = { ...this.environment, LEADS_TABLE, AWS_REGION };
    } else if (!this.environment.LEADS_TABLE) {
      const service = await findRunningService(this.#io.localFolder);
      if (!service) return; // a command that needs a table says so
      this.environment = { ...this.environment, ...service.environment };
      useLocalTable(service.environment);
    }
  }
}

const rateMax = 40_000;

/** A command of the administrator. */
export class AdminCommand extends CliCommand {
  /** What the command prints with `--json`. */
  jsonForm = '';
  readonly #context: CommandContext;

  constructor(name: string | undefined, context: CommandContext) {
    super(name);
    this.#context = context;
  }

  override createCommand(name?: string): AdminCommand {
    return new AdminCommand(name, this.#context);
  }

  /** Says in the help and in COMMANDS.md what `--json` prints. A name with `?` can be absent. */
  json(form: string): this {
    this.jsonForm = form;
    return this.notes(`\nWith --json (a name with ? can be absent):\n  ${form}`);
  }

  /** @param action gets the command's first argument, if it has one */
  run<Options extends object>(
    action: (context: CommandContext, options: Options, argument: string) => void | Promise<void>,
  ): this {
    return this.action(() => action(this.#context, this.opts() as Options, this.processedArgs[0]));
  }

  /** Adds `--organization`, whose ID can also be the last argument. */
  withOrganization(isRequired: boolean): this {
    return this.argument('[ORGANIZATION]', 'its ID, instead of --organization', parseId)
      .option('--organization <ID>', `organization ID${isRequired ? ' (required)' : ''}`, parseId)
      .refuse(({ organization }: { readonly organization?: number }) => {
        const requested = [organization, this.processedArgs.at(-1)].filter(
          (id) => id !== undefined,
        );
        this.setOptionValue('organization', requested[0]);
        if (requested.length > 1)
          return 'name one organization, by --organization ID or as an argument';
        return (
          isRequired &&
          requested.length === 0 &&
          "required option '--organization <ID>' not specified"
        );
      });
  }

  /**
   * Adds a command for one organization, which `CommandContext` then reads.
   * @param file an argument in front of the organization's ID
   */
  ofOrganization(name: string, description: string, file?: Argument): AdminCommand {
    const command = this.command(name).description(description);
    return (file ? command.addArgument(file) : command).withOrganization(true);
  }

  /** Adds `--rate`, for a command that reads many items. */
  withReadRate(): this {
    return this.option(
      '--rate <UNITS>',
      `maximum number of read units per second, 1 to ${rateMax} (default: ${readUnitsPerSecondDefault}; without limit on a local engine)`,
      integerOption(1, rateMax),
    ).hook('preAction', () => {
      this.#context.readUnitsPerSecond = this.opts().rate;
    });
  }

  /** Adds a command for one lead of an organization. */
  ofLead(name: string, description: string): AdminCommand {
    const command = this.ofOrganization(name, description);
    return command.requiredOption('--lead <ID>', 'lead ID', parseId);
  }

  /** Adds a command for several leads of an organization. */
  ofLeads(name: string, description: string): AdminCommand {
    const command = this.ofOrganization(name, description);
    const text = 'lead ID; separate several with commas';
    return command.requiredOption('--lead <ID>', text, parseIds);
  }
}

export const unknownOrganizationError = (table: Table, organizationId: number) =>
  new CommandError(
    `There is no organization ${organizationId} in table ${table.name}: list the organizations with organization list, or create one with organization apply.`,
  );

/** @throws CommandError for an unknown organization */
export async function existingOrganization(
  table: Table,
  organizationId: number,
): Promise<Organization> {
  const organization = await loadOrganization(table, organizationId);
  if (!organization) throw unknownOrganizationError(table, organizationId);
  return organization;
}

const organizationMaxAgeMs = 1000;
