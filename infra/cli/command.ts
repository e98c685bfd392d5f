import { Command, type ErrorOptions } from 'commander';
import { nearestName } from '../../shared/organization/nearest-name.ts';

/** A command whose wrong usage is answered on one line: what was wrong, what would be right, and where the help is. */
export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  override error(message: string, options?: ErrorOptions): never {
    return super.error(`${asSentence(this.#said(message, options?.code))} See: ${pathOf(this)} --help`, options);
  }

  /** Commander tells of a missing option before an unknown one, although the unknown one is usually the missing one mistyped. */
  #said(message: string, code: string | undefined): string {
    const mistyped = this.args.find((one) => /^--?[a-z]/i.test(one) && !this.#flags().includes(flagOf(one)));
    if (code === 'commander.unknownCommand') return this.#unknownCommand(this.args[0] ?? '');
    if (code === 'commander.unknownOption' && mistyped) return this.#unknownOption(flagOf(mistyped));
    if (code === 'commander.missingMandatoryOptionValue') {
      return mistyped ? this.#unknownOption(flagOf(mistyped)) : this.#missingOptions();
    }
    if (code === 'commander.optionMissingArgument') return message.replace(/ argument missing$/, ' needs a value');
    if (code === 'commander.excessArguments') return this.#excessArguments();
    return message;
  }

  #unknownCommand(name: string): string {
    const names = this.commands.map((command) => command.name());
    const near = nearestName(name, names);
    const below = this.commands.flatMap(({ commands }) => commands.filter((one) => one.name() === name).map(nameOf));
    if (!near && below.length > 0) return `Unknown command '${name}'. Did you mean ${below.join(' or ')}?`;
    return near ? `Unknown command '${name}'. Did you mean ${near}?` : `Unknown command '${name}': there are ${names.join(', ')}`;
  }

  #unknownOption(flag: string): string {
    const near = nearestName(flag, this.#flags());
    if (near) return `Unknown option '${flag}'. Did you mean ${near}?`;
    if (isOfACommandOf(this, flag)) return `Option '${flag}' stands after the command that it is for`;
    const taken = [...this.registeredArguments.map((argument) => `<${argument.name()}>`), ...this.#flags()];
    return `Unknown option '${flag}': ${nameOf(this)} takes ${taken.join(', ')}`;
  }

  #missingOptions(): string {
    const missing = this.options.filter((one) => one.mandatory && this.getOptionValue(one.attributeName()) === undefined);
    const said = `Required option${missing.length === 1 ? '' : 's'} ${missing.map(({ flags }) => `'${flags}'`).join(', ')} not specified`;
    const stray = this.args[this.registeredArguments.length];
    return missing.length === 1 && stray !== undefined ? `${said}. Did you mean ${missing[0]?.long} ${stray}?` : said;
  }

  #excessArguments(): string {
    const taken = this.registeredArguments.length;
    return `Too many arguments: ${nameOf(this)} takes ${taken === 0 ? 'none' : taken}, so '${this.args[taken]}' is one too many`;
  }

  /** The options that may stand here, those of the commands above included. */
  #flags(): string[] {
    return [...lineage(this).flatMap(({ options }) => options.flatMap(({ long }) => long ?? [])), '--help'];
  }
}

/** A command and those above it. */
const lineage = (command: Command): Command[] => [command, ...(command.parent ? lineage(command.parent) : [])];

const pathOf = (command: Command): string =>
  lineage(command)
    .map((one) => one.name())
    .reverse()
    .join(' ');

/** As a sentence names it: without what is typed before all commands. */
const nameOf = (command: Command): string =>
  lineage(command)
    .map((one) => one.name())
    .slice(0, -1)
    .reverse()
    .join(' ') || 'the command';

const isOfACommandOf = (command: Command, flag: string): boolean =>
  command.commands.some((one) => one.options.some(({ long }) => long === flag) || isOfACommandOf(one, flag));

const flagOf = (typed: string): string => typed.replace(/=.*$/s, '');

/** Commander's errors begin with a prefix, and may go over two lines. */
function asSentence(text: string): string {
  const line = text
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ');
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}${/[.?)]$/.test(line) ? '' : '.'}`;
}
