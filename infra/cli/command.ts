import { Command, type ErrorOptions, InvalidArgumentError, type Option } from 'commander';
import { nearestName } from '../../shared/organization/nearest-name.ts';

const wrongUsage = 2;

/** A command that cannot do what was requested; the message says why in a sentence. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** A check that failed: the message says what is wrong. In a verification it has no full stop, as in "500 INTERNAL". */
export class CheckError extends Error {
  override readonly name = 'CheckError';
  /** What to do or to look at next. */
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

/** A command that reports wrong usage on one line: what is wrong, what would be right, and where the help is. Ends with status 2. */
export class CliCommand extends Command {
  /** Required, as an option or as an argument. */
  #orArgument: Option | undefined;

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** Adds text to the end of the help. */
  notes(text: string): this {
    return this.addHelpText('after', text);
  }

  /** Adds an option whose value can also be given as an argument, after those that the command declares. */
  optionOrArgument(option: Option, isRequired = true): this {
    if (isRequired) this.#orArgument = option;
    return this.addOption(option)
      .allowExcessArguments()
      .hook('preAction', () => this.#readArgument(option));
  }

  #readArgument(option: Option): void {
    const name = option.attributeName();
    const [argument, ...more] = this.args.slice(this.registeredArguments.length);
    const isGiven = this.getOptionValue(name) !== undefined;
    const excess = isGiven ? argument : more[0];
    if (excess !== undefined) this.error(`error: unexpected argument '${excess}'`);
    if (argument === undefined) {
      if (!isGiven && this.#orArgument) this.error(this.#missingOptions());
      return;
    }
    try {
      this.setOptionValue(name, option.parseArg?.(argument, undefined));
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      this.error(`error: '${argument}' is not a valid ${name}. ${error.message}`);
    }
  }

  override error(message: string, options?: ErrorOptions): never {
    return super.error(
      `${asSentence(this.#explain(message, options?.code))} See: ${pathOf(this)} --help`,
      { ...options, exitCode: wrongUsage },
    );
  }

  /** Commander reports a missing option before an unknown one, although the unknown one is usually the missing one mistyped. */
  #explain(message: string, code: string | undefined): string {
    const mistyped = this.args.find(
      (arg) => /^--?[a-z]/i.test(arg) && !this.#flags().includes(flagOf(arg)),
    );
    if (code === 'commander.unknownCommand') return this.#unknownCommand(this.args[0] ?? '');
    if (code === 'commander.unknownOption' && mistyped)
      return this.#unknownOption(flagOf(mistyped));
    if (code === 'commander.missingMandatoryOptionValue') {
      return mistyped ? this.#unknownOption(flagOf(mistyped)) : this.#missingOptions();
    }
    if (code === 'commander.optionMissingArgument')
      return message.replace(/ argument missing$/, ' needs a value');
    if (code === 'commander.invalidArgument')
      return message.replace(
        /^error: command-argument value ('.*') is invalid for argument '(.*?)'/s,
        '$1 is not a valid <$2>',
      );
    return message;
  }

  #unknownCommand(name: string): string {
    const names = this.commands.map((command) => command.name());
    const near = nearestName(name, names);
    const below = this.commands.flatMap(({ commands }) =>
      commands.filter((command) => command.name() === name).map(nameOf),
    );
    if (!near && below.length > 0)
      return `Unknown command '${name}'. Did you mean ${below.join(' or ')}?`;
    return near
      ? `Unknown command '${name}'. Did you mean ${near}?`
      : `Unknown command '${name}': the commands are ${names.join(', ')}`;
  }

  #unknownOption(flag: string): string {
    const near = nearestName(flag, this.#flags());
    if (near) return `Unknown option '${flag}'. Did you mean ${near}?`;
    if (isOptionBelow(this, flag))
      return `Option '${flag}' must come after the command that it belongs to`;
    return `Unknown option '${flag}'`;
  }

  #missingOptions(): string {
    const hasArgument = this.args.length > this.registeredArguments.length;
    const missing = this.options.filter(
      (option) =>
        (option.mandatory || (option === this.#orArgument && !hasArgument)) &&
        this.getOptionValue(option.attributeName()) === undefined,
    );
    const names = missing.map(({ flags }) => `'${flags}'`).join(', ');
    return `Required option${missing.length === 1 ? '' : 's'} ${names} not specified`;
  }

  /** The options that are valid here, including those of the commands above. */
  #flags(): string[] {
    return [
      ...lineage(this).flatMap(({ options }) => options.flatMap(({ long }) => long ?? [])),
      '--help',
    ];
  }
}

/** A command and those above it. */
const lineage = (command: Command): Command[] => [
  command,
  ...(command.parent ? lineage(command.parent) : []),
];

const namesOf = (command: Command): string[] =>
  lineage(command)
    .map((one) => one.name())
    .reverse();

const pathOf = (command: Command): string => namesOf(command).join(' ');

/** The path without the program, such as `lead list`. */
const nameOf = (command: Command): string => namesOf(command).slice(1).join(' ');

const isOptionBelow = (command: Command, flag: string): boolean =>
  command.commands.some(
    (one) => one.options.some(({ long }) => long === flag) || isOptionBelow(one, flag),
  );

const flagOf = (arg: string): string => arg.replace(/=.*$/s, '');

/** Removes commander's prefix and line breaks, and ends the text as a sentence. */
function asSentence(text: string): string {
  const line = text
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ');
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}${/[.?)]$/.test(line) ? '' : '.'}`;
}
