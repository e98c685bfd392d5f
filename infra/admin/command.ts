import type { Argument } from 'commander';
import { readUnitsPerSecondDefault } from '../../shared/store/table/pacing.ts';
import { CliCommand, helpLines } from '../cli/command.ts';
import { integerOption, parseId, parseIds } from '../cli/options.ts';
import type { CommandContext } from './context.ts';

const rateMax = 40_000;

/** What a command does. */
type Action = (context: CommandContext) => void | Promise<void>;
type Perform = (command: AdminCommand, action: Action) => Promise<void>;

/** A command of the administrator. */
export class AdminCommand extends CliCommand {
  /** What the command prints with `--json`. */
  jsonForm = '';
  #hasReadRate = false;
  readonly #perform: Perform;

  /** @param perform runs an action with its command's context */
  constructor(name: string | undefined, perform: Perform) {
    super(name);
    this.#perform = perform;
  }

  override createCommand(name?: string): AdminCommand {
    return new AdminCommand(name, this.#perform);
  }

  /** Documents what `--json` prints, in the help and in COMMANDS.md. A name with `?` can be absent. */
  json(form: string): this {
    this.jsonForm = form;
    const lines = helpLines(form.match(/[^,;]+[,;]? ?/g) ?? [], { indent: '  ' });
    return this.notes(`\nWith --json (a name with ? can be absent):\n${lines}`);
  }

  /** @param action receives the command's first argument, if it has one */
  run<Options extends object>(
    action: (context: CommandContext, options: Options, argument: string) => void | Promise<void>,
  ): this {
    return this.action(() =>
      this.#perform(this, (context) =>
        action(context, this.opts() as Options, this.processedArgs[0]),
      ),
    );
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

  /** The value of `--rate`; undefined for a command whose `--rate` is another. */
  get readUnitsPerSecond(): number | undefined {
    return this.#hasReadRate ? this.opts().rate : undefined;
  }

  /** Adds `--rate`, for a command that reads many items. */
  withReadRate(): this {
    this.#hasReadRate = true;
    return this.option(
      '--rate <UNITS>',
      `maximum number of read units per second, 1 to ${rateMax} (default: ${readUnitsPerSecondDefault}; without limit on a local engine)`,
      integerOption(1, rateMax),
    );
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
