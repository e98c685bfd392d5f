import { InvalidArgumentError, Option } from 'commander';
import { parseDateTime } from '../../shared/date-time.ts';
import { isDate } from '../../shared/leads/field-types.ts';
import { readUnitsPerSecondDefault } from '../../shared/store/maintenance/pacing.ts';
import type { CliCommand } from '../cli/command.ts';
import { integerOption, parseId } from '../cli/options.ts';

/** `--organization`, whose ID can also be an argument. */
export const organizationOption = (description: string): Option =>
  new Option('--organization <ID>', description).argParser(parseId);

/** Adds a command for one organization. */
export const organizationCommand = (
  noun: CliCommand,
  name: string,
  description: string,
): CliCommand =>
  noun
    .command(name)
    .description(description)
    .optionOrArgument(organizationOption('organization ID, also as an argument (required)'));

/** Adds a command for one lead of an organization. */
export const leadCommand = (noun: CliCommand, name: string, description: string): CliCommand =>
  organizationCommand(noun, name, description).requiredOption('--lead <ID>', 'lead ID', parseId);

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

const leadsMax = 10_000;
const leadsDefault = 25;

/** `--limit` of a command that lists leads. */
export const leadLimitOption = (): Option =>
  new Option('--limit <N>', `maximum number of leads, 1 to ${leadsMax}`)
    .argParser(integerOption(1, leadsMax))
    .default(leadsDefault);

const rateMax = 40_000;

/** `--rate` of a command that reads many items. */
export const readRateOption = (): Option =>
  new Option(
    '--rate <UNITS>',
    `maximum number of read units per second, 1 to ${rateMax} (default: ${readUnitsPerSecondDefault}; without limit on a local engine)`,
  ).argParser(integerOption(1, rateMax));
