import { Command, type ErrorOptions, type Help, Option, type OptionValues } from 'commander';

const wrongUsage = 2;

/** Thrown if a command cannot do what was requested. The message is a sentence that says why. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Prints a sentence to stderr, so that stdout has only the result. */
export const tell = (sentence: string): void => void process.stderr.write(`${sentence}\n`);

/** Prints the message of a CommandError and ends the process with status 1. @throws any other error */
export function exitRefused(error: unknown): never {
  if (!(error instanceof CommandError)) throw error;
  tell(error.message);
  process.exit(1);
}

/** Thrown if a check fails. The message says what is wrong. In a verification, it has no full stop, as in "500 INTERNAL". */
export class CheckError extends Error {
  override readonly name = 'CheckError';
  /** What to do or to look at next. */
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

const helpWidth = 80;

interface Layout {
  /** Of the first line. */
  readonly indent?: string;
  /** The text at the end of every line but the last. */
  readonly end?: string;
  /** The indent of every line but the first. @default indent */
  readonly hanging?: string;
}

/** Lines of a help, broken between the pieces. */
export function helpLines(
  pieces: readonly string[],
  { indent = '', end = '', hanging }: Layout = {},
): string {
  const lines: string[] = [];
  let line = indent;
  for (const piece of pieces) {
    if (line.trim() !== '' && `${line}${piece.trimEnd()}${end}`.length > helpWidth) {
      lines.push(line.trimEnd() + end);
      line = hanging ?? indent;
    }
    line += piece;
  }
  return [...lines, line.trimEnd()].join('\n');
}

/** A command that reports wrong usage on one line: what is wrong, what would be right, and where the help is. Exits with status 2. */
export class CliCommand extends Command {
  readonly #usageChecks: ((options: OptionValues) => string | false | undefined)[] = [];

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  override createHelp(): Help {
    const names = { subcommandTerm: (command: Command) => command.name() };
    return Object.assign(super.createHelp(), { helpWidth, minWidthToWrap: 24, ...names });
  }

  /** Adds text to the end of the help. Its paragraphs get lines of one width; indented lines stay as they are. */
  notes(text: string): this {
    const paragraphs = text.replace(/(?<=\S)\n(?=\S)/g, ' ').split('\n');
    const wrapped = paragraphs.map((line) =>
      line.startsWith(' ') ? line : helpLines(line.match(/\S+ ?/g) ?? []),
    );
    return this.addHelpText('after', wrapped.join('\n'));
  }

  /** Adds examples of this command to the end of the help. @param examples its arguments and options */
  examples(...examples: readonly string[]): this {
    return this.addHelpText('after', () => {
      const lines = examples.map((options) => {
        const pieces = `${pathOf(this)} ${options}`.split(/(?<= )(?=--[a-z])/);
        return helpLines(pieces, { indent: '  ', end: ' \\', hanging: '    ' });
      });
      return `\nExample${lines.length === 1 ? '' : 's'}:\n${lines.join('\n')}`;
    });
  }

  /** Adds a check across options, global ones included. @param issueOf returns the problem, if there is one */
  refuse<Options extends object>(issueOf: (options: Options) => string | false | undefined): this {
    this.#usageChecks.push((options) => issueOf(options as Options));
    return this;
  }

  addOptions(options: readonly Option[]): this {
    for (const option of options) this.addOption(option);
    return this;
  }

  /** Refuses the option `flag` without the option `needed`. */
  needs(flag: string, needed: string): this {
    const [name, other] = [flag, needed].map((one) => new Option(one).attributeName());
    return this.refuse<OptionValues>(
      (options) =>
        this.getOptionValueSource(`${name}`) === 'cli' &&
        options[`${other}`] === undefined &&
        `option '${flag}' needs ${needed}`,
    );
  }

  /** Refuses wrong usage that commander allows. Call it before looking up a stack. */
  checkUsage(): void {
    for (const check of this.#usageChecks) {
      const issue = check(this.optsWithGlobals());
      if (issue) this.error(`error: ${issue}`);
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

  /** Names all missing options; commander names only the first. */
  #missingOptions(): string {
    const missing = this.options.filter(
      (option) => option.mandatory && this.getOptionValue(option.attributeName()) === undefined,
    );
    const names = missing.map(({ flags }) => `'${flags}'`).join(', ');
    return `Required option${missing.length === 1 ? '' : 's'} ${names} not specified`;
  }
}

/** The path of a command: the names from the program down to it. */
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
