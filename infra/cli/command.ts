import { Command, type ErrorOptions, InvalidArgumentError, Option } from 'commander';

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
  readonly #usageChecks: (() => void)[] = [];

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
    this.#usageChecks.push(() => this.#readArgument(option));
    return this.addOption(option).allowExcessArguments();
  }

  /** Refuses an option that is given without another one. */
  needs(flag: string, needed: string): this {
    const name = new Option(flag).attributeName();
    const other = new Option(needed).attributeName();
    this.#usageChecks.push(() => {
      if (this.getOptionValueSource(name) === 'cli' && this.getOptionValue(other) === undefined)
        this.error(`error: option '${flag}' needs ${needed}`);
    });
    return this;
  }

  /** Reads arguments that stand for options, and refuses what commander allows. A program calls this before it looks up a stack. */
  checkUsage(): void {
    for (const check of this.#usageChecks) check();
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

  #explain(message: string, code: string | undefined): string {
    if (code === 'commander.missingMandatoryOptionValue') return this.#missingOptions();
    if (code === 'commander.unknownOption' && this.registeredArguments[0]?.name() === 'ID')
      return `${message}. An ID that begins with - comes after --`;
    if (code === 'commander.optionMissingArgument')
      return message.replace(/ argument missing$/, ' needs a value');
    return message;
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
}

/** The names of the commands from the program to this one. */
const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

/** Removes commander's prefix and line breaks, and ends the text as a sentence. */
function asSentence(text: string): string {
  const line = text
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ');
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}${/[.?)]$/.test(line) ? '' : '.'}`;
}
