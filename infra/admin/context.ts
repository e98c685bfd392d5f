import type { Organization } from '../../shared/organization/organization.ts';
import {
  type AuditAction,
  addAuditEntry,
  completeAuditEntry,
} from '../../shared/store/organizations/audit-log.ts';
import { loadOrganization } from '../../shared/store/organizations/organizations.ts';
import { type OrganizationTable, openTable, type Table } from '../../shared/store/table/client.ts';
import { readUnitsPerSecondDefault, withPacedReads } from '../../shared/store/table/pacing.ts';
import {
  callerIdentity,
  clientSettings,
  endpointIn,
  isLoopback,
  useLocalTable,
} from '../cli/aws.ts';
import { type CliCommand, CommandError } from '../cli/command.ts';
import { confirmed } from '../cli/confirm.ts';
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
  /** The width of the terminal, if stdout is one. */
  readonly columns?: number | undefined;
  /** The data folder of the local service that is used if the environment names no table. */
  readonly localFolder: string;
}

/** The options that the context needs. */
interface ContextOptions {
  readonly json?: boolean;
  readonly stack?: string;
  readonly organization?: number;
  readonly yes?: boolean;
}

/** A command, with the `--rate` of one that has `withReadRate`. */
type RunningCommand = CliCommand & { readonly readUnitsPerSecond?: number | undefined };

/** What a command works with. The table is opened on first use, so that a command that does not use it needs none. */
export class CommandContext {
  /** Names the table, even if it comes from a stack or the local service. */
  readonly environment: NodeJS.ProcessEnv;
  /** Whether `--yes` confirms the command. */
  readonly isConfirmed: boolean;
  readonly command: RunningCommand;
  /** The service that `--stack` names, if any. */
  readonly location: ServiceLocation | undefined;
  readonly #io: ProcessIo;
  readonly #progress: ProgressLine;
  #status = 0;
  #table: Table | undefined;
  #pacedTable: Table | undefined;
  #identity: Promise<string> | undefined;
  #organization: (() => Promise<Organization>) | undefined;

  private constructor(
    io: ProcessIo,
    command: RunningCommand,
    environment: NodeJS.ProcessEnv,
    location?: ServiceLocation,
  ) {
    this.#io = io;
    this.command = command;
    this.environment = environment;
    this.isConfirmed = command.optsWithGlobals<ContextOptions>().yes ?? false;
    this.location = location;
    this.#progress = new ProgressLine(io.stderr, io.hasTerminal);
  }

  /** Looks up the table of `--stack`. Without `--stack`, and if the environment names no table, looks up the local service's table. */
  static async of(io: ProcessIo, command: RunningCommand): Promise<CommandContext> {
    const { environment } = io;
    const { stack } = command.optsWithGlobals<ContextOptions>();
    if (stack !== undefined) {
      const location = await serviceOfStack(stack, (warning) => io.stderr(`${warning}\n`));
      const { name: LEADS_TABLE, region: AWS_REGION } = location;
      return new CommandContext(io, command, { ...environment, LEADS_TABLE, AWS_REGION }, location);
    }
    const service = environment.LEADS_TABLE ? undefined : await findRunningService(io.localFolder);
    if (!service) return new CommandContext(io, command, environment); // a command that needs a table reports it
    useLocalTable(service.environment);
    return new CommandContext(io, command, { ...environment, ...service.environment });
  }

  /** The exit status of the process. */
  get status(): number {
    return this.#status;
  }

  /** The organization's ID, for a command `ofOrganization`. */
  get organizationId(): number {
    const { organization } = this.command.opts<ContextOptions>();
    if (organization === undefined) throw new Error(`${this.command.name()} has no organization.`);
    return organization;
  }

  /** @throws CommandError when no table is named */
  table(): Table {
    if (this.#table) return this.#table;
    const { LEADS_TABLE: name } = this.environment;
    if (!name)
      throw new CommandError(
        `LEADS_TABLE is not set, and no local service runs on ${defaultDataFolder}: start it with npm start, name a deployed stack with --stack, or set LEADS_TABLE and the AWS variables.`,
      );
    // The AWS SDK reads the variables of the process, which do not name a stack's region.
    const region = this.location && { region: this.location.region };
    this.#table = openTable(name, { ...clientSettings, ...region });
    checkClock(this.#table);
    return this.#table;
  }

  /**
   * The same table, for reads of many items. All of a command's reads share the rate of `--rate`, or a rate that leaves capacity for live
   * traffic. A local engine is not paced, unless a rate is given.
   */
  pacedTable(): Table {
    const { readUnitsPerSecond: rate } = this.command;
    if (rate === undefined && this.isLocalEngine()) return this.table();
    this.#pacedTable ??= withPacedReads(this.table(), rate ?? readUnitsPerSecondDefault);
    return this.#pacedTable;
  }

  /** Whether the table is on an engine on this machine, where no live traffic needs capacity. */
  isLocalEngine(): boolean {
    return isLoopback(endpointIn(this.environment) ?? '');
  }

  /** The service that `--stack` names. Reports wrong usage without `--stack`. @param instead what to do with a local service instead */
  deployed(instead: string): ServiceLocation {
    return (
      this.location ??
      this.command.error(`error: name the deployed service with --stack NAME: ${instead}`)
    );
  }

  /**
   * The command's organization. It is read again after a second, because settings may be applied during a long command.
   * @throws CommandError for an unknown organization
   */
  organization(): Promise<Organization> {
    this.#organization ??= currentOrganization(this.table(), this.organizationId);
    return this.#organization();
  }

  /** Who runs the command, for the audit log: the AWS identity or, without one, the user of this machine. */
  callerIdentity(): Promise<string> {
    this.#identity ??= callerIdentity(this.environment, this.location?.region);
    return this.#identity;
  }

  /** The width of the terminal, for `formatTable`. */
  get width(): number | undefined {
    return this.#io.columns;
  }

  /** Prints the result: with `--json`, one JSON document; otherwise, the lines for people. */
  print(result: unknown, ...lines: readonly (string | readonly string[])[]): void {
    this.#progress.clear();
    const isJson = this.command.optsWithGlobals<ContextOptions>().json;
    this.#io.stdout(`${isJson ? JSON.stringify(result) : lines.flat().join('\n')}\n`);
  }

  /** Prints a sentence to stderr, so that stdout has only the result. */
  note(sentence: string): void {
    this.#progress.clear();
    this.#io.stderr(`${sentence}\n`);
  }

  /**
   * Asks the user to type a word before a step that cannot be undone, unless `--yes` confirms it.
   * @throws CommandError if another text is typed
   */
  async confirm(warning: string, word: string): Promise<void> {
    if (!this.isConfirmed) await confirmed(warning, word);
  }

  /** Shows the progress of a long command on one terminal line that is overwritten; without a terminal, a line a minute. */
  progress(line: string): void {
    this.#progress.show(line);
  }

  /**
   * Runs a long command with an entry in the audit log. The entry is written first, so that even an interrupted command has one.
   * @param resultOf what the entry says about the result
   * @param leadIds the leads that the command names
   * @param dryRun true if nothing is written, not even the entry
   */
  async audited<T>(
    what: string,
    run: () => Promise<T>,
    resultOf: (result: T) => string,
    { leadIds, dryRun = false }: { leadIds?: readonly number[]; dryRun?: boolean } = {},
  ): Promise<T> {
    if (dryRun) return run();
    const scope = { table: this.table(), organizationId: this.organizationId };
    const action = { who: await this.callerIdentity(), what, ...(leadIds && { leadIds }) };
    return audited(scope, action, run, resultOf);
  }

  /** The command still prints its result, and exits with status 1. */
  exitWithFailure(): void {
    this.#status = 1;
  }

  /** Prints a sentence for each refusal. The command has done everything else, and exits with status 1. */
  refuse(sentences: readonly string[]): void {
    if (sentences.length > 0) this.exitWithFailure();
    for (const sentence of sentences) this.note(sentence);
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

/** An organization's current state: it is read again after a second. */
export function currentOrganization(
  table: Table,
  organizationId: number,
): () => Promise<Organization> {
  let organization: Promise<Organization> | undefined;
  let readAt = 0;
  return () => {
    if (!organization || Date.now() - readAt > organizationMaxAgeMs) {
      organization = existingOrganization(table, organizationId);
      readAt = Date.now();
    }
    return organization;
  };
}

/** Like `CommandContext.audited`, but also for the page. */
export async function audited<T>(
  { table, organizationId }: OrganizationTable,
  action: AuditAction & { readonly leadIds?: readonly number[] },
  run: () => Promise<T>,
  resultOf: (result: T) => string,
): Promise<T> {
  const entry = await addAuditEntry(table, organizationId, { ...action, state: 'started' });
  const result = await run();
  await completeAuditEntry(table, entry, `${action.what}, ${resultOf(result)}`);
  return result;
}
