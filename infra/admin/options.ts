import { type Argument, InvalidArgumentError, Option } from 'commander';
import { parseDateTime } from '../../shared/date-time.ts';
import { isDate } from '../../shared/leads/field-types.ts';
import { readUnitsPerSecondDefault } from '../../shared/store/maintenance/pacing.ts';
import type { CliCommand } from '../cli/command.ts';
import { integerOption, parseId, parseIds } from '../cli/options.ts';

/** Adds `--organization`, whose ID can also be the last argument. */
export const withOrganization = (command: CliCommand, isRequired: boolean): CliCommand =>
  command
    .argument('[ORGANIZATION]', 'its ID, instead of --organization', parseId)
    .option('--organization <ID>', `organization ID${isRequired ? ' (required)' : ''}`, parseId)
    .refuse(({ organization }: { readonly organization?: number }) => {
      const requested = [organization, command.processedArgs.at(-1)].filter(
        (id) => id !== undefined,
      );
      command.setOptionValue('organization', requested[0]);
      if (requested.length > 1)
        return 'name one organization, by --organization ID or as an argument';
      return (
        isRequired &&
        requested.length === 0 &&
        "required option '--organization <ID>' not specified"
      );
    });

/**
 * Adds a command for one organization, which `CommandContext` then reads.
 * @param file an argument in front of the organization's ID
 */
export function organizationCommand(
  noun: CliCommand,
  name: string,
  description: string,
  file?: Argument,
): CliCommand {
  const command = noun.command(name).description(description);
  return withOrganization(file ? command.addArgument(file) : command, true);
}

/** Adds a command for one lead of an organization. */
export const leadCommand = (noun: CliCommand, name: string, description: string): CliCommand =>
  organizationCommand(noun, name, description).requiredOption('--lead <ID>', 'lead ID', parseId);

/** Adds a command for several leads of an organization. */
export const leadsCommand = (noun: CliCommand, name: string, description: string): CliCommand =>
  organizationCommand(noun, name, description).requiredOption(
    '--lead <ID>',
    'lead ID; separate several with commas',
    parseIds,
  );

/** Parses a date or date-time. @returns epoch milliseconds @throws InvalidArgumentError, which is reported as wrong usage */
export function parseTime(text: string): number {
  const at = parseDateTime(isDate(text) ? `${text}T00:00:00Z` : text);
  if (at === undefined) {
    throw new InvalidArgumentError(
      'It must be a date, or a date-time with an offset, such as 2026-01-31T18:30:00+05:30.',
    );
  }
  return at;
}

/** Parses a text. @throws InvalidArgumentError if it has only blanks */
export function parseText(text: string): string {
  if (text.trim() !== '') return text.trim();
  throw new InvalidArgumentError('It must have a character other than blanks.');
}

const rateMax = 40_000;

/** `--rate` of a command that reads many items. */
export const readRateOption = (): Option =>
  new Option(
    '--rate <UNITS>',
    `maximum number of read units per second, 1 to ${rateMax} (default: ${readUnitsPerSecondDefault}; without limit on a local engine)`,
  ).argParser(integerOption(1, rateMax));
